"""Aligning two sequences of calls with affine gaps (Gotoh): a gap costs to open and less to go on. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")
Pair = tuple[int | None, int | None]

SAME = 4  # the very same call
ALIKE = 1  # the same tool with other arguments
OTHER = -6  # another tool: two gaps are better
OPEN = -2
EXTEND = -1
_LOW = -(10**9)


def align(left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], int]) -> list[Pair]:
    """The best alignment: pairs of indices in order, None on the side that has a gap.

    Of alignments that are equally good the one with the most pairs at the front is taken, then the one whose gaps are
    on the right side first, so that the result is always the same.
    """
    pairs, gaps_right, gaps_left = _tables(left, right, score)
    return _trace(left, right, score, (pairs, gaps_right, gaps_left))


def alignment_score(
    left: Sequence[Item],
    right: Sequence[Item],
    pairs: Sequence[Pair],
    score: Callable[[Item, Item], int],
) -> int:
    """What an alignment is worth: its pairs, and each run of gaps on a side."""
    total, before = 0, "pair"
    for one, other in pairs:
        if one is not None and other is not None:
            total, before = total + score(left[one], right[other]), "pair"
            continue
        side = "left" if one is None else "right"
        total, before = total + (EXTEND if before == side else OPEN), side
    return total


Table = list[list[int]]


def _tables(
    left: Sequence[Item], right: Sequence[Item], score: Callable[[Item, Item], int]
) -> tuple[Table, Table, Table]:
    """The best worth of what follows i and j, by how it begins: with a pair, a gap right, a gap left.

    A table of a gap holds the worth of one that begins there; going on is OPEN's difference to EXTEND better.
    """
    rows, columns = len(left) + 1, len(right) + 1
    pair = [[_LOW] * columns for _ in range(rows)]
    gap_right = [[_LOW] * columns for _ in range(rows)]
    gap_left = [[_LOW] * columns for _ in range(rows)]
    pair[-1][-1] = 0
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            if i < rows - 1:
                after = (pair[i + 1][j], gap_right[i + 1][j] - OPEN + EXTEND, gap_left[i + 1][j])
                gap_right[i][j] = OPEN + max(after)
            if j < columns - 1:
                after = (pair[i][j + 1], gap_right[i][j + 1], gap_left[i][j + 1] - OPEN + EXTEND)
                gap_left[i][j] = OPEN + max(after)
            if i < rows - 1 and j < columns - 1:
                after = (pair[i + 1][j + 1], gap_right[i + 1][j + 1], gap_left[i + 1][j + 1])
                pair[i][j] = score(left[i], right[j]) + max(after)
    return pair, gap_right, gap_left


def _trace(
    left: Sequence[Item],
    right: Sequence[Item],
    score: Callable[[Item, Item], int],
    tables: tuple[Table, Table, Table],
) -> list[Pair]:
    i = j = 0
    before, found = 0, []
    while (i, j) != (len(left), len(right)):
        worth = [table[i][j] + (EXTEND - OPEN if at == before else 0) for at, table in enumerate(tables)]
        worth[0] = tables[0][i][j]
        before = worth.index(max(worth))
        found.append((i if before != 2 else None, j if before != 1 else None))
        i, j = i + (before != 2), j + (before != 1)
    return found
