"""Draws a radar of a few names beside the table of their numbers with intervals."""

from __future__ import annotations

import math

from replaylab.report.figures.paint.frame import MARGIN, height_of, names, stack, widest
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL, printable
from replaylab.report.figures.value import FAINT, FILLS, INK, MUTED, SHAPES, WHITE, Radar

RADIUS, AROUND, GAP = 100.0, 58.0, 14.0
HEAD_ROOM, SPOKE_ROOM = 74.0, 120.0


class RadarPainter:
    """Measures the table and the names of the spokes, and draws both side by side."""

    def __init__(self, body: Radar) -> None:
        self.body = body
        self._around = names(body.spokes, AROUND, 3, size=SMALL)
        self._rows = names(body.spokes, SPOKE_ROOM, 2, size=SMALL)
        self._heads = names(body.names, HEAD_ROOM, 4, size=SMALL)
        cells = [tuple(map(printable, row)) for row in body.cells]
        self._cells = cells
        self._columns = [
            max(widest([self._heads[n]], SMALL), widest([[row[n] for row in cells]], SMALL), 18.0)
            for n in range(len(body.names))
        ]
        self._circle = 2 * (RADIUS + 8 + AROUND)
        self._table = widest(self._rows, SMALL) + sum(GAP + width for width in self._columns)
        self.width = 2 * MARGIN + self._circle + 2 * GAP + self._table

    def draw(self, sheet: Sheet, top: float) -> float:
        """The circle at the left, the table at the right."""
        high = max(height_of(name, SMALL) for name in self._around)
        middle = (MARGIN + self._circle / 2, top + high + 8 + RADIUS)
        self._web(sheet, middle)
        for n, values in enumerate(self.body.values):
            self._shape(sheet, middle, n, values)
        below = self._draw_table(sheet, MARGIN + self._circle + 2 * GAP, top + 6)
        return max(below, middle[1] + RADIUS + high + 12)

    def _at(self, middle: tuple[float, float], spoke: float, value: float) -> tuple[float, float]:
        far = RADIUS * (value - self.body.floor) / (100 - self.body.floor)
        angle = 2 * math.pi * spoke / len(self.body.spokes)
        return middle[0] + far * math.sin(angle), middle[1] - far * math.cos(angle)

    def _web(self, sheet: Sheet, middle: tuple[float, float]) -> None:
        count = len(self.body.spokes)
        rings = [tick for tick in (20, 40, 60, 80, 100) if tick > self.body.floor]
        for ring in rings:
            corners = [self._at(middle, n % count, ring) for n in range(count + 1)]
            sheet.line([x for x, _ in corners], [y for _, y in corners], colour=FAINT, width=0.6)
        for n, name in enumerate(self._around):
            x, y = self._at(middle, n, 100)
            sheet.line((middle[0], x), (middle[1], y), colour=FAINT, width=0.6)
            self._spoke_name(sheet, middle, n, name)
        for ring in rings:
            # Between the first two spokes, where no name stands.
            x, y = self._at(
                middle, 0.5, self.body.floor + (ring - self.body.floor) * math.cos(math.pi / count)
            )
            sheet.text(x, y, str(ring), size=SMALL - 1, align="center", colour=MUTED)

    def _spoke_name(self, sheet: Sheet, middle: tuple[float, float], n: int, name: list[str]) -> None:
        angle = 2 * math.pi * n / len(self.body.spokes)
        across, up = math.sin(angle), math.cos(angle)
        x, y = middle[0] + (RADIUS + 8) * across, middle[1] - (RADIUS + 8) * up
        align = "center" if abs(across) < 0.2 else "left" if across > 0 else "right"
        high = height_of(name, SMALL)
        stack(sheet, x, y - high * (1 + up) / 2, name, size=SMALL, align=align)

    def _shape(
        self, sheet: Sheet, middle: tuple[float, float], n: int, values: tuple[float | None, ...]
    ) -> None:
        colour, shape = FILLS[n % len(FILLS)], SHAPES[n % len(SHAPES)]
        count = len(values)
        places = [None if v is None else self._at(middle, spoke, v) for spoke, v in enumerate(values)]
        for spoke in range(count):
            here, there = places[spoke], places[(spoke + 1) % count]
            if here and there:
                sheet.line(
                    (here[0], there[0]), (here[1], there[1]), colour=colour, width=1.3, dashed=bool(n % 2)
                )
        for place in places:
            if place:
                sheet.marker(*place, shape, size=4.4, fill=colour if n % 2 == 0 else WHITE, edge=INK)

    def _draw_table(self, sheet: Sheet, left: float, top: float) -> float:
        first = left + widest(self._rows, SMALL)
        deepest = max(height_of(head, SMALL) for head in self._heads)
        x = first
        for n, width in enumerate(self._columns):
            x += GAP + width
            colour, shape = FILLS[n % len(FILLS)], SHAPES[n % len(SHAPES)]
            sheet.marker(x - 4, top + 4, shape, size=5.5, fill=colour if n % 2 == 0 else WHITE, edge=INK)
            start = top + 12 + deepest - height_of(self._heads[n], SMALL)
            stack(sheet, x, start, self._heads[n], size=SMALL, align="right")
        y = stack(
            sheet,
            left,
            top + 12 + deepest - height_of([""], SMALL),
            [self.body.label],
            size=SMALL,
            colour=MUTED,
        )
        sheet.line((left, x), (y + 2, y + 2), width=0.6)
        y += 4
        for name, row in zip(self._rows, self._cells, strict=True):
            high = height_of(name, SMALL) + 4
            stack(sheet, left, y + 2, name, size=SMALL)
            x = first
            for width, cell in zip(self._columns, row, strict=True):
                x += GAP + width
                sheet.text(x, y + high / 2, cell, size=SMALL, align="right")
            y += high
        return y
