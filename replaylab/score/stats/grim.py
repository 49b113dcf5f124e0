"""Whether printed percentages can come from whole numbers of tasks at all, alone and together. Pure, exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from math import ceil, floor
from typing import NamedTuple

from replaylab.score.rounding import Rule, percent

Counts = dict[str, tuple[int, int]]
"""k and n by cell."""


class Joint(NamedTuple):
    """How the cells of a row can add up to its total with the fewest tasks missing from cells.

    `missing` is that number, None where no number up to the limit will do. `changed` are the different ways to leave
    tasks out: k and n of the cells that lack some. `solutions` has for each of these the first whole row that fits,
    and `ways` is how many rows fit in all.
    """

    missing: int | None
    ways: int
    changed: tuple[Counts, ...]
    solutions: tuple[Counts, ...]


def possible(text: str, n: int, rule: Rule = "half_even") -> list[int]:
    """The numbers of passes of n tasks that are printed as this text, digit by digit: "77" is not "77.0"."""
    digits = len(text.partition(".")[2])
    try:
        value = Fraction(text)
    except (ValueError, ZeroDivisionError):
        return []
    if n <= 0:
        return []
    step = Fraction(1, 10**digits)
    first, last = floor((value - step) * n / 100), ceil((value + step) * n / 100)
    return [
        k for k in range(max(first, 0), min(last, n) + 1) if percent(Fraction(k, n), digits, rule) == text
    ]


def joint(
    total_text: str,
    cells: Mapping[str, str],
    ns: Mapping[str, int],
    missing: int = 2,
    rule: Rule = "half_even",
) -> Joint:
    """Looks for whole numbers that print as every cell and add up to the total, with few tasks left out of cells.

    The total stands over all tasks: one that is missing from its cell is not passed, and still in the total's
    denominator.
    """
    totals = possible(total_text, sum(ns[name] for name in cells), rule)
    for left_out in range(missing + 1):
        ways, changed, solutions = 0, [], []
        for lacking in combinations_with_replacement(cells, left_out):
            sizes = {name: ns[name] - lacking.count(name) for name in cells}
            options = {name: possible(text, sizes[name], rule) for name, text in cells.items()}
            fixed = [name for name in cells if name in lacking]
            free = [name for name in cells if name not in lacking]
            rest = _reached([options[name] for name in free])
            for ks in product(*(options[name] for name in fixed)):
                fits = [total - sum(ks) for total in totals if total - sum(ks) in rest[0]]
                if fits:
                    ways += sum(rest[0][total] for total in fits)
                    chosen = dict(zip(fixed, ks, strict=True))
                    changed.append({name: (k, sizes[name]) for name, k in chosen.items()})
                    chosen |= zip(free, _first([options[name] for name in free], rest, fits[0]), strict=True)
                    solutions.append({name: (chosen[name], sizes[name]) for name in cells})
        if ways:
            return Joint(left_out, ways, tuple(changed), tuple(solutions))
    return Joint(None, 0, (), ())


def _reached(options: Sequence[Sequence[int]]) -> list[Counter[int]]:
    """For each place in a row: the sums that the cells from there on can have, and in how many ways."""
    reached = [Counter({0: 1})]
    for ks in reversed(options):
        sums: Counter[int] = Counter()
        for total, ways in reached[-1].items():
            for k in ks:
                sums[total + k] += ways
        reached.append(sums)
    return reached[::-1]


def _first(options: Sequence[Sequence[int]], reached: Sequence[Counter[int]], total: int) -> list[int]:
    """The first choice, cell by cell, that has this sum; there is one."""
    chosen = []
    for ks, behind in zip(options, reached[1:], strict=True):
        k = next(k for k in ks if total - k in behind)
        chosen.append(k)
        total -= k
    return chosen
