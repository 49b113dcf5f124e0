"""Refusals by how many each may have."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import CAPPED, CRIB, accused
from tests.diff.ward import call

A_LIMIT_OF_EACH_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CAPPED,
        (),
        call("issue", None, item="drill-8", worker="WK-1", count=4),
        [
            "At most 3 per worker.",
            "No more than 3 of an item at once.",
            "A worker takes at most 3.",
            "Limit: 3 of an item.",
            "Max 3 at a time.",
            "4 is more than the 3 that one may take.",
            "Only 3 of an item may be taken.",
            "Over the limit of 3.",
            "3 is the most that a worker takes at once.",
            "You can't take more than 3 at once.",
        ],
    ),
    (
        CAPPED,
        (call("enrol", {"ok": True}, course="CO-1", worker="WK-1"),),
        call("enrol", None, course="CO-1", worker="WK-1"),
        ["One course per worker and year.", "WK-1 has had a course this year."],
    ),
]

A_LIMIT_OF_EACH_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        CRIB,
        (),
        call("issue", None, item="drill-8", worker="WK-1", count=2),
        [
            "At most 1 drill per worker.",
            "Only 1 per worker.",
            "Limit: 1 per card.",
            "No more than 1 item at a time.",
            "A maximum of 1 drill can be taken.",
            "One per person.",
            "Max 1 per order.",
            "You can't take more than 1 drill-8 at once.",
            "The limit per worker is 1.",
            "Each worker gets one drill only.",
            "2 exceeds the allowance of 1 per worker.",
        ],
    ),
    (
        CAPPED,
        (),
        call("issue", None, item="drill-8", worker="WK-1", count=4),
        ["At most 2 per worker.", "A worker takes at most 2."],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), A_LIMIT_OF_EACH_TRUE)
def test_a_limit_of_each_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), A_LIMIT_OF_EACH_INVENTED)
def test_a_limit_of_each_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
