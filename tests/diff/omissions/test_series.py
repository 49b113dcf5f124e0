"""Rows that are counted."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import call
from tests.diff.yard import seen


def plan(*places: Any, **more: Any) -> Any:
    return call(
        "get_plan",
        {"boat": "BT-1", "plan": [{"frame": one, "note": "dry"} for one in places]},
        boat="BT-1",
        **more,
    )


def test_a_gap_between_others_is_a_row_left_out() -> None:
    assert seen(plan(1, 2, 3, 4)) == []
    assert seen(plan(1, 2, 4)) == [("omission", "3")]
    assert seen(plan("A", "B", "D")) == [("omission", "C")]


def test_numbers_that_begin_anywhere_may_be_ids() -> None:
    assert seen(plan(41, 42, 44)) == []


def test_where_several_are_missing_the_rows_are_a_choice() -> None:
    assert seen(plan(1, 3, 5, 6)) == []
    assert seen(plan(1, 2, 9)) == []


def test_a_filter_may_leave_out_any() -> None:
    assert seen(plan(1, 2, 4, state="dry")) == []


def test_a_row_without_a_place_is_called_out_where_nobody_knows_its_name() -> None:
    assert seen(plan(1, 2, 3, "Annex Q")) == [("fabrication", "Annex Q")]
    assert seen(plan(1, 2, 3, "total")) == []
    assert seen(plan(1, 2, 3, "Heron")) == []
