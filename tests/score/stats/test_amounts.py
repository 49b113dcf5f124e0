from __future__ import annotations

from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from replaylab.score.stats.amounts import shift
from replaylab.score.stats.paired import sign_flip

differences = st.lists(st.lists(st.integers(-50, 50).map(float), max_size=4), max_size=9)


def test_nothing_has_no_mean() -> None:
    assert shift([], 1) is None
    assert shift([[], []], 1) is None


def test_the_interval_is_that_of_clustered_means() -> None:
    # Two scenarios: sums of deviations from the mean 4 are -6 and 6, so the variance is 72/16 * 2/1 = 9.
    found = shift([[1.0, 1.0], [7.0, 7.0]], 1)
    assert found is not None
    assert found.interval is not None
    reach = float(t.ppf(0.975, 1)) * 3
    assert (found.mean, found.interval.low, found.interval.high) == pytest.approx((4, 4 - reach, 4 + reach))
    assert sqrt(9) == 3


@pytest.mark.parametrize("groups", [[[5.0, 5.0]], [[3.0], [3.0], [3.0]]])
def test_without_spread_between_scenarios_there_is_no_interval(groups: list[list[float]]) -> None:
    found = shift(groups, 1)
    assert found is not None
    assert found.interval is None


def test_it_takes_six_scenarios_that_differ_to_be_testable() -> None:
    five, six = (shift([[1.0]] * number, 1) for number in (5, 6))
    assert five is not None
    assert six is not None
    assert (five.testable, five.smallest_p, six.testable, six.p) == (False, 0.0625, True, 0.03125)


@given(differences)
def test_exchanged_sides_mirror_everything(groups: list[list[float]]) -> None:
    one, other = shift(groups, 1), shift([[-value for value in group] for group in groups], 1)
    if one is None or other is None:
        assert one is other
        return
    assert other.mean == -one.mean
    assert (other.p, other.testable, other.tasks, other.scenarios) == (
        one.p,
        one.testable,
        one.tasks,
        one.scenarios,
    )
    if one.interval and other.interval:
        assert (other.interval.low, other.interval.high) == (-one.interval.high, -one.interval.low)
    else:
        assert one.interval is other.interval


@given(differences)
def test_the_p_is_that_of_scenario_totals(groups: list[list[float]]) -> None:
    found = shift(groups, 1)
    if found is not None:
        assert found.p == sign_flip([sum(group) for group in groups], 1).p
        assert found.smallest_p <= found.p + 1e-12
