"""All tables of a claims file with their cells, and how a claim refers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from replaylab.audit.cells import RULES, Cell, Condition, listed, plural
from replaylab.audit.claims import ClaimsFile
from replaylab.audit.formula import Terms, evaluate
from replaylab.audit.tables import ColumnSpec, Formula, How, TableSpec
from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.score.rounding import Rule, decimal

EMPTY = ("", "-", "–", "—")
DERIVED: tuple[How, ...] = ("mean", "min", "max", "robustness", "difference", "ratio", "relative")


@dataclass(frozen=True)
class RuleFit:
    """Under which rule how many rates of a table can't be. `rates` is how many there are; `rule` is the one taken."""

    rule: Rule
    rates: int
    impossible: dict[Rule, int]
    declared: bool = False

    @property
    def fitting(self) -> tuple[Rule, ...]:
        """The rules under which the fewest cells fail."""
        least = min(self.impossible.values(), default=0)
        return tuple(rule for rule in RULES if self.impossible.get(rule, 0) == least)


@dataclass(frozen=True)
class Published:
    """A table. `cells` is by row and column; `rows` are in order, summary rows among them."""

    key: str
    spec: TableSpec
    cells: dict[tuple[str, str], Cell]
    fit: RuleFit

    @property
    def title(self) -> str:
        return self.spec.title or self.key

    @property
    def rows(self) -> tuple[str, ...]:
        return tuple(self.spec.rows)

    @property
    def members(self) -> tuple[str, ...]:
        """The rows that are no summary."""
        return tuple(row for row in self.spec.rows if row not in self.spec.summary)

    @property
    def columns(self) -> tuple[str, ...]:
        return tuple(self.spec.columns)

    def unit(self, column: str) -> str:
        return self.spec.columns[column].unit or self.spec.unit

    def column(self, column: str) -> list[Cell]:
        """The cells of a column that hold a number, summary rows left out."""
        cells = [self.cells[row, column] for row in self.members]
        return [cell for cell in cells if cell.value is not None]


