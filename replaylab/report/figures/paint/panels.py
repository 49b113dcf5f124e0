"""Draws small line charts side by side: the same vertical scale, whiskers, and each number written below its point."""

from __future__ import annotations

from replaylab.report.figures.paint.frame import (
    MARGIN,
    Scale,
    dot,
    height_of,
    names,
    stack,
    tick_text,
    widest,
)
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL, width_of
from replaylab.report.figures.value import FAINT, MUTED, Look, Panel, Panels
from replaylab.report.figures.words import DASH, rounded

SLOT, HEIGHT, GAP, BELOW = 28.0, 84.0, 14.0, 14.0
TITLE_LINES, LABEL_LINES = 3, 3
SCALE_ROOM = 26.0
WIDE = 690.0


class PanelsPainter:
    """Measures titles and the names of points, and draws the grid of charts."""

    def __init__(self, body: Panels) -> None:
        self.body = body
        self._labels = [
            names([name for name, _ in panel.points], SLOT + 22, LABEL_LINES, size=SMALL)
            for panel in body.panels
        ]
        self._slot = max(SLOT, max(widest(labels, SMALL) for labels in self._labels) + 6)
        most = max(len(panel.points) for panel in body.panels)
        below = max(width_of(panel.below, SMALL) for panel in body.panels)
        self._panel = max(self._slot * most, 104.0, below)
        self._titles = self._names()
        fitting = max(1, int((WIDE - 2 * MARGIN - SCALE_ROOM + GAP) // (self._panel + GAP)))
        self._across = min(fitting, len(body.panels))
        self.width = 2 * MARGIN + SCALE_ROOM + self._across * (self._panel + GAP) - GAP

    def _names(self) -> list[list[str]]:
        """The titles: different ones among the charts that show the same thing."""
        found: dict[int, list[str]] = {}
        for below in dict.fromkeys(panel.below for panel in self.body.panels):
            alike = [n for n, panel in enumerate(self.body.panels) if panel.below == below]
            shown = names([self.body.panels[n].title for n in alike], self._panel, TITLE_LINES, bold=True)
            found |= dict(zip(alike, shown, strict=True))
        return [found[n] for n in range(len(self.body.panels))]

    def draw(self, sheet: Sheet, top: float) -> float:
        """Row after row of charts."""
        y = stack(sheet, MARGIN, top, [self.body.axis.label], size=SMALL, colour=MUTED) + 3
        for which in self._lines():
            y = self._line(sheet, which, y) + BELOW
        return y - BELOW

    def _lines(self) -> list[list[int]]:
        """Which charts stand side by side: as many as fit, and none beside one that shows something else."""
        lines: list[list[int]] = []
        for n, panel in enumerate(self.body.panels):
            if lines and len(lines[-1]) < self._across and self.body.panels[n - 1].below == panel.below:
                lines[-1].append(n)
            else:
                lines.append([n])
        return lines

    def _line(self, sheet: Sheet, which: list[int], top: float) -> float:
        begin = top + max(height_of(self._titles[n]) for n in which) + 6
        end = begin + HEIGHT
        scale = Scale(self.body.axis, end, begin)
        label_room = max(height_of(label, SMALL) for n in which for label in self._labels[n])
        self._scale(sheet, scale)
        for place, n in enumerate(which):
            x = MARGIN + SCALE_ROOM + place * (self._panel + GAP)
            title = self._titles[n]
            stack(sheet, x, begin - 6 - height_of(title), title, bold=True)
            self._panel_at(sheet, scale, n, x, label_room)
        return end + 5 + label_room + 2 * height_of([""], SMALL) + 2

    @staticmethod
    def _scale(sheet: Sheet, scale: Scale) -> None:
        for tick in scale.axis.ticks:
            sheet.text(
                MARGIN + SCALE_ROOM - 5, scale(tick), tick_text(tick), size=SMALL, align="right", colour=MUTED
            )

    def _panel_at(self, sheet: Sheet, scale: Scale, n: int, left: float, label_room: float) -> None:
        panel = self.body.panels[n]
        for tick in scale.axis.ticks:
            sheet.line((left, left + self._panel), (scale(tick), scale(tick)), colour=FAINT, width=0.6)
        slot = self._panel / len(panel.points)
        xs = [left + (k + 0.5) * slot for k in range(len(panel.points))]
        self._marks(sheet, scale, panel, xs)
        below = scale(scale.axis.low) + 5
        for x, label, (_, point) in zip(xs, self._labels[n], panel.points, strict=True):
            stack(sheet, x, below, label, size=SMALL, align="center", colour=MUTED)
            said = DASH if point.value is None else rounded(point.value)
            stack(sheet, x, below + label_room, [said], size=SMALL, align="center")
        under = below + label_room + height_of([""], SMALL)
        stack(sheet, left + self._panel / 2, under, [panel.below], size=SMALL, align="center", colour=MUTED)

    @staticmethod
    def _marks(sheet: Sheet, scale: Scale, panel: Panel, xs: list[float]) -> None:
        known = [
            (x, scale(p.value)) for x, (_, p) in zip(xs, panel.points, strict=True) if p.value is not None
        ]
        sheet.line([x for x, _ in known], [y for _, y in known], colour=MUTED, width=1.0)
        for x, (_, point) in zip(xs, panel.points, strict=True):
            if point.low is not None and point.high is not None:
                low, high = scale(point.low), scale(point.high)
                sheet.line((x, x), (low, high), width=1.1)
                for end in (low, high):
                    sheet.line((x - 2.4, x + 2.4), (end, end), width=1.1)
            if point.value is not None:
                dot(sheet, x, scale(point.value), Look())
