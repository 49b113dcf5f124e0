import json
from fractions import Fraction
from math import comb, sqrt
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test, t
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

from replaylab.score.stats import paired as module
from replaylab.score.stats.interval import clustered_se, exact
from replaylab.score.stats.margins import mcnemar_bounds
from replaylab.score.stats.paired import mcnemar, paired, sign_flip
from tests.score.stats.shapes import OTHER, TOY, groups, pairs, thirds

IRRATIONAL = [0.1 * sqrt(n) for n in range(2, 19)]


def by_enumeration(differences: list[Fraction]) -> Fraction:
    """The p of the sign flips, all 2^C of them looked at, in exact arithmetic."""
    observed = abs(sum(differences, Fraction(0)))
    totals = [Fraction(0)]
    for difference in differences:
        totals = [total + sign * difference for total in totals for sign in (1, -1)]
    return Fraction(sum(abs(total) >= observed for total in totals), len(totals))


def test_discordant_tasks_have_the_reference_p_values() -> None:
    found = mcnemar(12, 5)  # RC03
    assert found == pytest.approx((0.1434631348, 0.09625244141, 2.117647059, 0.1456100954), abs=1e-9)


@given(st.integers(0, 60), st.integers(0, 60))
def test_mcnemar_is_that_of_statsmodels_and_of_counting(b: int, c: int) -> None:
    found = mcnemar(b, c)
    n = b + c
    share = [Fraction(comb(n, i), 2**n) for i in range(n + 1)]
    as_far = [s for i, s in enumerate(share) if abs(2 * i - n) == abs(b - c)]
    farther = [s for i, s in enumerate(share) if abs(2 * i - n) > abs(b - c)]
    assert found.exact == pytest.approx(float(sum(as_far) + sum(farther)), abs=1e-14)
    assert found.mid == pytest.approx(float(sum(as_far) / 2 + sum(farther)) if n else 1, abs=1e-14)
    table = [[0, b], [c, 0]]
    if n:
        assert found.exact == pytest.approx(statsmodels_mcnemar(table, exact=True).pvalue, abs=1e-9)
    if b != c:  # statsmodels' continuity correction turns 0 into 1
        corrected = statsmodels_mcnemar(table, exact=False, correction=True)
        assert (found.chi2, found.chi2_p) == pytest.approx((corrected.statistic, corrected.pvalue), abs=1e-9)
    assert mcnemar(c, b) == found


def test_without_discordant_tasks_nothing_speaks_against_chance() -> None:
    assert mcnemar(0, 0) == (1.0, 1.0, 0.0, 1.0)
    assert mcnemar(3, 3) == (1.0, 1 - 20 / 64 / 2, 0.0, 1.0)


@pytest.mark.parametrize(
    ("k1", "k2", "n", "low", "high"),
    [  # RC04
        (29, 24, 36, 0.0625, 0.3592834473),
        (304, 276, 382, 7.450580597e-09, 0.04624472804),
        (276, 273, 382, 0.25, 0.8915472602),
        (41, 29, 53, 0.00048828125, 0.06524533522),
        (267, 266, 382, 1.0, 1.0),
        (15, 13, 16, 0.5, 0.625),
    ],
)
def test_published_counts_bound_p(k1: int, k2: int, n: int, low: float, high: float) -> None:
    assert mcnemar_bounds(k1, k2, n) == pytest.approx((low, high), rel=1e-9)
    assert mcnemar_bounds(k2, k1, n) == mcnemar_bounds(k1, k2, n)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_the_true_pairing_lies_within_the_bounds(tasks: list[tuple[int, int]]) -> None:
    k1, k2 = sum(a for a, _ in tasks), sum(b for _, b in tasks)
    low, high = mcnemar_bounds(k1, k2, len(tasks))
    p = mcnemar(sum(a > b for a, b in tasks), sum(a < b for a, b in tasks)).exact
    assert low <= p <= high


@given(st.lists(st.integers(-5, 5), max_size=9))
def test_flipping_counts_every_sign_vector(differences: list[int]) -> None:
    found = sign_flip(differences, seed=1)
    assert found.p == pytest.approx(float(by_enumeration([Fraction(d) for d in differences])), abs=1e-12)
    assert found.exact
    assert found.flips == sum(d != 0 for d in differences)


