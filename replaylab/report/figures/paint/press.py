"""From a figure's values to its bytes."""

from __future__ import annotations

from replaylab.report.figures.paint.dots import DotsPainter
from replaylab.report.figures.paint.frame import Painter, draw_plot
from replaylab.report.figures.paint.matrix import MatrixPainter
from replaylab.report.figures.paint.panels import PanelsPainter
from replaylab.report.figures.paint.radar import RadarPainter
from replaylab.report.figures.paint.rows import RowsPainter
from replaylab.report.figures.paint.sheet import Sheet, settings
from replaylab.report.figures.value import Body, Dots, Drawn, Matrix, Panels, Plot, Radar
from replaylab.report.markup import HIDDEN


def press(name: str, plot: Plot) -> Drawn:
    """The figure in three formats."""
    title, alt = plain(plot.title), plain(plot.alt)
    with settings():
        sheet = laid_out(plot)
        return Drawn(title, alt, sheet.svg(name, title, alt), sheet.png(title), sheet.pdf(title))


def laid_out(plot: Plot) -> Sheet:
    """The figure on its sheet. Call it within `settings`."""
    return draw_plot(plot, _painter(plot.body))


def plain(words: str) -> str:
    """One line, what is hidden written as its code point, as everywhere where a recording's text is shown."""
    return HIDDEN.sub(lambda found: f"U+{ord(found[0]):04X}", " ".join(words.split()))


def _painter(body: Body) -> Painter:
    match body:
        case Matrix():
            return MatrixPainter(body)
        case Panels():
            return PanelsPainter(body)
        case Dots():
            return DotsPainter(body)
        case Radar():
            return RadarPainter(body)
        case _:
            return RowsPainter(body)
