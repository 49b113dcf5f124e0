from math import sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import beta, binomtest, norm, t
from statsmodels.stats.proportion import proportion_confint

from replaylab.score.stats.interval import bounded, clustered, clustered_se, exact, newcombe, wilson
from replaylab.score.value import Interval
from tests.score.stats.shapes import TOY, groups, thirds

# RC01: k, n, Wilson, Clopper-Pearson.
RATES = [
    (304, 382, 0.7525366578, 0.8331961473, 0.7518529553, 0.835116414),
    (15, 16, 0.7167126243, 0.9888806552, 0.6976792616, 0.9984188883),
    (0, 16, 0.0, 0.1936076805, 0.0, 0.2059072142),
    (16, 16, 0.8063923195, 1.0, 0.7940927858, 1.0),
    (17, 21, 0.5999943531, 0.9233243495, 0.5809339588, 0.9455364318),
    (29, 36, 0.64971957, 0.9024690458, 0.6397519838, 0.9180563602),
]
counts = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99, 0.999])


def limits(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


@pytest.mark.parametrize(("k", "n", "low", "high", "least", "most"), RATES)
def test_rates_have_the_reference_intervals(
    k: int, n: int, low: float, high: float, least: float, most: float
) -> None:
    assert limits(wilson(k, n)) == pytest.approx((low, high), abs=1e-9)
    assert limits(exact(k, n)) == pytest.approx((least, most), abs=1e-9)


@given(counts, levels)
def test_intervals_are_those_of_scipy(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    test = binomtest(k, n)
    assert limits(wilson(k, n, level)) == pytest.approx(test.proportion_ci(level, "wilson"), abs=1e-9)
    assert limits(exact(k, n, level)) == pytest.approx(test.proportion_ci(level, "exact"), abs=1e-9)


@given(counts, levels)
def test_an_interval_holds_its_point_and_stays_between_0_and_1(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    for interval in (wilson(k, n, level), exact(k, n, level)):
        assert 0 <= interval.low <= k / n <= interval.high <= 1


def test_twelve_digits_never_cut_the_point_off() -> None:
    for point in (1 / 3, 2 / 3):  # one is rounded down, the other up
        interval = bounded(point, point, point, "", 0.95)
        assert interval.low <= point <= interval.high


@given(counts, levels)
def test_failures_mirror_passes(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    for method in (wilson, exact):
        low, high = limits(method(k, n, level))
        assert limits(method(n - k, n, level)) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(counts, levels)
def test_one_more_pass_moves_both_limits_up(kn: tuple[int, int], level: float) -> None:
    k, n = kn
    assume(k < n)
    for method in (wilson, exact):
        here, there = method(k, n, level), method(k + 1, n, level)
        assert here.low < there.low
        assert here.high < there.high or here.high == 1


@given(counts)
def test_more_sureness_is_wider_and_more_tasks_are_narrower(kn: tuple[int, int]) -> None:
    k, n = kn
    for method in (wilson, exact):
        narrow, wide = method(k, n, 0.9), method(k, n, 0.99)
        assert wide.low <= narrow.low
        assert narrow.high <= wide.high
        fewer, more = method(k, n), method(3 * k, 3 * n)
        assert more.high - more.low < fewer.high - fewer.low


def test_the_exact_interval_takes_means_of_repeats() -> None:
    assert limits(exact(2.5, 4)) == pytest.approx(
        (beta.ppf(0.025, 2.5, 2.5), beta.ppf(0.975, 3.5, 1.5)), abs=1e-9
    )
    assert exact(2, 4).low < exact(2.5, 4).low < exact(3, 4).low


def test_numpys_numbers_are_as_good_as_pythons() -> None:
    k, n = np.array([17, 21])
    for method in (wilson, exact):
        assert repr(method(k, n)) == repr(method(17, 21))
    arrays: Any = [np.array(group) for group in TOY]
    assert repr(clustered(arrays)) == repr(clustered(TOY))
    assert repr(newcombe(k, n, k, n)) == repr(newcombe(17, 21, 17, 21))


@pytest.mark.parametrize("method", [wilson, exact])
def test_without_trials_everything_is_possible_and_that_is_said(method: type) -> None:
    interval = method(0, 0)
    assert limits(interval) == (0, 1)
    assert "no trials" in interval.note


def test_the_clustered_interval_is_the_reference_one() -> None:
    assert limits(clustered(TOY)) == pytest.approx((0.3718890784, 0.8534849257), abs=1e-9)  # RC02
    assert clustered_se(TOY) == pytest.approx(0.1067707825, abs=1e-9)


def effective(outcomes: list[list[float]]) -> tuple[float, float, int]:
    """The mean, the tasks that clusters leave, and the clusters, written as in the published formula."""
    n, clusters = sum(map(len, outcomes)), len(outcomes)
    p = sum(map(sum, outcomes)) / n
    variance = sum((sum(g) - len(g) * p) ** 2 for g in outcomes) / n**2 * clusters / (clusters - 1)
    return p, min(p * (1 - p) / variance, n) if variance > 1e-15 else n, clusters


@given(groups(smallest=1, fewest=3))
def test_the_clustered_interval_is_wilsons_with_fewer_tasks_and_t(outcomes: list[list[float]]) -> None:
    p, n, clusters = effective(outcomes)
    assume(0 < p < 1)
    alpha = 2 * norm.sf(t.ppf(0.975, clusters - 1))
    expected = proportion_confint(p * n, n, alpha, "wilson")
    assert limits(clustered(outcomes)) == pytest.approx(expected, abs=1e-9)


@given(groups(thirds))
def test_the_clustered_interval_holds_the_mean(outcomes: list[list[float]]) -> None:
    interval = clustered(outcomes)
    assert 0 <= interval.low <= interval.high <= 1
    n = sum(map(len, outcomes))
    if n:
        assert interval.low - 1e-15 <= sum(map(sum, outcomes)) / n <= interval.high + 1e-15


@given(groups(smallest=1, fewest=2))
def test_the_clustered_interval_mirrors_with_the_outcomes(outcomes: list[list[float]]) -> None:
    low, high = limits(clustered(outcomes))
    mirrored = clustered([[1 - x for x in group] for group in outcomes])
    assert limits(mirrored) == pytest.approx((1 - high, 1 - low), abs=1e-9)


@given(groups(smallest=1, fewest=2))
def test_the_clustered_interval_is_no_narrower_than_independent_tasks_would_have(
    outcomes: list[list[float]],
) -> None:
    passed, n = int(sum(map(sum, outcomes))), sum(map(len, outcomes))
    plain, wide = wilson(passed, n), clustered(outcomes)
    assume(wide.method == "clustered Wilson")
    assert wide.low <= plain.low + 1e-12
    assert plain.high <= wide.high + 1e-12


def test_tasks_that_go_together_count_for_less() -> None:
    together = [[1, 1, 1, 1], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 0]]
    mixed = [[1, 0, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0], [1, 0, 1, 0]]
    wide, narrow = clustered(together), clustered(mixed)
    assert wide.high - wide.low > 1.4 * (narrow.high - narrow.low)


@pytest.mark.parametrize(
    ("outcomes", "k", "n"),
    [
        ([[1, 1], [1], [1, 1, 1]], 6, 6),
        ([[0, 0], [0]], 0, 3),
        ([[1, 0, 1, 1]], 3, 4),
        ([[], [1, 0, 1, 1], []], 3, 4),
        ([[0.5, 1.0]], 1.5, 2),
    ],
)
def test_where_clusters_cant_be_estimated_the_exact_interval_says_so(
    outcomes: list[list[float]], k: float, n: int
) -> None:
    interval = clustered(outcomes)
    assert limits(interval) == limits(exact(k, n))
    assert (interval.method, interval.note) == ("Clopper-Pearson", "clusters ignored")


def test_no_outcomes_at_all_leave_everything_possible() -> None:
    nothings: list[list[list[float]]] = [[], [[]], [[], []]]
    for outcomes in nothings:
        assert limits(clustered(outcomes)) == (0, 1)
        assert clustered_se(outcomes) is None
    assert clustered_se([[1, 0]]) is None


def test_two_published_rates_have_the_reference_difference() -> None:
    assert limits(newcombe(304, 382, 276, 382)) == pytest.approx((0.01263210896, 0.1333125145), abs=1e-9)


@given(counts, counts, levels)
def test_newcombes_limits_are_made_of_wilsons(
    first: tuple[int, int], second: tuple[int, int], level: float
) -> None:
    a, b = wilson(*first, level), wilson(*second, level)
    p1, p2 = first[0] / first[1], second[0] / second[1]
    low = p1 - p2 - sqrt((p1 - a.low) ** 2 + (b.high - p2) ** 2)
    high = p1 - p2 + sqrt((a.high - p1) ** 2 + (p2 - b.low) ** 2)
    interval = newcombe(*first, *second, level)
    assert limits(interval) == pytest.approx((low, high), abs=1e-9)
    assert -1 <= interval.low <= p1 - p2 <= interval.high <= 1
    swapped = newcombe(*second, *first, level)
    assert limits(swapped) == pytest.approx((-high, -low), abs=1e-9)


def test_a_difference_without_trials_on_one_side_is_unknown() -> None:
    for interval in (newcombe(0, 0, 3, 4), newcombe(3, 4, 0, 0)):
        assert limits(interval) == (-1, 1)
        assert interval.note
