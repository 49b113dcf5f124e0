from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.checks.depends import Place
from replaylab.faults.mistake import mistaken
from replaylab.schema.base import Json

numbers = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6).map(lambda value: round(value, 3))


def wrong(kind: str, key: str, value: Json, *others: Json) -> Json:
    """What the fault makes of {key: value}, or None."""
    made = mistaken(kind, {key: value}, [Place((key,), key, value)], others, 0)  # type: ignore[arg-type] # a Literal
    return None if made is None else made[key]


@pytest.mark.parametrize(
    ("key", "value", "shown"),
    [
        ("temperature_c", 20, 68),
        ("weight_kg", 10.0, 22.0),
        ("distance_km", 100, 62),
        ("wait_minutes", 3, 180),
        ("dose_mg", 500, None),
        ("price", 12.5, 1250.0),
    ],
)
def test_a_wrong_unit_follows_the_name_of_the_field(key: str, value: Json, shown: Json) -> None:
    assert wrong("wrong_unit", key, value) == (0 if shown is None else shown)


def test_a_zero_has_no_wrong_unit_that_shows_and_a_text_has_none() -> None:
    assert wrong("wrong_unit", "price", 0) is None
    assert wrong("wrong_unit", "note", "12 kg") is None


def test_yesterday_is_a_day_earlier_and_written_alike() -> None:
    assert wrong("yesterday", "due", "2025-03-01") == "2025-02-28"
    assert wrong("yesterday", "at", "2025-01-01T08:30:00Z") == "2024-12-31T08:30:00Z"
    assert wrong("yesterday", "due", "2025-02-31") is None


def test_yesterdays_text_is_one_that_the_field_held_before() -> None:
    assert (
        wrong("yesterday", "status", "closed", {"rows": [{"status": "closed"}, {"status": "open"}]}) == "open"
    )
    assert wrong("yesterday", "status", "closed", {"state": "open"}) is None


@given(numbers)
def test_yesterdays_number_is_another_of_the_same_type(value: float) -> None:
    before = wrong("yesterday", "reading", value)
    assert before != value
    assert type(before) is type(value)


def test_what_says_whether_a_call_worked_is_left_alone() -> None:
    assert wrong("yesterday", "error", "none", {"error": "full"}) is None
    assert wrong("yesterday", "status", "ok", {"status": "error"}) is None


def test_the_clean_value_is_never_changed() -> None:
    clean = {"rows": [{"rent": 1}]}
    before = copy.deepcopy(clean)
    assert mistaken("wrong_unit", clean, [Place(("rows", 0, "rent"), "rent", 1)], [], 0) == {
        "rows": [{"rent": 100}]
    }
    assert clean == before
