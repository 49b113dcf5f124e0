"""What all figures share: title, caption, scale, whiskers and keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import BODY, SMALL, TITLE, printable, room_of, width_of
from replaylab.report.figures.value import FAINT, INK, MUTED, WHITE, Axis, Look, Plot, Point
from replaylab.report.figures.words import MINUS, labels, wrap

MARGIN = 14.0
LEAST_WIDTH = 500.0
FAR = 320.0
LEADING = 1.33  # of the font size, from line to line


class Painter(Protocol):
    """Knows how wide a body is, then draws it from `top` down and says where it ends."""

    width: float

    def draw(self, sheet: Sheet, top: float) -> float:
        """Draw; the result is the y below everything drawn."""
        ...


def draw_plot(plot: Plot, painter: Painter) -> Sheet:
    """Title, body, notices and caption on a sheet as wide as the body needs."""
    sheet = Sheet(max(LEAST_WIDTH, painter.width))
    y = paragraph(sheet, MARGIN, plot.title, size=TITLE, bold=True) + 6
    y = painter.draw(sheet, y) + 10
    for notice in plot.notices:
        y = paragraph(sheet, y, notice, size=SMALL + 0.5, bold=True)
    if plot.caption:
        y = paragraph(sheet, y, " ".join(plot.caption), size=SMALL + 0.5, colour=MUTED)
    sheet.finish(y + MARGIN - 4)
    return sheet


def paragraph(
    sheet: Sheet, top: float, words: str, *, size: float = BODY, bold: bool = False, colour: str = INK
) -> float:
    """Text over the whole width; the result is the y below it."""
    room = sheet.width - 2 * MARGIN
    lines = wrap(printable(words, bold=bold), room, lambda part: room_of(part, size, bold=bold))
    return stack(sheet, MARGIN, top, lines, size=size, bold=bold, colour=colour)


def stack(
    sheet: Sheet,
    x: float,
    top: float,
    lines: Sequence[str],
    *,
    size: float = BODY,
    bold: bool = False,
    align: str = "left",
    colour: str = INK,
) -> float:
    """Lines below each other, the first one's upper edge at `top`."""
    for n, line in enumerate(lines):
        sheet.text(
            x, top + (n + 0.5) * LEADING * size, line, size=size, bold=bold, align=align, colour=colour
        )
    return top + height_of(lines, size)


def height_of(lines: Sequence[str], size: float = BODY) -> float:
    """How high a stack of lines is."""
    return len(lines) * LEADING * size


def names(
    given: Sequence[str], room: float, lines: int, *, size: float = BODY, bold: bool = False
) -> list[list[str]]:
    """Names as printable lines that fit and differ."""
    clean = [printable(name, bold=bold) or ("(blank)" if name else "") for name in given]
    return labels(clean, room, lines, lambda part: room_of(part, size, bold=bold))


def widest(stacks: Sequence[Sequence[str]], size: float = BODY, *, bold: bool = False) -> float:
    """The width of the widest line."""
    return max((width_of(line, size, bold=bold) for lines in stacks for line in lines), default=0.0)


class Scale:
    """Places of an axis' values between two ends on the sheet."""

    def __init__(self, axis: Axis, start: float, end: float) -> None:
        self.axis, self.start, self.end = axis, start, end

    def __call__(self, value: float) -> float:
        share = (value - self.axis.low) / (self.axis.high - self.axis.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def far(height: float) -> float:
    """The room that ticks above a chart of that height take: none where those below are near enough."""
    return 10.0 if height > FAR else 0.0


def grid_down(sheet: Sheet, scale: Scale, top: float, bottom: float, *, size: float = SMALL) -> float:
    """Vertical lines at the ticks with their numbers below, and above where below is far away.

    The result is the y below the numbers.
    """
    for tick in scale.axis.ticks:
        x = scale(tick)
        if far(bottom - top):
            sheet.text(x, top - 5, tick_text(tick), size=size, align="center", colour=MUTED)
        sheet.line((x, x), (top, bottom), colour=FAINT, width=0.6)
        sheet.text(x, bottom + 7, tick_text(tick), size=size, align="center", colour=MUTED)
    if scale.axis.line is not None:
        x = scale(scale.axis.line)
        sheet.line((x, x), (top, bottom), width=0.9)
    return bottom + 13


def tick_text(value: float) -> str:
    """A round number as short as it goes."""
    return f"{value:g}".replace("-", MINUS)


def whisker(sheet: Sheet, scale: Scale, point: Point, y: float, *, cap: float = 2.4) -> None:
    """The interval as a line with caps."""
    if point.low is None or point.high is None:
        return
    low, high = scale(point.low), scale(point.high)
    # White around it: it can be seen on every fill and hatch.
    for colour, width, more in ((WHITE, 2.6, 0.7), (INK, 1.1, 0.0)):
        sheet.line((low - more, high + more), (y, y), colour=colour, width=width)
        for end in (low, high):
            sheet.line((end, end), (y - cap - more, y + cap + more), colour=colour, width=width)


def dot(sheet: Sheet, x: float, y: float, look: Look, *, size: float = 5.0) -> None:
    """A filled or an open marker."""
    fill = look.fill if look.solid else WHITE
    sheet.marker(x, y, look.shape, size=size, fill=fill, edge=INK if look.solid else look.fill)
