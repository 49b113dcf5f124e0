"""Clocks that stand still, run back, or move otherwise than they were asked to."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.check import Observed
from tests.diff.ward import call, found, ward

NOW = "2025-03-01T10:00:00Z"
WRONG = [("contradiction", "changed_value", "")]


def said(*calls: Observed, now: Any = NOW) -> list[tuple[str, ...]]:
    return found(*calls, of=ward(state={"current_system_time": now}))


def read(value: Any) -> Observed:
    return call("get_status", {"current_time": value})


def advance(value: Any, **by: Any) -> Observed:
    return call("advance_time", {"new_simulation_time": value}, **by)


def test_a_clock_stands_while_nothing_happens() -> None:
    assert said(read("2025-03-01T10:00:00+00:00")) == []
    assert said(read("2025-03-01T10:40:00Z")) == WRONG
    assert said(read(NOW), read("2025-03-01T10:40:00Z")) == WRONG


def test_a_write_may_take_time_but_none_gives_it_back() -> None:
    order = call("order_stock", {"status": "success"}, item="Saline-500", count=5)
    assert said(order, read("2025-03-01T10:40:00Z")) == []
    assert said(order, read("2025-03-01T09:40:00Z")) == WRONG


@pytest.mark.parametrize(("shown", "wrong"), [(255, False), (240, True), (270, True)])
def test_it_moves_as_far_as_asked(shown: int, wrong: bool) -> None:
    moved = advance(210, minutes=30)
    assert said(moved, advance(shown, minutes=45), now=180) == (WRONG if wrong else [])


def test_a_clock_may_count_in_another_unit_than_the_call() -> None:
    assert said(advance(43200 + 300, minutes=5), now=43200) == []
    assert said(advance(43200 + 7, minutes=5), now=43200) == WRONG
    assert said(advance(180, minutes=180), now="T00:00:00") == []
    assert said(advance(210, minutes=180), now="T00:00:00") == WRONG
    assert said(advance("2025-03-01T11:30:00Z", minutes=90)) == []
    assert said(advance("2025-03-01T11:00:00Z", minutes=90)) == WRONG


def test_what_nobody_can_tell_is_not_said() -> None:
    assert said(advance(212, shifts=2), now=180) == []  # how long a shift lasts is not known
    assert said(call("advance_time", {"status": "success"}, minutes=5), read("2025-03-01T16:00:00Z")) == []
    passed = call("advance_time", {"status": "success"}, minutes=5)
    assert said(read("2025-03-01T12:00:00Z"), passed, read("2025-03-01T11:00:00Z"), now=None) == []
    assert said(read("half past ten")) == []
    assert said(read("2025-03-01")) == []
    assert said(read(7), read(9), now=7) == []  # a counter of steps may count the calls
    assert said(read(7), read(5), now=7) == WRONG


def test_a_time_of_day_stands_too_and_what_a_call_showed_is_not_forgotten() -> None:
    run = call("order_stock", {"status": "success", "current_system_time": "21:57"}, item="Saline-500")
    assert said(read("21:52"), now="21:52") == []
    assert said(read("21:58"), now="21:52") == WRONG
    assert said(run, read("21:57"), now="21:52") == []
    assert said(run, read("21:52"), now="21:52") == WRONG
    assert said(run, run, read("00:10"), now="21:52") == []  # what else it may be, nobody can tell


def test_a_time_that_was_wrong_is_not_what_was_said_last() -> None:
    again = call("get_status", {"current_system_time": NOW})
    wrong = call("get_status", {"current_system_time": "2025-03-01T10:40:00Z"})
    assert said(again, wrong, again) == []
    assert said(again, wrong) == WRONG
