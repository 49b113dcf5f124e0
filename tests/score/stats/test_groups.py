from fractions import Fraction
from math import isclose, sqrt
from random import Random

import pytest
from hypothesis import given

from replaylab.score.stats.groups import filled, settled, sums, variance_of_mean
from tests.score.stats.shapes import SIZES, TOY, groups, thirds


def test_nothing_has_no_sums() -> None:
    assert sums([]) is None
    assert sums([[], []]) is None


def test_a_scenario_without_tasks_is_no_cluster() -> None:
    assert filled([[], [1], []]) == [[1]]
    assert sums([[], *TOY, []]) == sums(TOY)


@given(groups(smallest=1, fewest=2))
def test_sums_are_those_of_exact_arithmetic(outcomes: list[list[float]]) -> None:
    found = sums(outcomes)
    assert found is not None
    flat = [Fraction(x) for group in outcomes for x in group]
    mean = sum(flat) / len(flat)
    spread = sum(sum(Fraction(x) - mean for x in group) ** 2 for group in outcomes)
    assert (found.n, found.clusters) == (len(flat), len(outcomes))
    assert isclose(found.mean, mean)
    assert isclose(found.spread, spread, abs_tol=1e-12)
    assert isclose(found.within, sum((x - mean) ** 2 for x in flat), abs_tol=1e-12)


@given(groups(thirds, smallest=1, fewest=2))
def test_the_order_of_scenarios_and_tasks_is_no_part_of_a_result(outcomes: list[list[float]]) -> None:
    mixed = [Random(1).sample(group, len(group)) for group in outcomes]
    Random(2).shuffle(mixed)
    assert sums(mixed) == sums(outcomes)


def test_one_scenario_has_no_clustered_variance() -> None:
    found = sums([[1, 0, 1]])
    assert found is not None
    assert variance_of_mean(found) is None


def test_the_variance_is_that_of_the_reference_case() -> None:
    found = sums(TOY)
    assert found is not None
    variance = variance_of_mean(found)
    assert variance is not None
    assert sqrt(found.spread) / found.n == pytest.approx(0.09746794345, abs=1e-9)  # RC02, without C/(C-1)
    assert sqrt(variance) == pytest.approx(0.1067707825, abs=1e-9)  # RC02, with it


def test_the_published_scenarios_are_98_with_382_tasks() -> None:
    assert (len(SIZES), sum(SIZES)) == (98, 382)


def test_twelve_digits_are_kept() -> None:
    assert settled(0.1 + 0.2) == 0.3
    assert settled(1.23456789012345e-30) == 1.23456789012e-30
    assert settled(1.0) == 1.0
