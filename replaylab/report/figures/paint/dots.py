"""Draws strips of dots with whiskers: the names at the left of every line of strips, each name at one height."""

from __future__ import annotations

from replaylab.report.figures.paint.frame import (
    MARGIN,
    Scale,
    dot,
    far,
    grid_down,
    height_of,
    names,
    stack,
    whisker,
    widest,
)
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL
from replaylab.report.figures.value import FAINT, MUTED, Dots, Look, Strip

NAME_ROOM, STRIP, GAP, PITCH, BETWEEN = 150.0, 112.0, 16.0, 11.5, 12.0
ACROSS = 4


class DotsPainter:
    """Measures names and titles, and draws the strips."""

    def __init__(self, body: Dots) -> None:
        self.body = body
        self._names = names(body.names, NAME_ROOM, 2)
        self._name = widest(self._names)
        self._pitches = [max(PITCH, height_of(name) + 1.5) for name in self._names]
        self._titles = names([strip.title for strip in body.strips], STRIP, 2, bold=True)
        self._subs = [names([strip.sub], STRIP, 2, size=SMALL)[0] for strip in body.strips]
        # Lines of strips that are as full as possible: six are two times three, not four and two.
        lines = -(-len(body.strips) // ACROSS)
        self._across = -(-len(body.strips) // lines)
        self.width = 2 * MARGIN + self._name + GAP + self._across * (STRIP + GAP) - GAP

    def draw(self, sheet: Sheet, top: float) -> float:
        """Line after line of strips, each with the names and the scale."""
        y = top
        for start in range(0, len(self.body.strips), self._across):
            y = self._line(sheet, range(start, min(start + self._across, len(self.body.strips))), y) + BETWEEN
        middle = MARGIN + self._name + GAP + (self._across * (STRIP + GAP) - GAP) / 2
        return stack(
            sheet, middle, y - BETWEEN, [self.body.axis.label], size=SMALL, align="center", colour=MUTED
        )

    def _line(self, sheet: Sheet, which: range, top: float) -> float:
        above = far(sum(self._pitches))
        heads = [height_of(self._titles[n]) + height_of(self._subs[n], SMALL) for n in which]
        begin = top + max(heads) + 4 + above
        middles, y = [], begin + 2
        for name, pitch in zip(self._names, self._pitches, strict=True):
            stack(sheet, MARGIN, y + (pitch - height_of(name)) / 2, name)
            middles.append(y + pitch / 2)
            y += pitch
        for place, (n, head) in enumerate(zip(which, heads, strict=True)):
            x = MARGIN + self._name + GAP + place * (STRIP + GAP)
            under = stack(sheet, x, begin - 4 - above - head, self._titles[n], bold=True)
            stack(sheet, x, under, self._subs[n], size=SMALL, colour=MUTED)
            self._strip(
                sheet, self.body.strips[n], Scale(self.body.axis, x, x + STRIP), begin, middles, y + 2
            )
        return y + 15

    @staticmethod
    def _strip(
        sheet: Sheet, strip: Strip, scale: Scale, top: float, middles: list[float], bottom: float
    ) -> None:
        grid_down(sheet, scale, top, bottom, size=SMALL - 1)
        if strip.line is not None:
            x = scale(strip.line)
            sheet.line((x, x), (top, bottom), colour=MUTED, width=0.9, dashed=True)
        for point, y in zip(strip.points, middles, strict=True):
            sheet.line((scale.start, scale.end), (y, y), colour=FAINT, width=0.4)
            if point.value is not None:
                whisker(sheet, scale, point, y, cap=1.8)
                dot(sheet, scale(point.value), y, Look(), size=4.2)
