"""Hours that texts tell."""

from __future__ import annotations

import pytest

from replaylab.diff.words.hours import hours_in, slot_times


def test_slots_follow_from_hours_and_length() -> None:
    assert slot_times(["Lanes are let in slots of 45 minutes from 07:00 to 10:00."]) == {
        "07:00",
        "07:45",
        "08:30",
        "09:15",
    }
    assert slot_times(["The sauna is let by the hour, 14:00-17:00."]) == {"14:00", "15:00", "16:00"}


def test_hours_without_a_length_have_no_slots() -> None:
    assert slot_times(["Open between 09:00 and 12:00."]) == frozenset()


@pytest.mark.parametrize(
    ("text", "opens", "closes"),
    [
        ("Open between 09:00 and 12:00.", 540, 720),
        ("The slide closes at 18:30.", 0, 1110),
        ("The gate opens at 06:00.", 360, 1440),
    ],
)
def test_one_side_may_be_told_alone(text: str, opens: int, closes: int) -> None:
    (one,) = hours_in([text])
    assert (one.opens, one.closes) == (opens, closes)


def test_a_text_without_times_tells_no_hours() -> None:
    assert hours_in(["Slots take 30 minutes."]) == []
