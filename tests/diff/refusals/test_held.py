"""Refusals of what is held by another at that time."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import BOATS, accused
from tests.diff.ward import call

WHAT_IS_HELD_THEN_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        BOATS,
        (),
        call("hire", None, **{"boat": "BO-1", "guest": "G-2", "from": "2026-08-03", "to": "2026-08-07"}),
        [
            "BO-1 is taken on the night of 3 August (Noll).",
            "BO-1 is out until 5 August.",
            "Tern is with Noll until 2026-08-05.",
            "BO-1 is not free on those days.",
            "BO-1 is already hired from 1 to 5 August.",
            "Overlaps with HR-1.",
            "Noll has BO-1 then.",
            "BO-1 is spoken for on 3 and 4 August.",
            "That clashes with another hire (HR-1).",
            "Double booking: BO-1, 3 to 5 August.",
            "BO-1 is unavailable from 3 to 4 August.",
            "Someone else has the Tern on these days.",
        ],
    ),
    (
        BOATS,
        (
            call(
                "hire",
                {"hire": "HR-3", "boat": "BO-2"},
                **{"boat": "BO-2", "guest": "G-3", "from": "2026-08-20", "to": "2026-08-25"},
            ),
        ),
        call("hire", None, **{"boat": "BO-2", "guest": "G-1", "from": "2026-08-22", "to": "2026-08-23"}),
        [
            "BO-2 is let to Piro then.",
            "BO-2 is hired out from 20 to 25 August.",
            "The Coot is away until 25 August.",
            "BO-2 is busy on 22 August.",
            "Piro's hire HR-3 runs until 25 August.",
            "BO-2 is occupied.",
        ],
    ),
]

WHAT_IS_HELD_THEN_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        BOATS,
        (),
        call("hire", None, **{"boat": "BO-1", "guest": "G-2", "from": "2026-08-03", "to": "2026-08-07"}),
        ["BO-1 is in the workshop on these days."],
    ),
    (
        BOATS,
        (),
        call("hire", None, **{"boat": "BO-2", "guest": "G-1", "from": "2026-08-12", "to": "2026-08-14"}),
        [
            "BO-2 is taken on the night of 12 August (Aas).",
            "BO-2 is out until 15 August.",
            "BO-2 is not free on those days.",
            "Overlaps with HR-2.",
            "BO-2 is already hired from 11 to 13 August.",
            "BO-2 is spoken for on 13 August.",
            "Double booking.",
            "BO-2 is being repaired.",
        ],
    ),
    (
        BOATS,
        (),
        call("hire", None, **{"boat": "BO-1", "guest": "G-2", "from": "2026-08-10", "to": "2026-08-12"}),
        [
            "BO-1 is taken on the night of 10 August (Noll).",
            "Overlaps with HR-1.",
            "BO-1 is booked out in August.",
        ],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_IS_HELD_THEN_TRUE)
def test_what_is_held_then_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), WHAT_IS_HELD_THEN_INVENTED)
def test_what_is_held_then_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
