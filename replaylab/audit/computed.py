"""Columns and rows that a table says were computed from others: each number is computed again."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.audit.book import Book, Published, summed
from replaylab.audit.cells import Cell, listed, plural
from replaylab.audit.compute import Checked, Row, follows, why_together
from replaylab.audit.joint import Around, adds_up, sum_of_counts
from replaylab.audit.tables import Formula
from replaylab.audit.value import Assessment


def made(kind: str, place: str, checked: Checked) -> Assessment:
    """An assessment that nobody asked for."""
    return Assessment(
        id=f"{kind}:{place}",
        kind=kind,
        outcome=checked.outcome,
        where=place,
        said=checked.said,
        found=checked.found,
        numbers=checked.numbers or {},
        explanation=checked.explanation,
        reason=checked.reason,
        asked=False,
    )


def columns(book: Book, table: Published) -> Iterator[Assessment]:
    """Columns that say what they were computed from."""
    for column, spec in table.spec.columns.items():
        formula = spec.computed
        if formula is None:
            continue
        cells = [cell for row in table.members if (cell := table.cells[row, column]).value is not None]
        done = {cell: _computed(book, cell, formula) for cell in cells}
        failing = [cell for cell, one in done.items() if one.outcome == "fails"]
        together = ""
        if failing and formula.how not in ("pooled", "agreement"):
            together = why_together({cell.row: _row(book, cell, formula) for cell in cells})
        told = _Told(formula.how, f"{table.key} / * / {column}", done)
        told.together = together
        told.also = _plain_means(book, cells, formula) if formula.how == "pooled" else ""
        yield from told


def _plain_means(book: Book, cells: list[Cell], formula: Formula) -> str:
    """How many weighted averages would as well be plain ones: it tells which of the two a column is."""
    plain = formula.model_copy(update={"how": "mean"})
    fits = sum(_row(book, cell, plain).fits("counts") for cell in cells)
    return f"; the plain mean of the parts would fit {fits}"


def _row(book: Book, cell: Cell, formula: Formula) -> Row:
    return Row(cell.text, book.terms(cell, formula), cell.rule, cell.tolerance)


def _computed(book: Book, cell: Cell, formula: Formula) -> Checked:
    terms = book.terms(cell, formula)
    if formula.how == "pooled":
        return adds_up(cell, terms.of, around=around(book))
    if formula.how == "sum" and cell.unit == "count":
        return sum_of_counts(cell, terms.of)
    return follows(cell.text, terms, cell.rule, cell.tolerance)


def around(book: Book) -> Around:
    """What the file says beside a cell."""
    return Around(lambda cell: _same(book, cell), lambda cell: _next_to(book, cell))


def _same(book: Book, cell: Cell) -> list[Cell]:
    """Other printings of the same measurement."""
    return [
        one
        for one in book.cells
        if one.condition == cell.condition and one.unit == cell.unit and one.address != cell.address
    ]


def _next_to(book: Book, cell: Cell) -> list[Cell]:
    """The cells above, below, left and right."""
    table = book.tables.get(cell.table)
    if table is None:
        return []
    row, column = table.rows.index(cell.row), table.columns.index(cell.column)
    places = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [
        table.cells[table.rows[r], table.columns[c]]
        for r, c in places
        if 0 <= r < len(table.rows) and 0 <= c < len(table.columns)
    ]


class _Told:
    """What a group of checked numbers comes to: one assessment for all that hold, one for each that does not.

    `together` explains at once all that fail, `also` is added to what is said of those that hold.
    """

    def __init__(self, kind: str, place: str, done: dict[Cell, Checked]) -> None:
        self.kind, self.place, self.done = kind, place, done
        self.together = self.also = ""

    def __iter__(self) -> Iterator[Assessment]:
        failing = {cell: one for cell, one in self.done.items() if one.outcome == "fails"}
        one_story = bool(self.together) and len(failing) > 1
        if one_story:
            yield self._failing(failing)
        for cell, checked in self.done.items():
            if checked.outcome == "fails" and one_story:
                continue
            # An agreement holds under a rule for ties, and which one matters.
            if checked.outcome != "holds" or self.kind == "agreement":
                both = [one for one in (checked.explanation, self.together) if one]
                yield made(self.kind, cell.address, checked._replace(explanation="; ".join(both)))
        held = sum(one.outcome == "holds" for one in self.done.values())
        if held and self.kind != "agreement":
            place = self.place if held == len(self.done) else f"{self.place}, the others"
            reason = f"{held} of {plural(len(self.done), 'number')} follow{self.also}"
            numbers = {"numbers": len(self.done), "hold": held}
            yield made(self.kind, place, Checked("holds", "", "", reason, "", numbers))

    def _failing(self, failing: dict[Cell, Checked]) -> Assessment:
        told = listed([f"{cell.row} {one.said} ({one.found} follows)" for cell, one in failing.items()])
        reason = f"{len(failing)} of {plural(len(self.done), 'number')} don't follow: {told}"
        numbers = {cell.address: [one.said, one.found] for cell, one in failing.items()}
        return made(self.kind, self.place, Checked("fails", "", "", reason, self.together, numbers))


def summaries(book: Book, table: Published) -> Iterator[Assessment]:
    """Rows that are computed from the other rows, column by column."""
    for row, formula in table.spec.summary.items():
        cells = [cell for column in table.columns if (cell := table.cells[row, column]).value is not None]
        done = {cell: _computed(book, cell, summed(formula, table.key, cell.column)) for cell in cells}
        yield from _Told(formula.how, f"{table.key} / {row} / *", done)
