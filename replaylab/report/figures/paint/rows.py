"""Draws a chart of rows: names at the left, bars or dots with whiskers along a scale, numbers at the right."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.report.figures.paint.frame import (
    LEADING,
    MARGIN,
    Scale,
    dot,
    grid_down,
    height_of,
    names,
    stack,
    whisker,
    widest,
)
from replaylab.report.figures.paint.keys import key_height, looks_key
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL, printable, width_of
from replaylab.report.figures.value import INK, MUTED, WHITE, Group, Row, Rows, Section

NAME_ROOM, SUB_ROOM, PANEL = 165.0, 120.0, 230.0
PITCH, BAR = 13.0, 8.0
GAP, GROUP_GAP, SECTION_GAP = 9.0, 6.0, 8.0


class _Placed(NamedTuple):
    """A group with its lines of text and the height of each of its rows."""

    group: Group
    name: list[str]
    subs: list[list[str]]
    pitches: list[float]

    @property
    def height(self) -> float:
        return max(sum(self.pitches), height_of(self.name) + 3)


class RowsPainter:
    """Measures the texts of a chart of rows, and draws it."""

    def __init__(self, body: Rows) -> None:
        self.body = body
        groups = [group for section in body.sections for group in section.groups]
        rows = [row for group in groups for row in group.rows]
        self._sections = [self._place(section) for section in body.sections]
        placed = [group for section in self._sections for group in section]
        self._single = all(len(group.rows) == 1 for group in groups)
        self._heads = names([section.heading for section in body.sections], NAME_ROOM, 3, bold=True)
        self._name = max(widest([group.name for group in placed]), widest(self._heads, bold=True))
        self._sub = widest([sub for group in placed for sub in group.subs], SMALL)
        self._columns = [printable(column) for column in body.columns]
        self._right = [
            max(width_of(text, SMALL) for text in (column, *(self._cell(row, n) for row in rows)))
            for n, column in enumerate(self._columns)
        ]
        left = self._name + GAP + (self._sub + GAP if self._sub else 0)
        self._start = MARGIN + left
        self._end = self._start + PANEL
        self.width = self._end + sum(GAP + 3 + width for width in self._right) + MARGIN

    @staticmethod
    def _cell(row: Row, n: int) -> str:
        return printable(row.right[n]) if n < len(row.right) else ""

    @staticmethod
    def _place(section: Section) -> list[_Placed]:
        shown = names([group.name for group in section.groups], NAME_ROOM, 3)
        placed = []
        for group, name in zip(section.groups, shown, strict=True):
            subs = names([row.sub for row in group.rows], SUB_ROOM, 2, size=SMALL)
            least = 10.5 if any(row.look.bar for row in group.rows) else PITCH
            pitches = [max(least, height_of(sub, SMALL) + 2) for sub in subs]
            placed.append(_Placed(group, name, subs, pitches))
        return placed

    def draw(self, sheet: Sheet, top: float) -> float:
        """Key, column headings, rows, scale."""
        # A sheet that is wider than the chart needs gives its width to the scale.
        self._end += sheet.width - self.width
        if self.body.key:
            looks_key(sheet, self.body.key, top)
            top += key_height(sheet, [text for _, text in self.body.key])
        self._headings(sheet, top)
        scale = Scale(self.body.axis, self._start, self._end)
        # The headings stand where the ticks above the chart do, beside it.
        begin = y = top + SMALL * LEADING + 2
        for heading, placed in zip(self._heads, self._sections, strict=True):
            y = self._section(sheet, scale, heading, placed, y)
        bottom = grid_down(sheet, scale, begin, y + 2)
        middle = (scale.start + scale.end) / 2
        return stack(sheet, middle, bottom, [self.body.axis.label], size=SMALL, align="center", colour=MUTED)

    def _headings(self, sheet: Sheet, top: float) -> None:
        x = self._end
        for column, width in zip(self._columns, self._right, strict=True):
            x += GAP + 3 + width
            stack(sheet, x, top, [column], size=SMALL, align="right", colour=MUTED)

    def _section(
        self, sheet: Sheet, scale: Scale, heading: list[str], placed: list[_Placed], y: float
    ) -> float:
        if any(heading):
            y = stack(sheet, MARGIN, y + SECTION_GAP, heading, bold=True) + 2
        for number, group in enumerate(placed):
            if number and not self._single:
                y += GROUP_GAP
            self._group(sheet, scale, group, y)
            y += group.height
        return y

    def _group(self, sheet: Sheet, scale: Scale, placed: _Placed, top: float) -> None:
        spare = placed.height - sum(placed.pitches)
        middles, y = [], top + spare / 2
        for pitch in placed.pitches:
            middles.append(y + pitch / 2)
            y += pitch
        # One row: the name beside it; several: the name at the first.
        start = top + (placed.height - height_of(placed.name)) / 2 if len(middles) == 1 else top
        stack(sheet, MARGIN, start, placed.name)
        if placed.group.joined:
            known = [
                (scale(row.point.value), y)
                for row, y in zip(placed.group.rows, middles, strict=True)
                if row.point.value is not None
            ]
            sheet.line([x for x, _ in known], [y for _, y in known], colour=MUTED, width=1.0, dashed=True)
        for row, sub, y in zip(placed.group.rows, placed.subs, middles, strict=True):
            stack(
                sheet, MARGIN + self._name + GAP, y - height_of(sub, SMALL) / 2, sub, size=SMALL, colour=MUTED
            )
            self._mark(sheet, scale, row, y)
            self._numbers(sheet, row, y)

    @staticmethod
    def _mark(sheet: Sheet, scale: Scale, row: Row, y: float) -> None:
        band = row.range
        if band.low is not None and band.high is not None:
            start = scale(band.low)
            sheet.box((start, y - 3.4), (scale(band.high) - start, 6.8), "#c9c9c9", edge=None, order=2)
        if row.point.value is None:
            return
        x = scale(row.point.value)
        if row.look.bar:
            zero = scale(max(0, scale.axis.low))
            sheet.box((min(zero, x), y - BAR / 2), (abs(x - zero), BAR), row.look.fill, hatch=row.look.hatch)
        whisker(sheet, scale, row.point, y)
        whisker(sheet, scale, row.second, y)
        if row.second.value is not None:
            sheet.marker(scale(row.second.value), y, "D", size=3.6, fill=WHITE, edge=INK)
        if not row.look.bar:
            dot(sheet, x, y, row.look)

    def _numbers(self, sheet: Sheet, row: Row, y: float) -> None:
        x = self._end
        for n, width in enumerate(self._right):
            x += GAP + 3 + width
            sheet.text(x, y, self._cell(row, n), size=SMALL, align="right")
