"""What two published counts alone say of a comparison: bounds over every way in which the tasks can pair up.

Whole numbers throughout, so no library's last bit can differ, and no package is needed.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import comb


@lru_cache(maxsize=4096)
def sign_test(least: int, n: int) -> Fraction:
    """The exact two-sided p of a sign test: `least` of n discordant tasks on the rarer side."""
    term = ways = 1
    for count in range(least):
        term = term * (n - count) // (count + 1)
        ways += term
    return min(Fraction(2 * ways, 2**n), Fraction(1))


def discordant(k1: int, k2: int, n: int) -> list[tuple[int, int]]:
    """Every number of tasks that only the one, and only the other, can have passed."""
    shared = range(max(k1 + k2 - n, 0), min(k1, k2) + 1)
    return [(k1 - both, k2 - both) for both in shared]


def mcnemar_bounds(k1: int, k2: int, n: int) -> tuple[float, float]:
    """The least and the greatest exact p over every pairing that two published counts of the same n tasks allow.

    The same as of sign flips task by task, whose sum has the same distribution.
    """
    ps = [sign_test(min(a, b), a + b) for a, b in discordant(int(k1), int(k2), int(n))]
    return float(min(ps)), float(max(ps))


def fisher(k1: int, n1: int, k2: int, n2: int) -> Fraction:
    """Fisher's exact two-sided p, for tasks that don't pair up: every table that is no more likely than this one."""
    passed, n = k1 + k2, n1 + n2
    ways = {k: comb(n1, k) * comb(n2, passed - k) for k in range(max(0, passed - n2), min(n1, passed) + 1)}
    return Fraction(sum(way for way in ways.values() if way <= ways[k1]), comb(n, passed))
