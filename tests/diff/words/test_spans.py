"""Spans of time in objects and arguments."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.words.spans import Span, clock, minutes, span_of


def _span(node: Any) -> Span:
    found = span_of(node)
    assert found is not None
    return found


def test_a_span_lies_between_two_days() -> None:
    one = _span({"from": "2026-08-01", "to": "2026-08-05", "boat": "BO-1"})
    assert one.end - one.start == 4 * 1440


def test_a_day_says_when_times_are() -> None:
    one = _span({"day": "2026-08-01", "start": "09:00", "end": "10:30"})
    assert (one.end - one.start, one.dated) == (90, True)


def test_the_end_is_left_out() -> None:
    stay = _span({"from": "2026-08-01", "to": "2026-08-05"})
    assert not stay.meets(_span({"from": "2026-08-05", "to": "2026-08-07"}))
    assert stay.meets(_span({"from": "2026-08-04", "to": "2026-08-07"}))


def test_a_moment_is_met_where_it_lies_inside() -> None:
    stay, day = _span({"from": "2026-08-01", "to": "2026-08-05"}), _span({"on": "2026-08-03"})
    assert stay.meets(day)
    assert day.meets(stay)
    assert not stay.meets(_span({"on": "2026-08-06"}))


def test_times_of_day_and_dates_are_not_compared() -> None:
    assert not _span({"at": "09:00"}).meets(_span({"on": "2026-08-03"}))


@pytest.mark.parametrize("node", [{}, {"a": "x"}, {"a": "2026-01-01", "b": "2026-01-02", "c": "2026-01-03"}])
def test_what_has_no_span_has_none(node: Any) -> None:
    assert span_of(node) is None


def test_minutes_and_the_clock() -> None:
    assert minutes("09:30") == 570
    assert minutes("noon") == -1
    assert clock(570) == "09:30"
