"""Whether printed percentages can come from whole numbers of tasks at all, alone and together. Pure, exact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from replaylab.score.rounding import Rule, percent


class Joint(NamedTuple):
    """The ways in which the cells of a row can add up to its total with the fewest tasks missing from cells.

    `missing` is that number, None where no number up to the limit will do. Each solution holds k and n of every cell;
    `changed` the same, but only of cells that a task is missing from.
    """

    missing: int | None
    solutions: tuple[dict[str, tuple[int, int]], ...]
    changed: tuple[dict[str, tuple[int, int]], ...]


def possible(text: str, n: int, rule: Rule = "half_even") -> list[int]:
    """The numbers of passes of n tasks that are printed as this text, digit by digit: "77" is not "77.0"."""
    digits = len(text.partition(".")[2])
    try:
        value = Fraction(text)
    except ValueError:
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
    totals = set(possible(total_text, sum(ns[name] for name in cells), rule))
    names = list(cells)
    options = {
        (name, left_out): possible(cells[name], ns[name] - left_out, rule)
        for name in names
        for left_out in range(missing + 1)
    }
    for left_out in range(missing + 1):
        found = [
            dict(zip(names, way, strict=True))
            for way in _ways(names, ns, options, left_out)
            if sum(k for k, _ in way) in totals
        ]
        if found:
            changed = [{name: kn for name, kn in way.items() if kn[1] != ns[name]} for way in found]
            distinct = [way for number, way in enumerate(changed) if way not in changed[:number]]
            return Joint(left_out, tuple(found), tuple(distinct))
    return Joint(None, (), ())


def _ways(
    names: Sequence[str], ns: Mapping[str, int], options: Mapping[tuple[str, int], list[int]], left_out: int
) -> Iterator[tuple[tuple[int, int], ...]]:
    """Every choice of k and n for the cells with exactly so many tasks left out."""
    if not names:
        if not left_out:
            yield ()
        return
    name, rest = names[0], names[1:]
    for here in range(left_out + 1):
        for k in options[name, here]:
            for way in _ways(rest, ns, options, left_out - here):
                yield ((k, ns[name] - here), *way)
