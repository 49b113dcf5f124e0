from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.values import is_number, other_number, other_time


@given(value=st.integers(0, 10**9), seed=st.integers(0, 999))
def test_another_number_is_at_least_a_fifth_away(value: int, seed: int) -> None:
    new = int(other_number(str(value), Draw(seed)))
    assert abs(new - value) >= max(1, int(value * 0.19))
    assert new >= 0


def test_decimals_stay_as_many() -> None:
    assert other_number("12.50", Draw(1))[-3] == "."


@pytest.mark.parametrize("text", ["2025-03-04", "10:45", "2025-03-04T10:00:00Z", "until 2024-12-31"])
def test_another_time_has_the_same_form(text: str) -> None:
    for number in range(20):
        new = other_time(text, Draw(number))
        assert new != text
        assert len(new) == len(text)


@pytest.mark.parametrize("text", ["", "dry", "2025-13-45", "12"])
def test_what_holds_no_time_stays(text: str) -> None:
    assert all(other_time(text, Draw(number)) == text for number in range(9))


def test_a_truth_value_is_no_number() -> None:
    assert [is_number(value) for value in (1, 1.5, True, "1", None)] == [True, True, False, False, False]