class Book:
    """The tables by their keys. Raises UsageError where a table refers to what is not there."""

    def __init__(self, file: ClaimsFile, name: str) -> None:
        self.file, self.name = file, name
        self.tables = {key: _published(key, spec, file, name) for key, spec in file.tables.items()}
        for table in self.tables.values():
            self._derive(table)
        self.cells = [cell for table in self.tables.values() for cell in table.cells.values()]

    def _derive(self, table: Published) -> None:
        """Gives computed cells the numbers that they were computed from: columns first, then summary rows."""
        columns = [name for name, spec in table.spec.columns.items() if spec.computed]
        for at in [(row, name) for name in columns for row in table.members]:
            self._derive_cell(table, at, table.spec.columns[at[1]].computed)
        for row, formula in table.spec.summary.items():
            for column in table.columns:
                self._derive_cell(table, (row, column), summed(formula, table.key, column))

    def _derive_cell(self, table: Published, at: tuple[str, str], formula: Formula | None) -> None:
        cell = table.cells[at]
        if formula is None or formula.how not in DERIVED or cell.value is None or cell.tolerance is not None:
            return
        span = evaluate(self.terms(cell, formula), "counts")
        if span is not None and all(decimal(end, cell.digits, cell.rule) == cell.text for end in span):
            table.cells[at] = replace(cell, derived=span)

    def terms(self, cell: Cell, formula: Formula) -> Terms:
        """What a computed cell follows from. It takes no part itself, but whoever is ranked is among the ranked."""
        where = f"tables/{cell.table}"
        over = self.refer(formula.over, where, at=cell)[0] if formula.over else None
        return self.complete(formula, tuple(self.operands(formula, where, cell)), over, where)

    def complete(self, formula: Formula, of: tuple[Cell, ...], over: Cell | None, where: str) -> Terms:
        """The terms. Raises UsageError for a rank among nothing but the cell itself: whatever it holds comes first there."""
        alone = over is not None and all(one.address == over.address for one in of)
        if formula.how == "rank" and over is not None and alone and not any("*" in one for one in formula.of):
            raise UsageError(
                f"the rank of {over.address} is taken among no other cell",
                where=f"{self.name}: {where}",
                fix=f"name the whole column in `of`: [{over.table} / * / {over.column}]",
            )
        return Terms(formula.how, of, over, formula.ties)

    def table(self, key: str, where: str) -> Published:
        found = self.tables.get(key)
        if found is None:
            raise unknown("table", key, self.tables, f"{self.name}: {where}")
        return found

    def cell(self, reference: str, where: str) -> Cell:
        """The one cell that a reference without `*` names."""
        cells = self.refer(reference, where)
        if len(cells) != 1:
            raise UsageError(
                f"{reference!r} names {len(cells)} cells, and one is due", where=f"{self.name}: {where}"
            )
        return cells[0]

    def refer(
        self, reference: str, where: str, *, at: Cell | None = None, without: Sequence[str] = ()
    ) -> list[Cell]:
        """The cells that a reference names. `at` is the cell that is computed: it gives the row and what `@` takes."""
        parts = [part.strip() for part in reference.split(" / ")]
        if len(parts) == 1 and at is not None:
            parts = [at.table, at.row, parts[0]]
        if len(parts) != 3:
            raise UsageError(
                f"{reference!r} is no reference",
                where=f"{self.name}: {where}",
                fix="write TABLE / ROW / COLUMN",
            )
        table = self.table(parts[0], where)
        row, column = (self._named(part, where, at) for part in parts[1:])
        rows = table.members if row == "*" else (row,)
        columns = table.columns if column == "*" else (column,)
        for kind, one, known in (("row", row, table.rows), ("column", column, table.columns)):
            if one != "*" and one not in known:
                raise unknown(f"{kind} of {table.key}", one, known, f"{self.name}: {where}")
        left_out = set(without)
        cells = [
            table.cells[r, c]
            for r in rows
            for c in columns
            if not (row == "*" and r in left_out) and not (column == "*" and c in left_out)
        ]
        if column == "*":
            cells = [cell for cell in cells if cell.value is not None]
        return cells

    def several(self, references: Sequence[str], where: str, least: int = 2) -> list[Cell]:
        """The cells that references name, so many at least. Raises UsageError where they name fewer, or one twice: of
        nothing, and of a cell and itself, whatever is said would hold.
        """
        cells = [cell for one in references for cell in self.refer(one, where)]
        seen: set[str] = set()
        for cell in cells:
            if cell.address in seen:
                raise UsageError(f"{cell.address} is named twice", where=f"{self.name}: {where}")
            seen.add(cell.address)
        if len(cells) < least:
            raise UsageError(
                f"{listed(references, 4)} name {plural(len(cells), 'cell')}, and {least} at least are due",
                where=f"{self.name}: {where}",
                fix="`*` stands for the rows that are no summary",
            )
        return cells

    def left_out(self, names: Sequence[str], references: Sequence[str], where: str) -> None:
        """Raise UsageError where `without` names what none of the tables has: it would leave nothing out."""
        tables = [self.table(one.split(" / ")[0].strip(), where) for one in references if " / " in one]
        known = [name for table in tables for name in (*table.rows, *table.columns)]
        for name in names if tables else ():
            if name not in known:
                raise unknown("row or column", name, dict.fromkeys(known), f"{self.name}: {where}/without")

    def _named(self, part: str, where: str, at: Cell | None) -> str:
        """What a part of a reference names: `@COLUMN` is the text in that column of the computed cell's row."""
        if not part.startswith("@") or at is None:
            return part
        return text_of(self.tables[at.table].spec, at.row, part[1:], f"{self.name}: {where}")

    def operands(self, formula: Formula, where: str, at: Cell | None = None) -> list[Cell]:
        """The cells that a formula takes, without the one that is computed."""
        self.left_out(formula.without, formula.of, where)
        cells = [
            cell for one in formula.of for cell in self.refer(one, where, at=at, without=formula.without)
        ]
        return [cell for cell in cells if at is None or cell.address != at.address]


