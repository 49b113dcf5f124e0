from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom, norm
from statsmodels.stats.power import NormalIndPower
from statsmodels.stats.proportion import proportion_effectsize

from replaylab.score.stats.paired import mcnemar
from replaylab.score.stats.power import least_difference, mcnemar_power, unpaired_power


@pytest.mark.parametrize(
    ("discordance", "effect", "expected"),
    [  # RC12, at 382 tasks
        (0.15, 1.0, 0.0555159512),
        (0.15, 1.390052356, 0.06545357383),
        (0.15, 1.780104712, 0.07406969567),
        (0.25, 1.0, 0.07167078482),
        (0.25, 1.390052356, 0.08450020047),
        (0.25, 1.780104712, 0.09562356593),
        (0.35, 1.0, 0.08480201622),
        (0.35, 1.390052356, 0.09998198553),
        (0.35, 1.780104712, 0.113143329),
    ],
)
def test_the_published_tasks_can_tell_the_reference_differences(
    discordance: float, effect: float, expected: float
) -> None:
    assert least_difference(382, discordance, effect) == pytest.approx(expected, abs=1e-9)


def test_the_reference_powers() -> None:
    assert mcnemar_power(382, 0.16, 0.09) == pytest.approx(0.7582156538, abs=1e-9)
    assert unpaired_power(0.7, 0.65, 382) == pytest.approx(0.3146211256, abs=1e-9)


@settings(max_examples=25)
@given(st.integers(0, 20), st.floats(0, 0.5), st.floats(0, 0.5), st.sampled_from([0.01, 0.05, 0.1]))
def test_mcnemars_power_is_a_sum_over_every_outcome(
    n: int, only_a: float, only_b: float, alpha: float
) -> None:
    apart = only_a + only_b
    expected = sum(
        binom.pmf(b + c, n, apart) * binom.pmf(b, b + c, only_a / apart)
        for b in range(n + 1)
        for c in range(n + 1 - b)
        if apart and mcnemar(b, c).exact <= alpha
    )
    assert mcnemar_power(n, only_a, only_b, alpha) == pytest.approx(expected, abs=1e-9)
    assert mcnemar_power(n, only_b, only_a, alpha) == pytest.approx(expected, abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1), st.integers(1, 2000))
def test_the_unpaired_power_is_that_of_statsmodels(p1: float, p2: float, n: int) -> None:
    size = proportion_effectsize(p1, p2)
    expected = NormalIndPower().power(size, n, 0.05) if size else 0.05
    assert unpaired_power(p1, p2, n) == pytest.approx(expected, abs=1e-9)


def test_the_least_difference_has_the_power_it_is_asked_for() -> None:
    for power in (0.5, 0.8, 0.9):
        d = least_difference(400, 0.3, 1.5, power=power, alpha=0.01)
        shift = d / sqrt(0.3 * 1.5 / 400)
        assert norm.sf(norm.ppf(0.995) - shift) == pytest.approx(power, abs=1e-9)


@given(st.integers(1, 5000), st.floats(0.01, 1), st.floats(1, 4))
def test_more_tasks_tell_more_and_clusters_cost(n: int, discordance: float, effect: float) -> None:
    here = least_difference(n, discordance, effect)
    assert 0 < least_difference(n + 1, discordance, effect) <= here <= 1
    assert least_difference(n, discordance, effect + 0.5) >= here


def test_without_tasks_nothing_can_be_told() -> None:
    assert least_difference(0) == 1
    assert least_difference(1) == 1
    assert mcnemar_power(0, 0.2, 0.1) == mcnemar_power(10, 0, 0) == unpaired_power(0.2, 0.9, 0) == 0
    assert unpaired_power(0, 1, 50) == pytest.approx(1)
