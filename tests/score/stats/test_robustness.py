from itertools import product
from math import exp, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from replaylab.score.stats.bootstrap import percentile, resums
from replaylab.score.stats.robustness import _ratio, katz, robustness

# RC08: tasks of four scenarios, and passes under E0 to E3.
N = [4, 3, 2, 5]
CLEAN = [4, 2, 2, 3]
OTHERS = [[3, 2, 1, 3], [3, 1, 1, 2], [2, 1, 2, 3]]


def test_all_resamples_of_the_reference_have_its_r() -> None:
    totals = np.stack([np.array([CLEAN, *OTHERS]), np.broadcast_to(N, (4, 4))], axis=-1).transpose(1, 0, 2)
    ways = np.array([np.bincount(way, minlength=4) for way in product(range(4), repeat=4)], dtype=float)
    values = _ratio(resums(totals.astype(float), ways))
    assert values.mean() == pytest.approx(0.606303809, abs=1e-9)
    assert values.mean() - 7 / 11 == pytest.approx(-0.03005982733, abs=1e-9)
    assert percentile(values) == pytest.approx((0.5, 0.6923076923), abs=1e-9)


def test_the_reference_r_is_drawn() -> None:
    found = robustness(CLEAN, OTHERS, N, 50_000, seed=1)
    assert found.r == pytest.approx(0.6363636364, abs=1e-9)
    assert (found.low, found.high) == pytest.approx((0.5, 0.6923076923), abs=1e-9)
    assert found.bias == pytest.approx(-0.03005982733, abs=5e-4)
    assert found.undefined == 0
    assert robustness(CLEAN, OTHERS, N, 50_000, seed=1) == found


def test_arrays_are_as_good_as_lists() -> None:
    clean: Any = np.array(CLEAN)
    others: Any = np.array(OTHERS)
    assert robustness(clean, others, np.array(N), 200, seed=1) == robustness(CLEAN, OTHERS, N, 200, seed=1)


def test_r_is_the_worst_over_the_clean_rate_and_not_the_mean_of_scenarios() -> None:
    found = robustness([10, 0], [[5, 0], [9, 1]], [10, 10], 100, seed=1)
    assert found.r == 0.5


def test_an_undisturbed_player_has_r_1_for_sure() -> None:
    assert robustness(CLEAN, [CLEAN, CLEAN], N, 500, seed=1) == (1, 1, 1, 0, 0)


def test_one_plan_has_no_minimum_to_lean() -> None:
    found = robustness(CLEAN, [OTHERS[0]], N, 20_000, seed=1)
    assert found.bias == pytest.approx(0, abs=0.01)


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4), st.integers(0, 99))
def test_the_minimum_leans_down(passed: list[int], seed: int) -> None:
    others = [passed, passed[::-1]]
    found = robustness([3, 3, 3, 3], others, [3, 3, 3, 3], 300, seed)
    assert found.r is not None
    assert found.bias is not None
    assert found.low is not None
    assert found.high is not None
    assert found.bias <= 0.06
    assert 0 <= found.low <= found.high <= 1


def test_resamples_without_a_clean_pass_are_left_out_and_counted() -> None:
    found = robustness([2, 0, 0], [[1, 0, 0]], [2, 2, 2], 20_000, seed=1)
    assert (found.r, found.low, found.high) == (0.5, 0.5, 0.5)
    assert found.undefined == pytest.approx((2 / 3) ** 3, abs=0.01)


def test_each_plan_may_have_its_own_denominators() -> None:
    assert robustness([2, 2], [[2, 2]], [[4, 4], [2, 2]], 100, seed=1).r == 2
    unplayed = robustness([2, 2], [[0, 0]], [[4, 4], [0, 0]], 100, seed=1)
    assert unplayed.r is None


@pytest.mark.parametrize(
    ("clean", "others", "n"),
    [([0, 0], [[1, 0]], [2, 2]), ([1, 1], [], [2, 2]), ([], [[]], []), ([0], [[0]], [0])],
)
def test_r_without_a_clean_pass_is_no_number(clean: list[int], others: list[list[int]], n: list[int]) -> None:
    assert robustness(clean, others, n, 100, seed=1) == (None, None, None, None, 1.0)


def test_published_counts_have_the_reference_interval() -> None:
    interval = katz(256, 304, 382)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.7721130878, 0.9184422404), abs=1e-9)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.integers(1, n), st.just(n))))
def test_katz_holds_r_and_is_the_formula(counts: tuple[int, int, int]) -> None:
    k_min, k_clean, n = counts
    interval = katz(k_min, k_clean, n)
    assert interval is not None
    r = k_min / k_clean
    assert 0 <= interval.low <= r <= interval.high
    assert interval.low < interval.high
    if interval.note:
        assert k_min == 0 or k_min == k_clean == n
        return
    reach = norm.ppf(0.975) * sqrt(1 / k_min - 1 / n + 1 / k_clean - 1 / n)
    assert (interval.low, interval.high) == pytest.approx((r / exp(reach), r * exp(reach)), rel=1e-9)


def test_katz_without_a_clean_pass_is_nothing() -> None:
    assert katz(0, 0, 10) is None
    assert katz(0, 0, 0) is None
