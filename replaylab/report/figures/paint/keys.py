"""Keys of looks and tiles, flowing over as many lines as they need, and the colour bar of a scale."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replaylab.report.figures.paint.frame import MARGIN, dot
from replaylab.report.figures.paint.sheet import Sheet
from replaylab.report.figures.paint.text import SMALL, printable, width_of
from replaylab.report.figures.value import MUTED, Look, Ramp, Tile

SWATCH, LINE, BETWEEN = (14.0, 8.0), 13.0, 16.0
RAMP_WIDTH = 190.0


def _places(sheet: Sheet, texts: Sequence[str]) -> list[tuple[float, int]]:
    """Where each entry starts, and on which line."""
    x, line, found = MARGIN, 0, []
    for text in texts:
        width = SWATCH[0] + 4 + width_of(printable(text), SMALL)
        if x > MARGIN and x + width > sheet.width - MARGIN:
            x, line = MARGIN, line + 1
        found.append((x, line))
        x += width + BETWEEN
    return found


def key_height(sheet: Sheet, texts: Sequence[str]) -> float:
    """How high a key with these texts is."""
    return LINE * (_places(sheet, texts)[-1][1] + 1) + 4 if texts else 0


def looks_key(sheet: Sheet, entries: Sequence[tuple[Look, str]], top: float) -> None:
    """What bars and markers mean."""

    def swatch(n: int, x: float, y: float) -> None:
        look = entries[n][0]
        if look.bar:
            sheet.box((x, y - SWATCH[1] / 2), SWATCH, look.fill, hatch=look.hatch)
        else:
            dot(sheet, x + SWATCH[0] / 2, y, look)

    _key(sheet, [text for _, text in entries], top, swatch)


def tiles_key(sheet: Sheet, entries: Sequence[tuple[Tile, str]], top: float) -> None:
    """What hatches and frames mean."""

    def swatch(n: int, x: float, y: float) -> None:
        tile = entries[n][0]
        sheet.box(
            (x, y - SWATCH[1] / 2), SWATCH, tile.fill, hatch=tile.hatch, width=1.6 if tile.framed else 0.6
        )

    _key(sheet, [text for _, text in entries], top, swatch)


def _key(sheet: Sheet, texts: Sequence[str], top: float, swatch: Callable[[int, float, float], None]) -> None:
    for n, ((x, line), text) in enumerate(zip(_places(sheet, texts), texts, strict=True)):
        y = top + (line + 0.5) * LINE
        swatch(n, x, y)
        sheet.text(x + SWATCH[0] + 4, y, printable(text), size=SMALL)


def ramp(sheet: Sheet, scale: Ramp, top: float) -> float:
    """The colour bar with its ticks and its label; the result is the y below it."""
    step = RAMP_WIDTH / len(scale.colours)
    for n, colour in enumerate(scale.colours):
        sheet.box((MARGIN + n * step, top), (step, 9), colour, edge=colour, width=0.2)
    sheet.box((MARGIN, top), (RAMP_WIDTH, 9), "none", width=0.6, order=3.2)
    for value, text in scale.ticks:
        x = MARGIN + RAMP_WIDTH * (value - scale.low) / (scale.high - scale.low)
        sheet.line((x, x), (top + 9, top + 11.5), width=0.6)
        sheet.text(x, top + 16, text, size=SMALL, align="center", colour=MUTED)
    sheet.text(MARGIN + RAMP_WIDTH + 14, top + 5, scale.label, size=SMALL, colour=MUTED)
    return top + 24