def summed(formula: Formula, table: str, column: str) -> Formula:
    """The formula of a summary row in one column: over all other rows, unless it says of what."""
    return formula if formula.of else formula.model_copy(update={"of": (f"{table} / * / {column}",)})


def text_of(spec: TableSpec, row: str, column: str, where: str) -> str:
    """The text of a cell of the table itself."""
    columns = list(spec.columns)
    if column not in columns:
        raise unknown("column", column, columns, where)
    return spec.rows[row][columns.index(column)]


def unknown(kind: str, name: str, known: Iterable[str], where: str) -> UsageError:
    """That there is no such table, row or column, and which comes closest."""
    names = list(known)
    return UsageError(
        f"there is no {kind} {name!r}",
        where=where,
        closest=closest(name, names),
        fix=f"known: {', '.join(names[:20])}" if names else "the file has none",
    )


def _published(key: str, spec: TableSpec, file: ClaimsFile, name: str) -> Published:
    where = f"{name}: tables/{key}"
    for part, names in (("summary", spec.summary), ("cell_n", spec.cell_n)):
        for row in names:
            if row not in spec.rows:
                error = unknown("row", row, spec.rows, f"{where}/{part}")
                fix = f"its numbers stand under `rows`, like those of other rows; {error.fix}"
                raise UsageError(error.what, where=error.where, closest=error.closest, fix=fix)
    for column in (*spec.bold, *(c for of in spec.cell_n.values() for c in of)):
        if column not in spec.columns:
            raise unknown("column", column, spec.columns, where)
    plain = {
        (row, column): _cell(key, spec, row, column, text, where)
        for row, texts in spec.rows.items()
        for column, text in zip(spec.columns, texts, strict=True)
    }
    fit = _fit(spec, file, list(plain.values()))
    cells = {at: replace(cell, rule=fit.rule) for at, cell in plain.items()}
    return Published(key, spec, cells, fit)


def _cell(key: str, spec: TableSpec, row: str, column: str, text: str, where: str) -> Cell:
    one = spec.columns[column]
    unit = one.unit or spec.unit
    summary = row in spec.summary
    n = spec.cell_n.get(row, {}).get(column, one.n if one.n is not None else spec.n)
    return Cell(
        table=key,
        row=row,
        column=column,
        text="" if text.strip() in EMPTY else text,
        unit=unit,
        # A summary over rows is no count of one row's tasks, and neither is a difference.
        n=None if summary or unit != "%" or n == 0 else n,
        tolerance=None if one.tolerance is None else Fraction(one.tolerance),
        condition=_condition(spec, one, row, f"{key} / {column}", where),
        summary=summary,
    )


def _condition(spec: TableSpec, column: ColumnSpec, row: str, own: str, where: str) -> Condition:
    """What a number is of. A column that doesn't say is of something that no other column is of."""
    found = {spec.rows_are: row} | spec.condition | (column.condition or {"column": own})
    for name, value in found.items():
        if value.startswith("@"):
            found[name] = text_of(spec, row, value[1:], where)
    return tuple(sorted(found.items()))


def _fit(spec: TableSpec, file: ClaimsFile, cells: Sequence[Cell]) -> RuleFit:
    """The rule of a table: as declared, else the one under which the fewest rates are impossible.

    Of several that fit as well the file's own or the first of the list is taken; `fitting` tells that they are several.
    """
    rates = [cell for cell in cells if cell.tolerance is None and cell.counts() is not None]
    impossible = {rule: sum(not cell.counts(rule=rule) for cell in rates) for rule in RULES}
    declared = spec.rounding if spec.rounding != "detect" else file.rounding
    if declared != "detect":
        return RuleFit(declared, len(rates), impossible, declared=True)
    least = min(impossible.values(), default=0)
    best = next(rule for rule in RULES if impossible[rule] == least)
    return RuleFit(best, len(rates), impossible)
