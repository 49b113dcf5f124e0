"""Refusals that say what is not there, or what a field holds."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import GLIDING, accused
from tests.diff.ward import call

WHAT_A_THING_LACKS_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        GLIDING,
        (),
        call("launch", None, glider="GL-2"),
        [
            "GL-2 is not on a winch.",
            "GL-2 isn't hooked up.",
            "No winch is attached to GL-2.",
            "GL-2 has nobody in the cockpit.",
            "There is no pilot aboard GL-2.",
            "The Astir has no one to fly it.",
            "GL-2 has no rope on it.",
            "Nobody sits in GL-2.",
            "GL-2 is without a pilot.",
            "GL-2 hangs on no winch yet.",
            "Cannot launch: GL-2 has not been hitched.",
        ],
    ),
    (
        GLIDING,
        (),
        call("launch", None, glider="GL-3"),
        [
            "GL-3 has not been rigged.",
            "GL-3 is not put together yet.",
            "GL-3 has not been looked over today.",
            "GL-3 isn't ready: not rigged, not inspected.",
            "Not airworthy: GL-3 was not inspected.",
        ],
    ),
    (
        GLIDING,
        (),
        call("tow_home", None, glider="GL-2"),
        [
            "GL-2 has no trailer.",
            "No trailer belongs to GL-2.",
            "There is nothing to tow GL-2 on.",
            "GL-2 is not on a trailer.",
        ],
    ),
    (
        GLIDING,
        (),
        call("pull", None, winch="W-1"),
        [
            "Nobody drives W-1.",
            "W-1 has no driver.",
            "W-1 is unattended.",
            "There is no one at W-1.",
            "W-1 is not manned.",
        ],
    ),
]

WHAT_A_THING_LACKS_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        GLIDING,
        (),
        call("launch", None, glider="GL-1"),
        [
            "GL-1 is not on a winch.",
            "GL-1 isn't insured.",
            "No winch is attached to GL-1.",
            "GL-1 has nobody in the cockpit.",
            "GL-1 has not been weighed.",
            "GL-1 is grounded.",
            "GL-1 has no radio.",
            "GL-1 is unmanned.",
            "GL-1 is not cleared by the tower.",
            "Nobody has signed the logbook of GL-1.",
            "GL-1 is still wet.",
        ],
    ),
    (
        GLIDING,
        (),
        call("pull", None, winch="W-2"),
        ["W-2 has no driver.", "W-2 is unattended.", "W-2 is not greased.", "W-2 is out of fuel."],
    ),
    (
        GLIDING,
        (),
        call("tow_home", None, glider="GL-1"),
        ["GL-1 has no trailer.", "GL-1 has no number plate.", "The road is not free."],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_A_THING_LACKS_TRUE)
def test_what_a_thing_lacks_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_A_THING_LACKS_INVENTED)
def test_what_a_thing_lacks_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
