"""Whether the parts of a total add up to it in whole tasks, and with the fewest tasks missing when they don't."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import NamedTuple

from replaylab.audit.cells import Cell, either, listed, number, plural
from replaylab.audit.compute import Checked
from replaylab.audit.explain import MOST_FITS, slips
from replaylab.schema.base import JsonObject
from replaylab.score.stats.grim import Counts, joint, possible

MOST_PARTS = {1: 60, 2: 20, 3: 12}  # by how many missing tasks are looked for
MOST_SLIPS = 40  # parts that are looked at pair by pair
MOST_OPTIONS = 400  # numbers of passes that all parts together can have, for the search of missing tasks


class Around(NamedTuple):
    """What else is known of a cell: other printings of the same measurement, and the cells that stand next to it."""

    same: Callable[[Cell], Sequence[Cell]] = lambda _: ()
    next_to: Callable[[Cell], Sequence[Cell]] = lambda _: ()


def adds_up(total: Cell, parts: Sequence[Cell], missing: int = 2, around: Around | None = None) -> Checked:
    """Whether whole numbers of tasks print as every part and add up to the total."""
    around = around or Around()
    ns = [cell.n for cell in parts if cell.n]
    if len(ns) != len(parts) or not parts or total.value is None or any(cell.value is None for cell in parts):
        return Checked("undecided", total.text, reason="the number of tasks of a part is not published")
    whole = sum(ns)
    numbers: JsonObject = {"n": whole, "total_n": total.n}
    if total.n is not None and total.n != whole:
        reason = f"the parts have {whole} tasks together, the total has {total.n}"
        return Checked("fails", str(total.n), str(whole), reason, "", numbers)
    totals = possible(total.text, whole, total.rule)
    options = [cell.counts() or [] for cell in parts]
    numbers |= {"total_k": totals, "parts": {cell.column: f"{cell.text}: {_of(cell)}" for cell in parts}}
    if totals and all(options):
        low, high = sum(ks[0] for ks in options), sum(ks[-1] for ks in options)
        numbers |= {"sum_low": low, "sum_high": high}
        # What prints as one text are numbers in a row, so every sum in between can be had.
        if low <= totals[-1] and totals[0] <= high:
            return Checked(
                "holds", _k(totals, whole), _k([low, high], whole), "the parts add up", "", numbers
            )
    return _failed(total, parts, (totals, options), missing, around, numbers)


def _failed(
    total: Cell,
    parts: Sequence[Cell],
    known: tuple[list[int], list[list[int]]],
    missing: int,
    around: Around,
    numbers: JsonObject,
) -> Checked:
    totals, options = known
    whole = numbers["n"]
    impossible = [cell for cell, ks in zip(parts, options, strict=True) if not ks]
    if not totals:
        reason = f"{total.text} is no whole number of {whole} tasks"
    elif impossible:
        names = listed([f"{cell.column} {cell.text} of {cell.n}" for cell in impossible])
        reason = f"the total is {_k(totals, whole)}, and no whole number of tasks is {names}"
    else:
        sums = [numbers["sum_low"], numbers["sum_high"]]
        reason = f"the total is {_k(totals, whole)}, and the parts add up to {_k(sums, whole)}"
    found = [_missing(total, parts, missing, around, numbers), *_slipped(total, parts, totals, around)]
    explanation = "; ".join(one for one in found if one)
    return Checked("fails", total.text, _sums(numbers), reason, explanation, numbers)


def _missing(total: Cell, parts: Sequence[Cell], missing: int, around: Around, numbers: JsonObject) -> str:
    """The fewest tasks that left the denominators of parts, so that the rest adds up."""
    width = sum(len(cell.counts() or [0]) for cell in parts)
    missing = max(
        (most for most, size in MOST_PARTS.items() if most <= missing and len(parts) <= size), default=0
    )
    if width > MOST_OPTIONS or missing < 1:
        return ""
    cells = {cell.column: cell for cell in parts}
    found = joint(
        total.text,
        {name: cell.text for name, cell in cells.items()},
        {name: cell.n or 0 for name, cell in cells.items()},
        missing,
        total.rule,
    )
    if not found.missing:
        return ""
    numbers |= {"missing": found.missing, "ways": [_ways(one) for one in found.changed]}
    kept = [one for one in found.changed if _agrees(one, cells, around)]
    tasks = f"{_WORDS.get(found.missing, str(found.missing))} {'task' if found.missing == 1 else 'tasks'}"
    said = f"fits if {tasks} left the denominator: "
    if kept and len(kept) < len(found.changed):
        numbers["agree_with_figures"] = [_ways(one) for one in kept]
        also = f" (the only ones of {len(found.changed)} ways that agree with other printings of these cells)"
        return (
            said + "; or ".join(map(_ways, kept)) + also.replace("ones", "one" if len(kept) == 1 else "ones")
        )
    shown = found.changed[:4]
    more = f"; or {len(found.changed) - len(shown)} more ways" if len(found.changed) > len(shown) else ""
    return said + "; or ".join(map(_ways, shown)) + more


def _agrees(changed: Counts, cells: dict[str, Cell], around: Around) -> bool:
    """Whether other printings of the cells can be what this way makes of them, and of those that it leaves alone."""
    known = {
        name: (counts[0], cell.n or 0)
        for name, cell in cells.items()
        if (counts := cell.counts()) and len(counts) == 1
    }
    for name, (k, n) in (known | changed).items():
        for other in around.same(cells[name]):
            span = other.printed_span()
            if n and span is not None and not span.low <= Fraction(100 * k, n) <= span.high:
                return False
    return True


def _slipped(total: Cell, parts: Sequence[Cell], totals: Sequence[int], around: Around) -> list[str]:
    """Two cells that would add up the other way round, and one cell that would with another text that is close by."""
    if len(parts) > MOST_SLIPS or not totals:
        return []

    def fits(changed: dict[int, Cell]) -> bool:
        options = [changed.get(at, cell).counts() for at, cell in enumerate(parts)]
        known = [ks for ks in options if ks]
        low, high = sum(ks[0] for ks in known), sum(ks[-1] for ks in known)
        return len(known) == len(parts) and low <= totals[-1] and totals[0] <= high

    swapped = [
        f"{a.column} and {b.column}"
        for (i, a), (j, b) in combinations(enumerate(parts), 2)
        if a.text != b.text and fits({i: replace(a, text=b.text), j: replace(b, text=a.text)})
    ]
    others = []
    for at, cell in enumerate(parts):
        near = {one.text: f"as {one.address} has" for one in around.next_to(cell)} | dict(slips(cell.text))
        others += [
            f"{cell.column} {text} ({why})"
            for text, why in near.items()
            if text != cell.text and fits({at: replace(cell, text=text)})
        ]
    found = [f"fits if {either(swapped)} were swapped"] if 0 < len(swapped) <= MOST_FITS else []
    return found + ([f"fits with {either(others)}"] if 0 < len(others) <= MOST_FITS else [])


_WORDS = {1: "one", 2: "two", 3: "three"}


def _ways(changed: Counts) -> str:
    return " and ".join(f"{name} {k}/{n}" for name, (k, n) in changed.items())


def _of(cell: Cell) -> str:
    counts = cell.counts() or []
    if not counts:
        return f"none of {cell.n}"
    return _k(counts, cell.n or 0)


def _k(counts: Sequence[int], n: int) -> str:
    low, high = counts[0], counts[-1]
    return f"{low}/{n}" if low == high else f"{low} to {high} of {n}"


def _sums(numbers: JsonObject) -> str:
    if "sum_low" not in numbers:
        return ""
    return _k([numbers["sum_low"], numbers["sum_high"]], numbers["n"])


def sum_of_counts(total: Cell, parts: Sequence[Cell]) -> Checked:
    """Whether whole numbers add up to their total."""
    values = [number(cell.text) for cell in parts]
    known = [value for value in values if value is not None]
    if total.value is None or len(known) != len(values) or not known:
        return Checked("undecided", total.text, reason="a part has no number")
    whole = sum(known, Fraction(0))
    outcome = "holds" if whole == total.value else "fails"
    reason = f"{plural(len(parts), 'part')} add up to {whole}"
    return Checked("holds" if outcome == "holds" else "fails", total.text, str(whole), reason)
