from __future__ import annotations

from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, fisher_exact

from replaylab.score.stats.margins import discordant, fisher, mcnemar_bounds, sign_test


@given(st.integers(0, 40), st.integers(0, 40))
def test_the_sign_test_is_the_binomial_test(a: int, b: int) -> None:
    if a + b:
        expected = binomtest(a, a + b, 0.5).pvalue
        assert float(sign_test(min(a, b), a + b)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", range(1, 7))
def test_bounds_are_those_of_every_pairing_there_is(n: int) -> None:
    # Every pair of sets of tasks, one that the first passed and one that the second passed.
    seen: dict[tuple[int, int], list[Fraction]] = {}
    for one, other in product(range(2**n), repeat=2):
        only_a, only_b = (one & ~other).bit_count(), (other & ~one).bit_count()
        p = sign_test(min(only_a, only_b), only_a + only_b)
        seen.setdefault((one.bit_count(), other.bit_count()), []).append(p)
    for (k, m), ps in seen.items():
        assert mcnemar_bounds(k, m, n) == (float(min(ps)), float(max(ps)))


def test_mcnemar_and_sign_flips_of_single_tasks_are_one_test() -> None:
    # All signs of the differences, as a sign-flip test draws them.
    differences = [1, 1, 1, -1, 0, 0]
    observed = abs(sum(differences))
    flips = list(product((1, -1), repeat=len(differences)))
    hits = sum(
        abs(sum(s * d for s, d in zip(signs, differences, strict=True))) >= observed for signs in flips
    )
    assert Fraction(hits, len(flips)) == sign_test(1, 4)


def test_pairings_are_all_that_fit() -> None:
    for n in range(1, 6):
        for k, m in product(range(n + 1), repeat=2):
            expected = {
                (len(set(a) - set(b)), len(set(b) - set(a)))
                for a in combinations(range(n), k)
                for b in combinations(range(n), m)
            }
            assert set(discordant(k, m, n)) == expected


@given(st.integers(1, 25), st.integers(1, 25), st.data())
def test_fisher_is_scipys(n: int, other: int, data: st.DataObject) -> None:
    k, m = data.draw(st.integers(0, n)), data.draw(st.integers(0, other))
    expected = fisher_exact([[k, n - k], [m, other - m]]).pvalue
    assert float(fisher(k, n, m, other)) == pytest.approx(expected, rel=1e-7)
