"""Reading tables: the number, the interval and the unit of a cell, and what a figure must say about where they are from."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from replaylab.report.figures.value import Point
from replaylab.report.figures.words import between
from replaylab.score.value import Cell, Table

Line = dict[str, Cell]
Tables = Mapping[str, Table]

# A footer that says what kind of recording this is, and who played where it was no LLM.
_EVIDENCE = re.compile(r"\bauthored\b|\bimported\b|\bplayed by\b|\bprograms?, not LLMs?\b", re.IGNORECASE)
CONTEXT = ("scenarios", "difficulty")  # tables that say how many scenarios an industry has
_CONDITION = re.compile(r"(?:Denominator|Condition): [^.]*\.")


def lines(table: Table) -> list[Line]:
    """The rows, each cell by the key of its column."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def text(line: Line, key: str) -> str:
    """What is printed in that column, "" where the table has none."""
    return line[key].text if key in line else ""


def number(cell: Cell | None) -> float | None:
    """The number of a cell. Text, a truth value, NaN and infinity are none."""
    value = cell.value if cell else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def whole(cell: Cell | None) -> int | None:
    """The number of a cell that counts something."""
    value = number(cell)
    return None if value is None else round(value)


def point(cell: Cell | None, scale: float = 1) -> Point:
    """The number of a cell with its interval; an interval alone says nothing."""
    value = number(cell)
    if cell is None or value is None:
        return Point()
    low, high = (cell.interval.low, cell.interval.high) if cell.interval else (math.nan, math.nan)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Point(value * scale)
    return Point(value * scale, low * scale, high * scale)


def percent_scale(table: Table, key: str) -> float:
    """What the numbers of a column are multiplied with to be percent: 100 where it holds shares from 0 to 1."""
    unit = next((column.unit for column in table.columns if column.key == key), "")
    return 1 if unit == "%" else 100


def trials(cell: Cell | None) -> int | None:
    """How many trials a rate stands on, errors and missing ones included."""
    return cell.count.planned if cell and cell.count else None


def condition(table: Table) -> tuple[str, ...]:
    """The first sentences of the footers that name the denominator and what is fixed in all of the table."""
    return tuple(found[0] for note in table.notes if (found := _CONDITION.match(note)))


def n_of(cells: Iterable[Cell | None], each: str) -> tuple[str, ...]:
    """`n: 382 planned trials for each agent.`, or nothing where no cell says."""
    counts = [count for cell in cells if number(cell) is not None and (count := trials(cell)) is not None]
    if not counts:
        return ()
    return (f"n: {between(counts)} planned {'trial' if set(counts) == {1} else 'trials'} for each {each}.",)


def methods(cells: Sequence[Cell | None], mark: str = "Whiskers") -> tuple[str, ...]:
    """The methods of the intervals that are drawn, with the level, and what they ignore."""
    intervals = [cell.interval for cell in cells if cell and cell.interval and number(cell) is not None]
    if not intervals:
        return ("No intervals are known.",)
    by_method = Counter((one.level, one.method) for one in intervals)
    notes = Counter(one.note for one in intervals if one.note)
    named = [
        f"{level:.0%}".replace("%", " %") + f" interval, {method}" + _of(count, len(intervals))
        for (level, method), count in sorted(by_method.items(), key=lambda item: (-item[1], item[0]))
    ]
    noted = [f"; {note}{_of(count, len(intervals))}" for note, count in sorted(notes.items())]
    return (f"{mark}: {'; '.join(named)}{''.join(noted)}.",)


def _of(count: int, whole: int) -> str:
    return "" if count == whole else f" ({count} of {whole})"


def notices(table: Table) -> tuple[str, ...]:
    """The footer lines that say what kind of recording this is and who played: they stay with the picture."""
    return tuple(note for note in table.notes if _EVIDENCE.search(note))


def industry(cell: Cell) -> str:
    """The industry whose trials are behind a cell, "" where they are of several or it doesn't say."""
    named = {selector.industry for selector in cell.trials}
    return named.pop() if len(named) == 1 else ""


def scenarios(tables: Tables) -> dict[str, int]:
    """How many scenarios each industry has: by every name that the tables `difficulty` and `scenarios` have for it."""
    found: dict[str, int] = {}
    for table in (tables[name] for name in CONTEXT if name in tables):
        for line in lines(table):
            count = whole(line.get("scenarios"))
            names = {text(line, "industry"), *(industry(cell) for cell in line.values())} - {""}
            found |= {name: count for name in names if count is not None}
    return found
