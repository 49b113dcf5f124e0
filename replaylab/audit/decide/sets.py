"""Claims about rows as a whole: in all of them, in so many of them, how many there are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from replaylab.audit import assertions as say
from replaylab.audit.book import Book, Published, unknown
from replaylab.audit.cells import Cell, listed, plural
from replaylab.audit.compute import Checked
from replaylab.audit.decide.values import where_of
from replaylab.audit.formula import sign
from replaylab.audit.tables import is_number

NO_ROWS = "there is no row that it could be about"
_CONDITION = re.compile(r"(.+?) (<=|>=|!=|<|>|=) (.+)")


class Met(NamedTuple):
    """The rows in which a condition holds, in which it does not, and which the printed numbers leave open."""

    yes: list[str]
    no: list[str]
    open: list[str]
    cells: dict[str, str]


def universal(book: Book, claim: say.Universal) -> Checked:
    """In every row; one counter-example is enough."""
    met = _met(book, claim, claim.table, claim.condition)
    whole = len(met.yes) + len(met.no) + len(met.open)
    numbers = {"rows": whole, "holds_in": len(met.yes), "counter_examples": met.no}
    if not whole:
        return Checked("undecided", "every row", "", NO_ROWS, "", numbers)
    if met.no:
        told = listed([f"{row} ({met.cells[row]})" for row in met.no], 6)
        reason = f"{claim.condition} in {len(met.yes)} of {plural(whole, 'row')}; not in {told}"
        return Checked("fails", "every row", f"{len(met.yes)} of {whole}", reason, _except(met), numbers)
    if met.open:
        reason = f"the printed numbers leave {listed(met.open, 6)} open"
        return Checked("undecided", "every row", f"{len(met.yes)} of {whole}", reason, "", numbers)
    return Checked(
        "holds", "every row", f"{whole} of {whole}", f"{claim.condition} in all {whole} rows", "", numbers
    )


def _except(met: Met) -> str:
    return f"holds without {listed(met.no)}" if len(met.no) <= 3 and met.yes else ""


def count(book: Book, claim: say.Count) -> Checked:
    """In so many rows, and in those that are named."""
    met = _met(book, claim, claim.table, claim.condition)
    whole = len(met.yes) + len(met.no) + len(met.open)
    said = f"{claim.expect} of {whole if claim.of is None else claim.of}"
    found = f"{len(met.yes)} of {whole}: {listed([f'{row} ({met.cells[row]})' for row in met.yes])}"
    numbers = {"rows": whole, "members": met.yes, "open": met.open}
    if not whole:
        return Checked("undecided", said, "", NO_ROWS, "", numbers)
    problems = []
    if claim.of is not None and claim.of != whole:
        problems.append(f"there are {whole} rows, not {claim.of}")
    enough = len(met.yes) >= claim.expect if claim.at_least else len(met.yes) == claim.expect
    possible = len(met.yes) <= claim.expect <= len(met.yes) + len(met.open)
    if not enough and not possible:
        problems.append(f"it holds in {len(met.yes)}")
    if claim.members is not None:
        wrong = [row for row in claim.members if row not in met.yes and row not in met.open]
        missing = [row for row in met.yes if row not in claim.members]
        problems += [f"not in {listed(wrong)}"] if wrong else []
        problems += [f"also in {listed(missing)}"] if missing else []
    if problems:
        return Checked("fails", said, found, f"{'; '.join(problems)} ({found})", "", numbers)
    if not enough or (met.open and not claim.at_least):
        return Checked(
            "undecided", said, found, f"the printed numbers leave {listed(met.open)} open", "", numbers
        )
    return Checked("holds", said, found, found, "", numbers)


def scope(book: Book, claim: say.Scope) -> Checked:
    """How many rows, columns or different texts there are."""
    table = book.table(claim.table, where_of(claim))
    book.left_out(claim.without, [f"{table.key} / *"], where_of(claim))
    rows = [row for row in table.members if row not in claim.without]
    numbers: dict[str, object] = {}
    if claim.what == "rows":
        found, reason = len(rows), f"{table.key} has {plural(len(rows), 'row')}: {listed(rows, 20)}"
    elif claim.what == "columns":
        columns = [name for name in table.columns if table.unit(name) != "text" and name not in claim.without]
        found, reason = len(columns), f"{table.key} has {plural(len(columns), 'column')} of numbers"
    else:
        column = claim.column or ""
        if column not in table.columns:
            raise unknown(f"column of {table.key}", column, table.columns, f"{book.name}: {where_of(claim)}")
        texts = [text for row in rows if (text := table.cells[row, column].text)]
        several = [text for text in dict.fromkeys(texts) if texts.count(text) > 1]
        found = len(set(texts))
        twice = [
            f"{text} ({listed([r for r in rows if table.cells[r, column].text == text])})" for text in several
        ]
        reason = f"{found} different in {plural(len(rows), 'row')}" + (
            f"; several rows: {listed(twice, 4)}" if twice else ""
        )
        numbers["several"] = several
    outcome = found == claim.expect
    return Checked(
        "holds" if outcome else "fails",
        str(claim.expect),
        str(found),
        reason,
        "",
        {"found": found, **numbers},
    )


def _met(book: Book, claim: say.Universal | say.Count, key: str, condition: str) -> Met:
    where = where_of(claim)
    table = book.table(key, where)
    match = _CONDITION.fullmatch(condition)
    left, is_, right = match.groups() if match else ("", "", "")
    for name in (left, right):
        if name not in table.columns and not (name == right and is_number(name)):
            raise unknown(f"column of {key}", name, table.columns, f"{book.name}: {where}")
    met = Met([], [], [], {})
    members = claim.members or () if isinstance(claim, say.Count) else ()
    for row in _rows(table, claim.rows, claim.without, f"{book.name}: {where}", members):
        one = table.cells[row, left]
        other = table.cells[row, right] if right in table.columns else Cell(key, row, "", right, "count")
        found = sign(one, other)
        met.cells[row] = f"{one.text} and {other.text}"
        if found is None:
            met.open.append(row)
        else:
            (met.yes if _is(found, is_) else met.no).append(row)
    return met


def _rows(
    table: Published, rows: Sequence[str], without: Sequence[str], where: str, members: Sequence[str] = ()
) -> list[str]:
    for row in (*rows, *without, *members):
        if row not in table.rows:
            raise unknown(f"row of {table.key}", row, table.rows, where)
    left_out = set(without)
    return [row for row in dict.fromkeys(rows or table.members) if row not in left_out]


def _is(found: int, is_: str) -> bool:
    return {
        "<": found < 0,
        "<=": found <= 0,
        ">": found > 0,
        ">=": found >= 0,
        "=": found == 0,
        "!=": found != 0,
    }[is_]
