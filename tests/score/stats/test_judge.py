from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import betabinom
from statsmodels.stats.inter_rater import aggregate_raters, fleiss_kappa

from replaylab.score.stats.judge import (
    fleiss,
    flip,
    flip_correlated,
    krippendorff,
    redraw,
    rogan_gladen,
    split,
    vote_error,
)

# RC11: ten trials with three votes each.
VOTES = [
    [1, 1, 1],
    [1, 1, 0],
    [0, 0, 0],
    [1, 0, 0],
    [1, 1, 1],
    [0, 0, 1],
    [1, 1, 1],
    [0, 0, 0],
    [1, 1, 1],
    [0, 1, 1],
]
errors = st.floats(0, 0.5)
tables = st.integers(2, 4).flatmap(
    lambda m: st.lists(st.lists(st.sampled_from("pfe"), min_size=m, max_size=m), min_size=1, max_size=12)
)


@pytest.mark.parametrize(
    ("error", "expected"), [(0.02, 0.001184), (0.05, 0.00725), (0.1, 0.028), (0.2, 0.104)]
)
def test_a_majority_flips_as_often_as_the_reference_says(error: float, expected: float) -> None:
    assert flip(error, 3) == pytest.approx(expected, abs=1e-9)
    assert flip_correlated(error, 0, 3) == pytest.approx(expected, abs=1e-9)


def test_votes_that_err_together_flip_more_and_split_less() -> None:
    assert flip_correlated(0.1, 0.3, 3) == pytest.approx(0.07286153846, abs=1e-9)  # RC11
    assert split(0.1, 3, 0.3) == pytest.approx(0.189, abs=1e-9)
    assert split(0.1, 3) == pytest.approx(0.27, abs=1e-9)


@given(errors, st.integers(1, 7))
def test_a_flip_is_counted_over_all_patterns_of_votes(error: float, votes: int) -> None:
    chances = {
        pattern: prod(error if wrong else 1 - error for wrong in pattern)
        for pattern in product((0, 1), repeat=votes)
    }
    wrong = sum(chance for pattern, chance in chances.items() if 2 * sum(pattern) > votes)
    apart = sum(chance for pattern, chance in chances.items() if 0 < sum(pattern) < votes)
    assert flip(error, votes) == pytest.approx(wrong, abs=1e-9)
    assert split(error, votes) == pytest.approx(apart, abs=1e-9)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(1, 9))
