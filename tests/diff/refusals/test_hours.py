"""Refusals by hours and slots that the contract tells."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.houses import SWIMMING, accused
from tests.diff.ward import call

HOURS_AND_SLOTS_TRUE: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        SWIMMING,
        (),
        call("book_lane", None, lane="LN-2", start="2026-07-01 10:15"),
        [
            "The last slot starts at 09:15.",
            "Lanes can be had until 10:00.",
            "10:15 is outside of opening hours.",
            "No slot begins at 10:15; the last one is at 09:15.",
            "Too late: lanes close at 10:00.",
            "Lanes are let from 07:00 to 10:00 only.",
            "Slots begin at 07:00, 07:45, 08:30 and 09:15.",
        ],
    ),
    (
        SWIMMING,
        (),
        call("book_lane", None, lane="LN-2", start="2026-07-01 06:15"),
        [
            "Before opening: the first slot is at 07:00.",
            "The hall is still closed at 06:15.",
            "Lanes open at 07:00.",
            "Too early; the first slot starts at 07:00.",
        ],
    ),
    (
        SWIMMING,
        (),
        call("book_lane", None, lane="LN-2", start="2026-07-01 08:00"),
        [
            "08:00 is not the start of a slot; take 07:45 or 08:30.",
            "No slot starts at 08:00.",
            "Slots start every 45 minutes: 07:45, 08:30.",
        ],
    ),
    (
        SWIMMING,
        (),
        call("book_sauna", None, start="2026-07-01 20:30"),
        [
            "The sauna is closed at 20:30.",
            "The last hour begins at 19:00.",
            "The sauna closes at 20:00.",
            "Outside of hours.",
        ],
    ),
    (
        SWIMMING,
        (),
        call("ride", None, at="19:00"),
        ["The slide is closed by then.", "The slide has been closed since 18:30."],
    ),
]

HOURS_AND_SLOTS_INVENTED: list[tuple[Environment, tuple[Any, ...], Any, list[str]]] = [
    (
        SWIMMING,
        (),
        call("book_lane", None, lane="LN-2", start="2026-07-01 10:15"),
        ["The last slot starts at 09:50.", "Lanes close at 09:30.", "Slots begin at 07:10."],
    ),
    (
        SWIMMING,
        (),
        call("book_lane", None, lane="LN-2", start="2026-07-01 08:30"),
        [
            "The last slot starts at 08:00.",
            "Outside of hours.",
            "Lanes are let from 09:00 to 10:00 only.",
            "Too late for today.",
            "Slots begin at 07:00, 08:00 and 09:00.",
            "The first slot is at 09:00.",
            "LN-2 is kept for the swim school until 09:15.",
            "Bookings close at 08:00.",
        ],
    ),
]


@pytest.mark.parametrize(("of", "before", "made", "texts"), HOURS_AND_SLOTS_TRUE)
def test_hours_and_slots_licenses_what_says_so(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == []


@pytest.mark.parametrize(("of", "before", "made", "texts"), HOURS_AND_SLOTS_INVENTED)
def test_hours_and_slots_does_not_license_what_is_untrue(
    of: Environment, before: tuple[Any, ...], made: Any, texts: list[str]
) -> None:
    assert accused(of, before, made, texts) == texts
