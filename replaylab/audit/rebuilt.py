"""A published table beside the same table made anew from recordings: every cell, at the digits that were published."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import NamedTuple

from replaylab.audit.book import Published
from replaylab.audit.cells import RULE_WORDS, RULES, Cell, Span, either, listed, number, plural, prints
from replaylab.audit.compute import Checked
from replaylab.audit.computed import made
from replaylab.audit.explain import slips
from replaylab.audit.value import Assessment
from replaylab.score.value import Cell as Made
from replaylab.score.value import Table


class _Grid(NamedTuple):
    """A table made anew: its cells by the names of their row and column, and the names of all rows."""

    cells: dict[tuple[str, str], Made]
    rows: tuple[str, ...]


def compare(table: Published, rebuilt: Mapping[str, Table]) -> list[Assessment]:
    """Every cell of a published table with the one that follows from the recordings; nothing where it names no table."""
    name = table.spec.rebuilds
    if name is None:
        return []
    anew = rebuilt.get(name)
    if anew is None:
        why = f"the recordings give no table {name!r}; there are {listed(sorted(rebuilt))}"
        return [made("rebuild", table.key, Checked("undecided", reason=why))]
    grid = _grid(anew)
    found, same, absent = [], 0, []
    for cell in table.cells.values():
        if cell.value is None or cell.tolerance is not None:
            continue
        other = _matching(table, cell, grid)
        value = None if other is None else exact(other)
        if other is None or value is None:
            absent.append(cell.address)
        elif prints(Span(value, value), cell.text, cell.rule):
            same += 1
        else:
            found.append(made("rebuild", cell.address, _differs(cell, other, value, grid)))
    if absent:
        why = f"the recordings have no number for {plural(len(absent), 'cell')}: {listed(absent, 6)}"
        found.append(made("rebuild", f"{table.key}, not recorded", Checked("undecided", reason=why)))
    left = [row for row in grid.rows if row not in {_called(table, row) for row in table.rows}]
    if left:
        why = f"the recordings have {plural(len(left), 'row')} that the table leaves out: {listed(left)}"
        found.append(made("rebuild_rows", table.key, Checked("undecided", "", listed(left), why)))
    if same:
        why = f"{plural(same, 'cell')} follow from the recordings as published"
        found.append(made("rebuild", f"{table.key}, the others", Checked("holds", reason=why)))
    return found


def _grid(table: Table) -> _Grid:
    """Rows by their texts before the first number, columns by key and by title, without regard to capitals."""
    numeric = [column.numeric for column in table.columns]
    names = numeric.index(True) if True in numeric else 1
    cells: dict[tuple[str, str], Made] = {}
    rows = []
    for row in table.rows:
        name = ", ".join(cell.text for cell in row[:names])
        rows.append(name)
        for column, cell in zip(table.columns[names:], row[names:], strict=True):
            for called in (column.title, column.key):
                cells[name, called.casefold()] = cell
    return _Grid(cells, tuple(rows))


def _called(table: Published, name: str) -> str:
    return table.spec.names.get(name, name)


def _matching(table: Published, cell: Cell, grid: _Grid) -> Made | None:
    row, column = _called(table, cell.row), _called(table, cell.column)
    found = grid.cells.get((row, column.casefold()))
    if found is None:  # what heads the column in print may be its name too
        found = grid.cells.get((row, table.spec.columns[cell.column].title.casefold()))
    return found


def exact(cell: Made) -> Fraction | None:
    """The number behind a cell. It is kept as a float; the fraction nearest to it with a denominator of up to a million
    is the exact one of any rate that tables have, so that ties are rounded as ties.
    """
    value = cell.value
    return Fraction(value).limit_denominator(10**6) if isinstance(value, int | float) else None


def _differs(cell: Cell, other: Made, value: Fraction, grid: _Grid) -> Checked:
    count = other.count
    found = f"{other.text}" + (f" ({count.passed} of {count.planned})" if count else "")
    reason = f"{cell.text} was published, the recordings give {found}"
    numbers = {"rebuilt": other.text, "count": count.model_dump() if count else None}
    return Checked("fails", cell.text, found, reason, "; ".join(_why(cell, other, value, grid)), numbers)


def _why(cell: Cell, other: Made, value: Fraction, grid: _Grid) -> list[str]:
    """Another denominator, the best case, another rounding rule, another cell, a slip."""
    parts = []
    count = other.count
    if count is not None:
        readings = {
            "errors and missing trials left out of the denominator": (count.passed, count.decided),
            "errors and missing trials counted as failed": (count.passed, count.planned),
            "errors and missing trials counted as passed": (
                count.passed + count.error + count.missing,
                count.planned,
            ),
        }
        fits = [words for words, (k, n) in readings.items() if n and _is(Fraction(100 * k, n), cell)]
        parts += [f"fits with {either(fits)}"] if fits else []
        parts += _other_counts(cell, count.passed, count.planned)
    rules = [rule for rule in RULES if rule != cell.rule and prints(Span(value, value), cell.text, rule)]
    parts += [f"fits when rounded {either([RULE_WORDS[rule] for rule in rules])}"] if rules else []
    elsewhere = [
        row for row in grid.rows if (one := _at(grid, row, cell.column)) is not None and _is(one, cell)
    ]
    parts += [f"is the number of {either(elsewhere)}"] if elsewhere else []
    said = number(cell.text)
    slipped = [what for text, what in slips(cell.text) if said is not None and _is(value, cell, text)]
    return parts + slipped[:1]


def _at(grid: _Grid, row: str, column: str) -> Fraction | None:
    found = grid.cells.get((row, column.casefold()))
    return None if found is None else exact(found)


def _other_counts(cell: Cell, passed: int, n: int) -> list[str]:
    """How many passes more or fewer the published number stands for, and fewer tasks with which it would fit."""
    counts = cell.counts(n) or []
    if counts:
        nearest = min(counts, key=lambda k: (abs(k - passed), k))
        return [
            f"stands for {nearest} of {n}: {abs(nearest - passed)} {'more' if nearest > passed else 'fewer'}"
        ]
    fewer = [one for one in (1, 2, 3) if n > one and passed in (cell.counts(n - one) or [])]
    return (
        [f"fits {passed} of {n - fewer[0]}: {plural(fewer[0], 'task')} left the denominator"] if fewer else []
    )


def _is(value: Fraction, cell: Cell, text: str = "") -> bool:
    return prints(Span(value, value), text or cell.text, cell.rule)
