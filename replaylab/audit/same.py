"""Cells that are one measurement, told by their conditions: do they say the same, and are others too equal to be chance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import comb, exp, pi, sqrt
from typing import NamedTuple

from replaylab.audit.cells import Cell, either, listed, plural
from replaylab.audit.compute import Checked

RARE = 0.05  # a tie that is likelier than this is no news
BEYOND_CHANCE = 0.001
MOST_LOOKS = 400_000  # at cells, in search of the few that stand apart from many
MOST_TOGETHER = 100  # cells of one kind that are compared pair by pair


def groups(cells: Iterable[Cell]) -> list[list[Cell]]:
    """Cells by condition, those that stand alone left out; each table's own conditions say when two are the same."""
    found: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        if cell.value is not None and not cell.summary and cell.unit != "text":
            found.setdefault((cell.unit, cell.condition), []).append(cell)
    return [group for group in found.values() if len(group) > 1]


def compatible(cells: Sequence[Cell]) -> bool:
    """Whether one number can be behind all of these cells."""
    spans = [span for cell in cells if (span := cell.printed_span()) is not None]
    if max(span.low for span in spans) > min(span.high for span in spans):
        return False
    sizes = {cell.n for cell in cells}
    n = next(iter(sizes))
    if len(sizes) > 1 or n is None:
        return True
    counts = [set(ks) for cell in cells if (ks := cell.counts())]
    return not counts or bool(set.intersection(*counts))


def agree(cells: Sequence[Cell], everything: Sequence[Cell] = ()) -> Checked:
    """Whether the cells can be one measurement; else which stand apart, and whose number the odd one is."""
    said = "; ".join(f"{cell.address}: {cell.text}" for cell in cells[:12])
    numbers = {"cells": {cell.address: cell.fraction() for cell in cells[:60]}}
    if any(cell.value is None for cell in cells):
        return Checked("undecided", said, reason="one of the cells has no number", numbers=numbers)
    if compatible(cells):
        return Checked("holds", said, "", f"one number can be behind all {len(cells)}", "", numbers)
    odd = odd_ones(cells)
    left_out = {cell.address for cell in odd}
    rest = [cell for cell in cells if cell.address not in left_out]
    found = either(list(dict.fromkeys(cell.fraction() for cell in rest))) if rest else ""
    reason = f"{_told(odd)} against {_told(rest)}" if rest else f"no two agree: {_told(cells)}"
    return Checked("fails", said, found, reason, _whyodd_ones(odd, rest, everything), numbers)


def _told(cells: Sequence[Cell]) -> str:
    return listed([f"{cell.text} ({cell.address})" for cell in cells], 6)


def odd_ones(cells: Sequence[Cell]) -> list[Cell]:
    """The fewest cells without which the others agree; of several such choices those that come last."""
    places = range(len(cells))
    for size in range(1, min(len(cells) - 1, 4)):
        if comb(len(cells), size) * len(cells) > MOST_LOOKS:
            break
        for left in reversed(list(combinations(places, size))):
            rest = [cells[place] for place in places if place not in left]
            if len(rest) > 1 and compatible(rest):
                return [cells[place] for place in left]
    return [cells[-1]] if len(cells) == 2 else list(cells)


def _whyodd_ones(odd: Sequence[Cell], rest: Sequence[Cell], everything: Sequence[Cell]) -> str:
    """How far off, in tasks; a denominator that would do; and where the odd number stands under a neighbouring condition."""
    if len(odd) != 1 or not rest or odd[0].value is None:
        return ""
    cell, other = odd[0], rest[0]
    parts = []
    mine, theirs = cell.counts(), other.counts()
    if mine and theirs and cell.n == other.n:
        parts.append(f"{plural(abs(mine[0] - theirs[0]), 'task')} of {cell.n} apart")
    elif cell.n and other.value is not None:
        parts += _other_denominator(cell, other)
    twins = [
        one.address
        for one in everything
        if one.text == cell.text and one.unit == cell.unit and _one_apart(one, cell)
    ]
    if twins:
        parts.append(f"it is the number of {either(twins)}")
    return "; ".join(parts)


