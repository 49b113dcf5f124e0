"""Ranks, and how sure they are. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction


def competition(values: Sequence[float | Fraction], high_first: bool = True) -> list[int]:
    """Competition ranks: the tied share the best rank, and the next comes after all of them (1, 2, 2, 4)."""
    ordered = sorted(values, reverse=high_first)
    first: dict[float | Fraction, int] = {}
    for rank, value in enumerate(ordered, start=1):
        first.setdefault(value, rank)
    return [first[value] for value in values]


def rank_intervals(
    names: Sequence[str], pairs: Mapping[tuple[str, str], tuple[float, float]], alpha: float = 0.05
) -> dict[str, tuple[int, int]]:
    """The ranks that each may have: behind those that are surely better, before those that are surely worse.

    `pairs` holds for (a, b) the difference a minus b and its p, adjusted over the family. A pair may stand either way
    round; one that is absent counts as undecided.
    """
    better, worse = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    for (a, b), (difference, p) in pairs.items():
        if p <= alpha and difference:
            winner, loser = (a, b) if difference > 0 else (b, a)
            better[loser] += 1
            worse[winner] += 1
    return {name: (1 + better[name], len(names) - worse[name]) for name in names}
