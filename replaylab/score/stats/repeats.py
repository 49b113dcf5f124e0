"""Several trials of one task: unbiased estimates of passing all or any of k. Pure, exact."""

from __future__ import annotations

from fractions import Fraction
from math import comb


def pass_all(n: int, c: int, k: int) -> Fraction:
    """pass^k: the share of the ways to take k of the n trials in which all k are among the c that passed."""
    _check(n, c, k)
    return Fraction(comb(c, k), comb(n, k))


def pass_any(n: int, c: int, k: int) -> Fraction:
    """pass@k: the share of the ways to take k of the n trials in which one or more passed."""
    _check(n, c, k)
    return 1 - Fraction(comb(n - c, k), comb(n, k))


def _check(n: int, c: int, k: int) -> None:
    if not (0 <= c <= n and 1 <= k <= n):
        message = (
            f"{c} of {n} passed, {k} taken: there can't be more passed or taken than trials, nor none taken"
        )
        raise ValueError(message)