def _one_apart(a: Cell, b: Cell) -> bool:
    """Whether two conditions name the same things and differ in one."""
    one, other = dict(a.condition), dict(b.condition)
    return one.keys() == other.keys() and sum(one[key] != other[key] for key in one) == 1


def _other_denominator(cell: Cell, other: Cell) -> list[str]:
    """Fewer tasks by one to three with which both cells agree."""
    for left in (1, 2, 3):
        n = (cell.n or 0) - left
        if n <= 0:
            break
        counts = set(cell.counts(n) or ()) & set(other.counts(n) or ())
        if counts:
            return [
                f"both fit {either([f'{k}/{n}' for k in sorted(counts)])}: {plural(left, 'task')} left the denominator"
            ]
    return []


class Tie(NamedTuple):
    """Two cells that agree to the last task, and how likely that was."""

    a: Cell
    b: Cell
    k: int
    chance: float


class Ties(NamedTuple):
    """All ties that were not likely, of how many pairs, and how many were to be expected of those pairs."""

    found: tuple[Tie, ...]
    pairs: int
    expected: float

    @property
    def p(self) -> float:
        """The chance of so many or more, were they independent (Poisson's distribution)."""
        return poisson_tail(len(self.found), self.expected)


def ties(cells: Iterable[Cell]) -> Ties:
    """Pairs of rates whose conditions differ in one thing, and that agree to the task although that was unlikely."""
    firsts: dict[object, Cell] = {}
    for cell in cells:
        counts = cell.counts()
        if counts and len(counts) == 1 and not cell.summary and cell.tolerance is None:
            firsts.setdefault(cell.condition, cell)
    found, pairs, expected = [], 0, 0.0
    for group in _neighbours(list(firsts.values())):
        for a, b in combinations(group, 2):
            one, other = (a.counts() or [0])[0], (b.counts() or [0])[0]
            chance = tie_chance(one, other, a.n or 1)
            if a.n != b.n or chance > RARE:
                continue
            pairs, expected = pairs + 1, expected + again_chance(one, other, a.n or 1)
            if one == other:
                found.append(Tie(a, b, one, chance))
    return Ties(tuple(found), pairs, expected)


def _neighbours(cells: Sequence[Cell]) -> list[list[Cell]]:
    """Cells whose conditions are alike but for one key, by that key and the rest."""
    found: dict[tuple[object, ...], list[Cell]] = {}
    for cell in cells:
        for key, _ in cell.condition:
            rest = tuple(pair for pair in cell.condition if pair[0] != key)
            found.setdefault((key, rest, cell.n), []).append(cell)
    return [group for group in found.values() if 1 < len(group) <= MOST_TOGETHER]


def tie_chance(one: int, other: int, n: int) -> float:
    """About how likely two independent counts of n that lie about there are the same."""
    p = (one + other) / (2 * n)
    spread = n * p * (1 - p)
    return 1.0 if spread < 1 else min(1.0, 1 / (2 * sqrt(pi * spread)))


def again_chance(one: int, other: int, n: int) -> float:
    """About how likely two rates that lie so far apart would tie if both were measured again."""
    p, q = one / n, other / n
    spread = n * (p * (1 - p) + q * (1 - q))
    return 1.0 if spread < 1 else min(1.0, exp(-((one - other) ** 2) / (4 * spread)) / sqrt(4 * pi * spread))


def poisson_tail(count: int, mean: float) -> float:
    """The chance of `count` or more where `mean` are expected."""
    term = total = exp(-mean)
    for k in range(1, count):
        term *= mean / k
        total += term
    return 1.0 if count <= 0 else max(0.0, round(1 - total, 12))
