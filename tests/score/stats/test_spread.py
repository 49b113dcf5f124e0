from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import f_oneway

from replaylab.score.stats.spread import anova, design_effect, empirical_design_effect, icc, kish
from tests.score.stats.shapes import SIZES, TOY, groups, thirds


def test_the_reference_scenarios_have_its_icc() -> None:
    found = anova(TOY)  # RC10
    assert found is not None
    expected = (0.2266666667, 0.244047619, 3.2, 0.9287804878, -0.02276270658)
    assert found == pytest.approx(expected, abs=1e-9)
    assert icc(TOY) == found.icc
    assert kish([len(group) for group in TOY]) == 4
    assert empirical_design_effect(TOY) == pytest.approx(1.002197802, abs=1e-9)


def test_the_published_scenarios_cost_what_the_reference_says() -> None:
    assert kish(SIZES) == pytest.approx(4.90052356, abs=1e-8)
    found = anova([[float(n % 2) for n in range(size)] for size in SIZES])
    assert found is not None
    assert found.size == pytest.approx(3.887623468, abs=1e-9)
    for correlation, effect, left in ((0.1, 1.390052356, 274.8097928), (0.2, 1.780104712, 214.5941176)):
        assert design_effect(correlation, kish(SIZES)) == pytest.approx(effect, abs=1e-9)
        assert 382 / design_effect(correlation, kish(SIZES)) == pytest.approx(left, abs=1e-6)


@settings(max_examples=50)
@given(groups(thirds, smallest=1, fewest=2))
def test_mean_squares_are_those_of_exact_arithmetic_and_f_is_scipys(outcomes: list[list[float]]) -> None:
    found = anova(outcomes)
    flat = [Fraction(x).limit_denominator(3) for group in outcomes for x in group]
    if len(flat) == len(outcomes):
        assert found is None
        return
    assert found is not None
    exact = [[Fraction(x).limit_denominator(3) for x in group] for group in outcomes]
    mean = sum(flat) / len(flat)
    between = sum(len(g) * (sum(g) / len(g) - mean) ** 2 for g in exact) / (len(exact) - 1)
    within = sum((x - sum(g) / len(g)) ** 2 for g in exact for x in g) / (len(flat) - len(exact))
    assert (found.between, found.within) == pytest.approx((float(between), float(within)), abs=1e-12)
    if not within:
        assert found.f is None
        assert found.icc == (1 if between else None)
        return
    assert found.f == pytest.approx(f_oneway(*map(np.array, outcomes)).statistic, abs=1e-9)
    assert found.icc is not None
    assert found.icc <= 1


def test_scenarios_that_pass_or_fail_as_one_have_icc_1() -> None:
    together = [[1, 1, 1], [0, 0, 0], [1, 1, 1], [0, 0, 0]]
    assert icc(together) == 1
    effect = empirical_design_effect(together)
    assert effect == pytest.approx(3 * 4 / 3)  # three tasks are worth one, and C/(C-1)


@pytest.mark.parametrize(
    "outcomes", [[], [[]], [[1, 0]], [[1], [0], [1]], [[1, 1], [1, 1, 1]], [[0.5, 0.5], [0.5]]]
)
def test_what_cant_be_estimated_is_none(outcomes: list[list[float]]) -> None:
    assert icc(outcomes) is None


@pytest.mark.parametrize("outcomes", [[], [[]], [[1, 0]], [[1, 1], [1]], [[0], [0]]])
def test_without_spread_there_is_no_empirical_effect(outcomes: list[list[float]]) -> None:
    assert empirical_design_effect(outcomes) is None


def test_planning_never_counts_on_clusters_to_help() -> None:
    assert design_effect(-0.1, 4.9) == 1
    assert design_effect(0.3, 1) == 1
    assert kish([]) == 0


@given(groups(smallest=1, fewest=1))
def test_the_kish_size_lies_between_the_mean_and_the_largest(outcomes: list[list[float]]) -> None:
    sizes = [len(group) for group in outcomes]
    assert sum(sizes) / len(sizes) - 1e-12 <= kish(sizes) <= max(sizes)