def test_correlated_votes_are_beta_binomial(error: float, rho: float, votes: int) -> None:
    a, b = error * (1 - rho) / rho, (1 - error) * (1 - rho) / rho
    law = betabinom(votes, a, b)
    assert flip_correlated(error, rho, votes) == pytest.approx(law.sf(votes // 2), abs=1e-9)
    assert split(error, votes, rho) == pytest.approx(1 - law.pmf(0) - law.pmf(votes), abs=1e-9)


def test_votes_that_always_agree_are_one_vote() -> None:
    assert flip_correlated(0.1, 1, 3) == 0.1
    assert split(0.1, 3, 1) == 0
    for error in (0.0, 1.0):
        assert flip_correlated(error, 0.4, 3) == error
        assert split(error, 3, 0.4) == 0


@given(errors, st.integers(2, 7))
def test_a_split_rate_gives_its_vote_error_back(error: float, votes: int) -> None:
    # A rate has twelve digits, and near a half it hardly changes with the error.
    tolerance = 1e-9 if error < 0.45 else 1e-4
    assert vote_error(split(error, votes), votes) == pytest.approx(error, abs=tolerance)


def test_more_splits_than_chance_are_an_error_of_a_half() -> None:
    assert vote_error(0.75, 3) == vote_error(0.9, 3) == vote_error(1, 3) == 0.5
    assert vote_error(0, 3) == vote_error(0.3, 1) == 0
    assert vote_error(0.27) == pytest.approx(0.1, abs=1e-9)


def test_the_reference_votes_agree_as_it_says() -> None:
    assert fleiss(VOTES) == pytest.approx(0.4444444444, abs=1e-9)
    assert krippendorff(VOTES) == pytest.approx(0.462962963, abs=1e-9)


@given(tables)
def test_kappa_is_that_of_statsmodels(votes: list[list[str]]) -> None:
    if len({vote for row in votes for vote in row}) < 2:
        assert fleiss(votes) is None
        return
    expected = fleiss_kappa(aggregate_raters(np.array(votes))[0])
    assert fleiss(votes) == pytest.approx(expected, abs=1e-9)


def alpha_by_pairs(votes: list[list[str | None]]) -> float | None:
    """Krippendorff's alpha from all pairs of votes, one by one."""
    rows = [[vote for vote in row if vote is not None] for row in votes]
    rows = [row for row in rows if len(row) > 1]
    everything = [vote for row in rows for vote in row]
    n = len(everything)
    seen = sum(
        sum(a != b for i, a in enumerate(row) for j, b in enumerate(row) if i != j) / (len(row) - 1)
        for row in rows
    )
    expected = sum(a != b for i, a in enumerate(everything) for j, b in enumerate(everything) if i != j)
    return None if not expected else 1 - (seen / n) / (expected / (n * (n - 1)))


@given(st.lists(st.lists(st.sampled_from(["p", "f", None]), max_size=4), max_size=8))
def test_alpha_counts_pairs_of_votes_and_passes_over_missing_ones(votes: list[list[str | None]]) -> None:
    expected = alpha_by_pairs(votes)
    assert krippendorff(votes) == (None if expected is None else pytest.approx(expected, abs=1e-9))


def test_trials_with_a_vote_that_gave_no_answer_are_no_part_of_kappa() -> None:
    assert fleiss([*VOTES, [1, None, 0], [1, 0]]) == fleiss(VOTES)
    assert krippendorff([*VOTES, [1, None, None], [None], []]) == krippendorff(VOTES)
    nothings: list[list[list[int | None]]] = [[], [[]], [[1], [0]], [[None, None]], [[1, 1], [1, 1]]]
    for nothing in nothings:
        assert fleiss(nothing) is None
        assert krippendorff(nothing) is None


def test_judges_that_always_agree_have_1() -> None:
    assert fleiss([[1, 1], [0, 0]]) == krippendorff([[1, 1], [0, 0]]) == 1


def test_an_observed_rate_is_corrected_for_the_judge() -> None:
    assert rogan_gladen(0.7, 0.95, 0.9) == pytest.approx(0.7058823529, abs=1e-9)  # RC11
    assert rogan_gladen(0.4, 1, 1) == 0.4
    assert rogan_gladen(0.02, 0.95, 0.9) == 0
    assert rogan_gladen(0.99, 0.95, 0.9) == 1
    assert rogan_gladen(0.7, 0.5, 0.5) is None


@given(st.floats(0, 1), st.floats(0.6, 1), st.floats(0.6, 1))
def test_correcting_undoes_the_judges_errors(true: float, sensitivity: float, specificity: float) -> None:
    observed = true * sensitivity + (1 - true) * (1 - specificity)
    assert rogan_gladen(observed, sensitivity, specificity) == pytest.approx(true, abs=1e-9)


def test_unanimous_votes_keep_every_order() -> None:
    found = redraw([[1, 1, 1, 0], [1, 1, 0, 0], [1, 1, 0, 0]], votes=3, draws=50, seed=1)
    assert (found.survive, found.pairs) == (1, 2)
    assert found.passed.tolist() == [[3, 2, 2]] * 50


def test_split_votes_fall_anew_as_often_as_their_share_says() -> None:
    found = redraw([[2 / 3] * 200, [1 / 3] * 200, [1] * 200], votes=3, draws=400, seed=1)
    assert found.passed.mean(axis=0) / 200 == pytest.approx([flip(2 / 3, 3), flip(1 / 3, 3), 1], abs=0.01)
    assert found.survive == 1


def test_orders_that_hang_on_split_votes_may_fall() -> None:
    shares = [[2 / 3, 1, 0], [1, 0, 1 / 3]]
    found = redraw(shares, votes=3, draws=40_000, seed=1)
    up, down = flip(2 / 3, 3), 1 - flip(1 / 3, 3)
    assert found.pairs == 1
    assert found.survive == pytest.approx(up * down, abs=0.01)
    again = redraw(shares, votes=3, draws=40_000, seed=1)
    assert (found.passed == again.passed).all()
    assert (found.passed != redraw(shares, votes=3, draws=40_000, seed=2).passed).any()


def test_players_are_drawn_apart() -> None:
    found = redraw([[0.5] * 4, [0.5] * 4], votes=3, draws=2000, seed=1)
    assert (found.passed[:, 0] != found.passed[:, 1]).any()
    assert (found.survive, found.pairs) == (None, 0)


def test_nobody_and_nothing_to_draw() -> None:
    assert redraw([], votes=3, draws=5, seed=1).survive is None
    assert redraw([[], []], votes=3, draws=5, seed=1).passed.tolist() == [[0, 0]] * 5
    assert redraw([[1], [0]], votes=3, draws=0, seed=1).survive is None
