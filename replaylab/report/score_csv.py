"""CSV after RFC 4180 that no spreadsheet runs: CRLF, quotes where they are needed, UTF-8.

A spreadsheet takes a field that begins with = + - or @ for a formula, and a name can come from a model's server. Such
a text gets an apostrophe in front, which spreadsheets don't show; a number never does, so -3.5 stays a number.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence

from replaylab.canonical import dumps
from replaylab.report.markup import seen
from replaylab.report.score_cells import plain_value, whole
from replaylab.schema.base import Json
from replaylab.score.value import Cell, Denominator, Table

# The full-width forms too: some programs fold them. Blanks before them don't help everywhere.
_FORMULA = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?([eE][+-]?\d+)?%?")


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A file with one line of names."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n", strict=True)
    texts = _Texts()
    for row in (head, *rows):
        writer.writerow([texts[value] if type(value) is str else _field(value) for value in row])
    return out.getvalue()


class _Texts(dict[str, str]):
    """How texts stand in a file: the same names stand in many thousand rows."""

    def __missing__(self, value: str) -> str:
        text = self[value] = _field(value)
        return text


def _field(value: object) -> str:
    if type(value) is not str:
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, int | float):
            return repr(value)
    text = seen(value)
    if text[:1].isalnum():
        return text
    return f"'{text}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else text


def table_csv(table: Table, denominator: Denominator = "planned") -> bytes:
    """A table. Each column is followed by what stands behind its text, as far as any row has it: `rate value`
    (unrounded), `rate k`, `rate n` (passed trials of how many), `rate error`, `rate missing`, `rate low`, `rate high`
    and `rate note`.
    """
    wanted = [
        [
            part
            for part in _PARTS
            if any(_is_told(_part(row[at], part, denominator), part) for row in table.rows)
        ]
        for at in range(len(table.columns))
    ]
    head = [
        title
        for column, parts in zip(table.columns, wanted, strict=True)
        for title in (column.key, *(f"{column.key} {part}" for part in parts))
    ]
    rows = [
        [
            value
            for cell, parts in zip(row, wanted, strict=True)
            for value in (cell.text, *(_part(cell, part, denominator) for part in parts))
        ]
        for row in table.rows
    ]
    return csv_text(head, rows).encode()


_PARTS = ("value", "k", "n", "error", "missing", "low", "high", "note")


def _part(cell: Cell, name: str, denominator: Denominator) -> Json:
    if name == "value":
        value = plain_value(cell.value)
        if value == cell.text:
            return None
        return dumps(value).decode() if isinstance(value, list | dict) else value
    if name in {"low", "high"}:
        return plain_value(getattr(cell.interval, name)) if cell.interval else None
    if name == "note":
        return cell.note
    if cell.count is None:
        return None
    if name == "n":
        return whole(cell, denominator)
    if name == "k":
        return cell.count.passed
    return getattr(cell.count, name)


def _is_told(value: Json, part: str) -> bool:
    """Whether a column of this part says anything: one of zero errors alone does not."""
    return value not in ((None, "", 0) if part in {"error", "missing"} else (None, ""))
