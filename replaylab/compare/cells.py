"""Cells and columns that the tables of this package share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from replaylab.compare.values import Share
from replaylab.score.cells import empty, in_points, points
from replaylab.score.rounding import decimal, percent
from replaylab.score.value import Cell, Column, Interval, Table


def text_column(key: str, title: str) -> Column:
    """A column of names."""
    return Column(key=key, title=title, numeric=False)


def number_column(key: str, title: str, unit: str = "") -> Column:
    """A column of numbers."""
    return Column(key=key, title=title, unit=unit)


def table(
    name: str,
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    notes: Sequence[str] = (),
) -> Table:
    """A table in the full layout."""
    return Table(
        id=name,
        title=title,
        layout="full",
        columns=tuple(columns),
        rows=tuple(tuple(row) for row in rows),
        notes=tuple(notes),
    )


def share_cell(share: Share, why: str = "no call could be checked") -> Cell:
    """A share in percent points with its interval; empty where nothing is in the denominator."""
    value = share.value
    if value is None:
        return empty(why)
    return Cell(
        text=share.text,
        value=points(value),
        interval=in_points(share.interval),
        note=_interval_note(share.interval),
    )


def counted_cell(share: Share, why: str = "no call could be checked") -> Cell:
    """The same with its counts: "57.9 (11/19)"."""
    cell = share_cell(share, why)
    return cell.model_copy(update={"text": f"{cell.text} ({share.k}/{share.n})"}) if cell.text else cell


def points_cell(value: float | None, interval: Interval | None = None, why: str = "") -> Cell:
    """A difference of shares in percent points."""
    if value is None:
        return empty(why)
    note = _interval_note(interval)
    return Cell(
        text=percent(Fraction(value), 1), value=points(value), interval=in_points(interval), note=note
    )


def amount_cell(
    value: float | None, interval: Interval | None = None, why: str = "", digits: int = 1
) -> Cell:
    """A mean of amounts, with its interval in the same unit."""
    if value is None:
        return empty(why)
    note = _interval_note(interval)
    return Cell(text=decimal(Fraction(value), digits), value=value, interval=interval, note=note)


def _interval_note(interval: Interval | None) -> str:
    return f"interval: {interval.note}" if interval and interval.note else ""