@given(st.lists(st.sampled_from([Fraction(n, 6) for n in range(-9, 10)]), max_size=8))
def test_means_of_repeats_tie_as_their_fractions_do(differences: list[Fraction]) -> None:
    found = sign_flip([float(d) + 1e-16 for d in differences], seed=1)
    assert found.p == pytest.approx(float(by_enumeration(differences)), abs=1e-12)
    assert found.flips == sum(d != 0 for d in differences)


@settings(max_examples=40)
@given(st.lists(st.integers(-6, 6).filter(bool), min_size=2, max_size=8))
def test_flipping_is_scipys_permutation_test(differences: list[int]) -> None:
    theirs = permutation_test(
        (np.array(differences, dtype=float),),
        np.sum,
        permutation_type="samples",
        n_resamples=np.inf,
        alternative="two-sided",
        vectorized=False,
    )
    # scipy doubles the smaller tail; for a sum whose distribution is symmetric that is the same until it passes 1.
    assert sign_flip(differences, seed=1).p == pytest.approx(min(theirs.pvalue, 1), abs=1e-9)


@given(st.lists(st.integers(-9, 9), max_size=120))
def test_flipping_has_no_side_and_no_unit(differences: list[int]) -> None:
    found = sign_flip(differences, seed=1)
    assert 0 < found.p <= 1
    assert sign_flip([-d for d in differences], seed=2) == found
    assert sign_flip([d / 4 for d in differences], seed=2).p == pytest.approx(found.p, abs=1e-12)
    assert found.p >= 2.0 ** (1 - found.flips) - 1e-15 or found.flips == 0


def test_98_scenarios_that_all_differ_one_way_have_the_smallest_p_there_is() -> None:
    assert sign_flip([1] * 98, seed=1).p == pytest.approx(2.0**-97, rel=1e-12)


