"""What is printed of a cell, the same in every format: its text, its interval, and what must be said about it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import NamedTuple

from replaylab.canonical import digest_bytes
from replaylab.report.markup import seen
from replaylab.schema.base import Json
from replaylab.score.value import Cell, Column, Count, Denominator, Table

LONGEST = 120  # characters of a text in a table; JSON and CSV have all of them
_KEPT = 80
_DECIMALS = re.compile(r"\d\.(\d+)")
_SUMMARIES = frozenset({"avg", "average", "mean", "total", "all", "tasks"})


def shorten(text: str) -> str:
    """The text as one visible line, a very long one cut. Two that differ past the cut still differ."""
    if len(text) <= LONGEST:
        return seen(text)
    mark = digest_bytes(text.encode("utf-8", "backslashreplace"))[:8]
    return f"{seen(text[:_KEPT])}… ({len(text):,} characters, {mark})"


def plain_value(value: Json) -> Json:
    """A value as JSON has it: fractions and numpy's numbers as plain ones, what is not finite as null."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(key): plain_value(part) for key, part in value.items()}
    return [plain_value(part) for part in value]


def number(cell: Cell) -> float | None:
    """What a column is sorted by: the cell's value, or the first of several."""
    value = plain_value(cell.value)
    if isinstance(value, list):
        value = value[0] if value else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def heading(column: Column, layout: str) -> str:
    """The title of a column; in the full layout with its unit, unless the title says it."""
    unit = column.unit if layout == "full" and column.unit not in column.title else ""
    return f"{shorten(column.title)} ({shorten(unit)})" if unit else shorten(column.title)


def details(cell: Cell, table: Table, denominator: Denominator) -> tuple[str, ...]:
    """What the full layout shows beside a cell's text, if the text doesn't: counts and interval."""
    if table.layout != "full":
        return ()
    found = []
    of = whole(cell, denominator)
    if cell.count and of is not None and "/" not in cell.text and not _has(table, "k_n"):
        found.append(f"{cell.count.passed}/{of}")
    if cell.interval and "[" not in cell.text:
        places = max(map(len, _DECIMALS.findall(cell.text)), default=0)
        found.append(f"[{_rounded(cell.interval.low, places)}, {_rounded(cell.interval.high, places)}]")
    return tuple(found)


def _rounded(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.lstrip("-") if not text.strip("-0.") else text  # no -0.0


def whole(cell: Cell, denominator: Denominator) -> int | None:
    """Of how many the passed trials of a cell are a share. None where its value is no such share.

    A denominator that was declared for this one cell follows from its value.
    """
    count, value = cell.count, number(cell)
    if count is None:
        return None
    rule, other = (
        (count.planned, count.decided) if denominator == "planned" else (count.decided, count.planned)
    )
    if value is None or (value == 0 and count.passed == 0):
        return rule
    for one in (rule, other):
        if one and math.isclose(value, 100 * count.passed / one, rel_tol=1e-9):
            return one
    declared = 100 * count.passed / value if value > 0 else 0
    nearest = round(declared)
    fits = nearest >= count.passed > 0 and math.isclose(declared, nearest, rel_tol=1e-9)
    return nearest if fits else None


def _has(table: Table, *keys: str) -> bool:
    return any(column.key in keys for column in table.columns)


def summaries(table: Table) -> int:
    """How many of the last rows sum the others up ("Avg", "total"): they stay last however a table is sorted."""
    count = 0
    for row in reversed(table.rows):
        if not row or row[0].text.strip().lower() not in _SUMMARIES:
            break
        count += 1
    return count


class Footnotes(NamedTuple):
    """What must be said about single cells, each text once, and the marks of each cell, row by row."""

    texts: tuple[str, ...]
    marks: tuple[tuple[tuple[str, ...], ...], ...]

    @classmethod
    def of(cls, table: Table) -> Footnotes:
        """Marks are letters, in the order in which a reader meets them."""
        shown_apart = _has(table, "error", "missing")
        known: dict[str, str] = {}
        marks = []
        for row in table.rows:
            found = []
            for cell in row:
                notes = [note for note in _notes(cell, shown_apart=shown_apart) if note]
                found.append(tuple(known.setdefault(note, _letters(len(known))) for note in notes))
            marks.append(tuple(found))
        return cls(tuple(known), tuple(marks))

    def told(self) -> Iterator[tuple[str, str]]:
        """Each mark with its text."""
        return ((_letters(at), text) for at, text in enumerate(self.texts))


def _notes(cell: Cell, *, shown_apart: bool) -> Sequence[str]:
    interval = cell.interval.note if cell.interval else ""
    return (cell.note, interval, "" if shown_apart or cell.count is None else undecided(cell.count))


def undecided(count: Count) -> str:
    """That a cell holds errors or missing trials, and between which rates it would lie without; "" where none."""
    if not count.error and not count.missing:
        return ""
    said = [f"{count.error} error{'s' if count.error > 1 else ''}"] if count.error else []
    said += [f"{count.missing} missing"] if count.missing else []
    worst, best = (float(100 * (share or 0)) for share in (count.worst, count.best))
    return f"{', '.join(said)}: between {worst:.1f} and {best:.1f} % if they were decided"


def _letters(at: int) -> str:
    """The letters of a count: a to z, then aa, ab and so on."""
    text = ""
    at += 1
    while at:
        at, rest = divmod(at - 1, 26)
        text = chr(ord("a") + rest) + text
    return text
