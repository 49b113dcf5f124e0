from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.score.stats.repeats import pass_all, pass_any


@pytest.mark.parametrize(
    ("n", "c", "k", "every", "some"),
    [  # RC13
        (5, 3, 2, Fraction(3, 10), Fraction(9, 10)),
        (8, 6, 3, Fraction(5, 14), Fraction(1)),
        (4, 4, 4, Fraction(1), Fraction(1)),
        (4, 0, 2, Fraction(0), Fraction(0)),
        (3, 2, 3, Fraction(0), Fraction(1)),
    ],
)
def test_repeats_pass_as_the_reference_says(n: int, c: int, k: int, every: Fraction, some: Fraction) -> None:
    assert (pass_all(n, c, k), pass_any(n, c, k)) == (every, some)


@given(st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_both_are_shares_of_all_ways_to_take_k(counts: tuple[int, int, int]) -> None:
    n, c, k = counts
    ways = list(combinations([True] * c + [False] * (n - c), k))
    assert pass_all(n, c, k) == Fraction(sum(map(all, ways)), len(ways))
    assert pass_any(n, c, k) == Fraction(sum(map(any, ways)), len(ways))
    assert pass_all(n, c, 1) == pass_any(n, c, 1) == Fraction(c, n)


@pytest.mark.parametrize(("n", "c", "k"), [(3, 2, 4), (3, 4, 2), (3, 2, 0), (0, 0, 0), (3, -1, 1)])
def test_counts_that_cant_be_are_refused(n: int, c: int, k: int) -> None:
    for estimate in (pass_all, pass_any):
        with pytest.raises(ValueError, match="passed"):
            estimate(n, c, k)
