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
from replaylab.score.value import Cell, Count, Denominator, Table

LONGEST = 120  # characters of a text in a table; JSON and CSV have all of them
_KEPT = 80
_DECIMALS = re.compile(r"\d\.(\d+)")
_SUMMARIES = frozenset({"avg", "average", "mean", "total", "all", "all conditions", "tasks"})


def shorten(text: str) -> str:
    """The text as one visible line, a very long one cut. Two that differ past the cut still differ."""
    if len(text) <= LONGEST:
        return seen(text)
    mark = digest_bytes(text.encode("utf-8", "backslashreplace"))[:8]
    return f"{seen(text[:_KEPT])}… ({len(text):,} characters, {mark})"


def plain_value(value: Json) -> Json:
    """A value as JSON has it: fractions and numpy's numbers as plain ones, what is not finite as null."""
    kind = type(value)
    if kind is str or value is None or kind is int or kind is bool:
        return value
    if kind is dict and all(type(key) is str for key in value):
        return {key: plain_value(part) for key, part in value.items()}
    if kind is list or kind is tuple:
        return [plain_value(part) for part in value]
    if kind is float:
        return value if math.isfinite(value) else None
    return _unusual(value)


def _unusual(value: Json) -> Json:
    """What is rare of all values, and takes longer to tell apart."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        number = float(value)
        return number if math.isfinite(number) else None
    if isinstance(value, Mapping):
        return {str(key): plain_value(part) for key, part in value.items()}
    return [plain_value(part) for part in value]


def number_of(cell: Cell) -> float | None:
    """What a column is sorted by: the cell's value, or the first of several."""
    value = plain_value(cell.value)
    if isinstance(value, list):
        value = value[0] if value else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


_MANY = 5  # columns of one unit; more say it once, in the title of their table


def shared_unit(table: Table) -> str:
    """The unit that all columns which have one share, where there are many of them."""
    units = [column.unit for column in table.columns if column.unit]
    return units[0] if table.layout == "full" and len(units) >= _MANY and len(set(units)) == 1 else ""


def headings(table: Table) -> list[str]:
    """The titles of the columns; in the full layout with their units, unless that is said already."""
    shared = shared_unit(table)
    found = []
    for column in table.columns:
        tells = table.layout == "full" and column.unit and column.unit not in column.title and not shared
        unit = f" ({shorten(column.unit)})" if tells else ""
        found.append(f"{shorten(column.title)}{unit}")
    return found


def title(table: Table) -> str:
    """The title of a table, with the unit that its columns share."""
    unit = shared_unit(table)
    return (
        f"{shorten(table.title)}, in {shorten(unit)}"
        if unit and unit not in table.title
        else shorten(table.title)
    )


class Beside(NamedTuple):
    """What the full layout shows beside a cell's text: `26/31`, `[67.4, 92.9]`; "" where there is nothing."""

    passed: str = ""
    interval: str = ""

    @classmethod
    def of(cls, cell: Cell, table: Table, denominator: Denominator) -> Beside:
        """Nothing that the text or a column of counts says already."""
        if table.layout != "full":
            return cls()
        passed = interval = ""
        of = whole(cell, denominator)
        if cell.count and of is not None and "/" not in cell.text and not _has(table, "k_n", "passed"):
            passed = f"{cell.count.passed}/{of}"
        if cell.interval and "[" not in cell.text:
            places = max(map(len, _DECIMALS.findall(cell.text)), default=0)
            interval = f"[{_rounded(cell.interval.low, places)}, {_rounded(cell.interval.high, places)}]"
        return cls(passed, interval)

    def inline(self) -> tuple[str, ...]:
        """As words that follow the text on its line."""
        return (*((f"({self.passed})",) if self.passed else ()), *((self.interval,) if self.interval else ()))


def _rounded(value: float, places: int) -> str:
    text = f"{value:.{places}f}"
    return text.lstrip("-") if not text.strip("-0.") else text  # no -0.0


def whole(cell: Cell, denominator: Denominator) -> int | None:
    """Of how many the passed trials of a cell are a share. None where its value is no such share.

    A denominator that was declared for this one cell follows from its value.
    """
    count, value = cell.count, number_of(cell)
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
                notes = _notes(cell, shown_apart=shown_apart)
                found.append(tuple(known.setdefault(note, _letters(len(known))) for note in notes))
            marks.append(tuple(found))
        return cls(tuple(known), tuple(marks))

    def told(self) -> Iterator[tuple[str, str]]:
        """Each mark with its text."""
        return ((_letters(at), text) for at, text in enumerate(self.texts))


def _notes(cell: Cell, *, shown_apart: bool) -> Sequence[str]:
    """What is not said by a column, nor by the cell's own note."""
    notes = [cell.note] if cell.note else []
    if cell.interval and cell.interval.note and cell.interval.note not in cell.note:
        notes.append(cell.interval.note)
    if cell.count and not shown_apart and not re.search(r"\berrors?\b|\bmissing\b", cell.note):
        notes += [note] if (note := undecided(cell.count)) else []
    return notes


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
