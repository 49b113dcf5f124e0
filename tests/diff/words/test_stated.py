"""What a text states: numbers and bounds, times, limits in words."""

from __future__ import annotations

from time import process_time

import pytest

from replaylab.diff.words.stated import (
    caps,
    figures,
    gaps_in,
    is_day_of,
    numbers_in,
    rates,
    same_times,
    times,
    times_in,
)


@pytest.mark.parametrize(
    "text", ["at most 5 visitors", "the limit is 5", "must remain >= 5", "5 is the maximum"]
)
def test_a_bound_is_told_by_the_words_beside_it(text: str) -> None:
    assert [(int(one.value), one.is_bound) for one in figures(text)] == [(5, True)]


def test_a_measured_number_is_no_bound() -> None:
    assert [one.is_bound for one in figures("there are 5 patients")] == [False]


def test_what_remains_is_worked_out_and_what_must_remain_is_not() -> None:
    assert [one.worked_out for one in figures("only 5 beds remaining")] == [True]
    assert [one.worked_out for one in figures("it must remain above 5")] == [False]


def test_an_amount_with_a_comma_is_no_code() -> None:
    assert [one.value for one in figures("a bid of 500,000 was made")] == [500_000]


def test_times_and_dates() -> None:
    assert times("from 17:00 to 23:00 on 2025-05-24") == ["17:00", "23:00", "2025-05-24"]
    assert list(times_in({"a": ["at 08:30", 7]})) == ["08:30"]


def test_a_limit_in_words() -> None:
    assert caps("limited to two visitors") == ["limited to two"]
    assert caps("one transfer per shift") == ["one transfer per shift"]
    assert caps("one nurse is ill") == []


def test_so_many_in_a_time() -> None:
    assert rates("only 3 transfers per shift") == ["3 transfers per shift"]
    assert rates("the pump gives 3 litres per hour") == []


def test_numbers_inside_texts_count() -> None:
    assert {7, 12, 2} <= {int(one) for one in numbers_in({"a": 7, "b": "12 of them", "c": "two"})}


def test_a_time_is_the_same_with_its_day_and_its_seconds() -> None:
    assert same_times("18:00", "2025-05-24T18:00:00")
    assert not same_times("18:30", "2025-05-24T18:00:00")
    assert not same_times("open", "2025-05-24T18:00:00")


def test_a_day_holds_its_times() -> None:
    assert is_day_of("2025-05-24", "2025-05-24T18:00:00")
    assert not is_day_of("2025-05-25", "2025-05-24T18:00:00")
    assert not is_day_of("2025", "2025-05-24T18:00:00")


@pytest.mark.parametrize(
    "text",
    [
        "short by 7 units",
        "7 kW over the ceiling",
        "7 too many",
        "a shortfall of 7",
        "exceeds it by 7 %",
        "7 min longer than allowed",
        "lacks $7",
        "7 short",
    ],
)
def test_a_gap_is_told_by_the_words_beside_it(text: str) -> None:
    assert list(map(int, gaps_in(text))) == [7]


@pytest.mark.parametrize("text", ["7 units needed", "at most 7 visitors", "a limit of 7", "pump 7 hums"])
def test_an_amount_is_no_gap(text: str) -> None:
    assert list(gaps_in(text)) == []


def test_a_text_of_many_numbers_is_read_in_time_that_grows_with_its_length() -> None:
    """Around each number only its clause is read."""

    def spent(count: int) -> float:
        start = process_time()
        assert len(figures("1 " * count)) == count
        return process_time() - start

    spent(100)
    assert spent(8000) < 24 * max(spent(1000), 0.005)