def test_differences_off_any_grid_are_enumerated_while_they_are_few() -> None:
    few = IRRATIONAL[:9]
    few[3] *= -1
    found = sign_flip(few, seed=1)
    assert found.exact
    assert found.p == pytest.approx(float(by_enumeration([Fraction(d) for d in few])), abs=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_as_extreme_but_for_rounding_is_as_extreme(seed: int) -> None:
    random = Random(seed)
    differences = [random.gauss(0, 1) for _ in range(7)]
    exactly = float(by_enumeration([Fraction(d) for d in differences]))
    assert sign_flip(differences, seed=1).p == pytest.approx(exactly, abs=1e-12)


def test_a_drawn_p_is_never_0() -> None:
    many = [0.1 * sqrt(n) for n in range(2, 60)]
    assert sign_flip(many, seed=1, draws=999) == (1 / 1000, False, 58)


def test_differences_off_any_grid_are_drawn_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [d if n % 3 else -d for n, d in enumerate(IRRATIONAL)]
    drawn = sign_flip(many, seed=1, draws=10_000)
    assert not drawn.exact
    assert drawn == sign_flip(many, seed=1, draws=10_000)
    assert drawn.p != sign_flip(many, seed=2, draws=10_000).p
    monkeypatch.setattr(module, "_FEW_FLIPS", 17)
    everything = sign_flip(many, seed=1)
    assert everything.exact
    assert drawn.p == pytest.approx(everything.p, abs=0.02)


def test_drawing_agrees_with_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    differences = [2, -1, 1, 1, 3, -1, 2, 1, -2, 1, 1, 1, 1, -1, 1, 2, 1]
    counted = sign_flip(differences, seed=1)
    monkeypatch.setattr(module, "_MOST_STEPS", 0)
    monkeypatch.setattr(module, "_FEW_FLIPS", 0)
    drawn = sign_flip(differences, seed=1)
    assert not drawn.exact
    assert drawn.p == pytest.approx(counted.p, abs=0.004)


def test_two_players_have_the_reference_comparison() -> None:
    found = paired(TOY, OTHER, seed=1)  # RC05
    assert found.difference == pytest.approx(0.2)
    assert found.p == 0.125
    assert found.exact
    assert found.se == pytest.approx(0.07745966692, abs=1e-9)
    assert (found.t, found.t_p) == pytest.approx((2.581988897, 0.04931308767), abs=1e-9)
    assert (found.only_a, found.only_b) == (5, 1)
    assert found.mcnemar.exact == pytest.approx(0.21875)
    # Four scenarios differ: no outcome of the flips could have been below 2^-3.
    assert (found.smallest_p, found.testable) == (0.125, False)


@given(pairs())
def test_swapping_the_players_turns_everything_round(
    both: tuple[list[list[float]], list[list[float]]],
) -> None:
    a, b = both
    one, two = paired(a, b, seed=1), paired(b, a, seed=1)
    assert two.difference == pytest.approx(-one.difference)
    assert (two.only_a, two.only_b, two.p, two.testable) == (one.only_b, one.only_a, one.p, one.testable)
    assert two.interval.low == pytest.approx(-one.interval.high, abs=1e-9)
    assert two.se == one.se
    assert -1 <= one.interval.low <= one.difference <= one.interval.high <= 1


@given(pairs(thirds))
def test_the_error_is_the_clustered_one_of_the_differences(
    both: tuple[list[list[float]], list[list[float]]],
) -> None:
    a, b = both
    found = paired(a, b, seed=1)
    differences = [[x - y for x, y in zip(g, h, strict=True)] for g, h in zip(a, b, strict=True)]
    se = clustered_se(differences)
    assert found.se == (None if se is None else pytest.approx(se, abs=1e-9))
    filled = [g for g in differences if g]
    if se and se > 1e-8:
        reach = t.ppf(0.975, len(filled) - 1) * se
        assert found.interval.low == pytest.approx(max(found.difference - reach, -1), abs=1e-9)
        assert found.interval.high == pytest.approx(min(found.difference + reach, 1), abs=1e-9)
        assert found.t_p == pytest.approx(2 * t.sf(abs(found.difference / se), len(filled) - 1), abs=1e-8)
    else:
        assert found.t is found.t_p is None


@given(groups())
def test_a_player_beside_itself_is_not_told_apart(outcomes: list[list[float]]) -> None:
    found = paired(outcomes, outcomes, seed=1)
    assert (found.difference, found.p, found.testable) == (0, 1, False)
    assert (found.smallest_p, found.only_a, found.only_b) == (1, 0, 0)
    n = sum(map(len, outcomes))
    unseen = exact(0, n).high
    assert (found.interval.low, found.interval.high) == (-unseen, unseen)
    assert found.interval.note


def test_scenarios_that_differ_alike_still_leave_room() -> None:
    found = paired([[1, 1], [1, 1]], [[0, 0], [0, 0]], seed=1)
    assert (found.difference, found.se, found.t) == (1, 0, None)
    assert found.interval.low == pytest.approx(exact(4, 4).low)
    assert found.interval.high == 1


def test_one_scenario_has_no_spread_and_is_not_testable() -> None:
    found = paired([[1, 1, 0]], [[0, 1, 0]], seed=1)
    assert (found.se, found.t, found.p, found.testable) == (None, None, 1, False)
    assert found.interval.low < 0 < found.interval.high


def test_six_scenarios_that_differ_are_the_fewest_that_can_be_tested() -> None:
    for count, testable in ((5, False), (6, True)):
        found = paired([[1]] * count + [[0]], [[0]] * count + [[0]], seed=1)
        assert (found.testable, found.p) == (testable, 2.0 ** (1 - count))
        assert found.smallest_p == found.p


def test_numpys_numbers_are_as_good_as_pythons() -> None:
    # 2 ** np.int64(98) is 0: whole numbers that come out of an array must not stay numpy's.
    assert mcnemar(np.int64(70), np.int64(28)) == mcnemar(70, 28)  # type: ignore[arg-type]
    counts = np.array([304, 276, 382])
    assert mcnemar_bounds(*counts) == mcnemar_bounds(304, 276, 382)
    arrays = [np.array(group) for group in TOY], [np.array(group) for group in OTHER]
    found, expected = paired(*arrays, seed=1), paired(TOY, OTHER, seed=1)  # type: ignore[arg-type]
    assert found == expected
    assert json.dumps(found.interval.to_json()) == json.dumps(expected.interval.to_json())
    assert type(found.only_a) is int


def test_different_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="same tasks"):
        paired([[1, 0]], [[1]], seed=1)
    with pytest.raises(ValueError, match="same tasks"):
        paired([[1], [1]], [[1]], seed=1)
