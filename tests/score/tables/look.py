"""Ways to look at a table in tests."""

from __future__ import annotations

from typing import Any

from replaylab.score.value import Cell, Table


def cell(table: Table | None, row: str | int, key: str) -> Cell:
    """The cell of a row, by the text of its first cell or by its number, and a column key."""
    assert table is not None
    column = keys(table).index(key)
    rows = [one for number, one in enumerate(table.rows) if row in (number, one[0].text)]
    assert len(rows) == 1, [one[0].text for one in table.rows]
    return rows[0][column]


def text(table: Table | None, row: str | int, key: str) -> str:
    return cell(table, row, key).text


def keys(table: Table) -> list[str]:
    return [column.key for column in table.columns]


def texts(table: Table | None, *only: str) -> list[list[str]]:
    """The printed rows, some columns or all."""
    assert table is not None
    wanted = [number for number, key in enumerate(keys(table)) if not only or key in only]
    return [[row[number].text for number in wanted] for row in table.rows]


def notes(table: Table | None) -> str:
    assert table is not None
    return "\n".join(table.notes)


def facts(**fields: Any) -> Any:
    """Further fields for every trial of a study in a test."""
    return lambda key, outcome: fields
