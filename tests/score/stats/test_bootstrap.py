from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import bootstrap

from replaylab.score.stats.bootstrap import Floats, percentile, rank_distribution, resample, resums
from replaylab.score.stats.draws import weights

# RC06: passes and tasks of four scenarios.
FOUR = np.array([[3, 4], [1, 3], [2, 2], [2, 5]], dtype=float)


def every_resample(clusters: int) -> Floats:
    """All C^C ways to draw C scenarios, as how often each is drawn."""
    return np.array(
        [np.bincount(way, minlength=clusters) for way in product(range(clusters), repeat=clusters)]
    )


def ratio(sums: Floats) -> Floats:
    rates: Floats = sums[:, 0] / sums[:, 1]
    return rates


def test_all_resamples_of_the_reference_have_its_distribution() -> None:
    rates = ratio(resums(FOUR, every_resample(4).astype(float)))
    assert len(rates) == 256
    assert rates.mean() == pytest.approx(0.5816788535, abs=1e-9)
    assert rates.std() == pytest.approx(0.1194352634, abs=1e-9)
    assert percentile(rates) == pytest.approx((0.375, 0.8333333333), abs=1e-9)
    assert len(np.unique(rates.round(12))) == 25


def test_drawn_resamples_come_close_and_agree_with_scipy() -> None:
    rates = resample(FOUR, ratio, 50_000, seed=7)
    assert rates.mean() == pytest.approx(0.58168, abs=0.002)
    assert percentile(rates) == pytest.approx((0.375, 0.8333333333), abs=1e-9)
    theirs = bootstrap(
        tuple(FOUR.T),
        lambda k, n, axis: k.sum(axis) / n.sum(axis),
        paired=True,
        vectorized=True,
        n_resamples=20_000,
        method="percentile",
        rng=np.random.default_rng(1),
    )
    assert rates.std() == pytest.approx(theirs.standard_error, rel=0.02)


def test_everything_in_one_array_stands_on_the_same_resample() -> None:
    twice = np.stack([FOUR, FOUR, FOUR[::-1]], axis=1)
    sums = resample(twice, lambda drawn: drawn, 500, seed=3)
    assert (sums[:, 0] == sums[:, 1]).all()
    assert (sums[:, 0] != sums[:, 2]).any()
    alone = resample(FOUR, lambda drawn: drawn, 500, seed=3)
    assert (sums[:, 0] == alone).all()


def test_the_same_seed_gives_the_same_bytes_and_another_does_not() -> None:
    first, second = (resample(FOUR / 3, ratio, 200, seed=1).tobytes() for _ in range(2))
    assert first == second
    assert first != resample(FOUR / 3, ratio, 200, seed=2).tobytes()


@given(
    st.lists(
        st.lists(st.integers(0, 12).map(lambda n: n / 3), min_size=2, max_size=2), min_size=1, max_size=30
    )
)
def test_sums_of_thirds_are_those_of_whole_numbers(totals: list[list[float]]) -> None:
    drawn = weights(len(totals), 50, 1)
    whole = np.rint(np.array(totals) * 3)
    exact = np.array(
        [[sum(w * x for w, x in zip(row, column, strict=True)) for column in whole.T] for row in drawn]
    )
    assert (resums(np.array(totals), drawn) == (exact / 3).round(9)).all()


@given(st.lists(st.floats(-5, 5), min_size=1, max_size=200), st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99]))
def test_limits_are_values_that_were_drawn(values: list[float], level: float) -> None:
    low, high = percentile(values, level)
    assert low in values
    assert high in values
    assert low <= high
    wide_low, wide_high = percentile(values, (1 + level) / 2)
    assert wide_low <= low
    assert high <= wide_high
    tail = (1 - level) / 2
    assume(
        min(abs(share * len(values) % 1 - 0.5) for share in (tail, 1 - tail)) < 0.499
    )  # no last bit decides
    assert (low, high) == tuple(np.quantile(values, (tail, 1 - tail), method="inverted_cdf"))


def test_places_are_exact_where_floats_would_be_off_by_one() -> None:
    assert percentile(range(1, 41), 0.95) == (1, 39)
    assert percentile(range(1, 10_001), 0.95) == (250, 9750)
    assert percentile(range(1, 10_000), 0.95) == (250, 9750)
    assert percentile([3.0]) == (3, 3)


def test_no_value_has_no_limits() -> None:
    with pytest.raises(ValueError, match="no resample"):
        percentile([])


def test_ranks_are_shared_out_over_all_resamples() -> None:
    k = np.array([[3, 3, 0], [2, 1, 0], [2, 2, 1], [4, 3, 0]])
    shares = rank_distribution(k, [4, 3, 2, 5], 4000, seed=1)
    drawn = every_resample(4) @ k
    for player in range(3):
        ranks = (drawn > drawn[:, [player]]).sum(axis=1)
        exact = [(ranks == rank).mean() for rank in range(3)]
        assert shares[player] == pytest.approx(exact, abs=0.03)
    assert shares.sum(axis=1) == pytest.approx([1, 1, 1])


def test_a_player_that_is_better_everywhere_is_always_first() -> None:
    shares = rank_distribution([[2, 1], [3, 0], [1, 0]], [3, 3, 3], 500, seed=1)
    assert shares.tolist() == [[1, 0], [0, 1]]


def test_tied_players_share_the_best_rank_in_every_resample() -> None:
    thirds = [[1 / 3 + 1 / 3 + 2 / 3, 4 / 3], [2 / 3, 1 / 3 + 1 / 3], [0.1 + 0.2, 0.3]]
    assert rank_distribution(thirds, [3, 2, 1], 500, seed=1).tolist() == [[1, 0], [1, 0]]


def test_each_player_may_have_its_own_denominator() -> None:
    k, n = [[2, 2], [1, 1]], [[4, 2], [3, 1]]
    assert rank_distribution(k, n, 300, seed=1).tolist() == [[0, 1], [1, 0]]
    # Means of three trials, on one task and on two: both rates are a third.
    assert rank_distribution([[1 / 3, 2 / 3]], [[1, 2]], 10, seed=1).tolist() == [[1, 0], [1, 0]]
    assert rank_distribution([[0, 1]], [[0, 2]], 10, seed=1).tolist() == [[0, 1], [1, 0]]


def test_nothing_to_rank_is_an_empty_table() -> None:
    assert rank_distribution([], [], 10, seed=1).shape == (0, 0)
    assert rank_distribution([[3], [1]], [4, 4], 10, seed=1).tolist() == [[1]]
