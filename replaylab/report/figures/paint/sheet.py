"""A sheet of paper in points, y downwards, that knows how wide a text is. The only file that touches matplotlib.

Nothing of the machine reaches the result: the fonts are those that matplotlib brings along, named by file; the settings
are matplotlib's defaults and ours, whatever a matplotlibrc says; dates, random ids and the version are left out. There
are no Axes: every text is placed by us, which is why none can overlap unnoticed, and drawing takes half the time.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from html import escape
from math import nan
from typing import Any

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.transforms import Affine2D

from replaylab.report.figures.paint.text import BODY, Words, width_of
from replaylab.report.figures.value import FAINT, INK, WHITE

DPI = 150
LEVEL = 3  # zlib's: here as small as 6 and faster
PIXELS = 24_000_000  # a sheet that would be larger is drawn coarser

_SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "replaylab",
    "svg.fonttype": "path",
    "pdf.compression": 6,
    "hatch.linewidth": 0.6,
    "savefig.facecolor": WHITE,
}
# Which window a user likes to see and where matplotlib was found: none of it changes a picture, some of it can't be set.
_NOT_SETTINGS = ("backend", "backend_fallback", "toolbar", "interactive", "timezone", "datapath")
_BOX = [Path.MOVETO, Path.LINETO, Path.LINETO, Path.LINETO, Path.CLOSEPOLY]
_STYLE = re.compile(rb"\s*<defs>\s*<style[^>]*>[^<]*</style>\s*</defs>")
_JOINS = "stroke-linejoin: round; stroke-linecap: butt"
# Most of a drawing are glyphs: short names, and places to a hundredth of a point, halve it.
_SHORTER = (
    (re.compile(rb"\n +"), b"\n"),
    (re.compile(rb"DejaVuSans-(?:(B)old-)?"), rb"\g<1>g"),
    (re.compile(rb"(<use [^>]*translate\(-?\d+\.\d)\d*(?: 0)?\)"), rb"\g<1>)"),
)
_IDS = re.compile(rb'(\bid="|\bxlink:href="#|\burl\(#)')


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's own defaults and ours; afterwards everything is as it was. All drawing happens inside."""
    defaults: dict[Any, Any] = {
        key: value for key, value in mpl.rcParamsDefault.items() if key not in _NOT_SETTINGS
    }
    with mpl.rc_context(defaults | _SETTINGS):
        yield


class Sheet:
    """Shapes and texts at points from the top left corner. Its height is known when everything is on it."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.figure = Figure(figsize=(1, 1), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self._down = Affine2D()
        self._transform = self._down + self.figure.dpi_scale_trans
        self._lines: dict[tuple[str, float, bool, float], list[tuple[Sequence[float], Sequence[float]]]] = {}
        self._boxes: dict[
            tuple[str, str | None, str, float, float], list[tuple[float, float, float, float]]
        ] = {}
        self._markers: dict[tuple[str, float, str, str], list[tuple[float, float]]] = {}

    def text(
        self,
        x: float,
        middle: float,
        words: str,
        *,
        size: float = BODY,
        bold: bool = False,
        align: str = "left",
        colour: str = INK,
    ) -> None:
        """One line of printable text. `middle` is half the height of its small letters above the base line."""
        if words:
            start = x - {"left": 0.0, "center": 0.5, "right": 1.0}[align] * width_of(words, size, bold=bold)
            self.figure.add_artist(
                Words(start, middle + 0.35 * size, words, colour, (size, bold), self._transform), clip=False
            )

    def line(
        self,
        xs: Sequence[float],
        ys: Sequence[float],
        *,
        colour: str = INK,
        width: float = 0.8,
        dashed: bool = False,
    ) -> None:
        """A line through points. Faint ones lie at the bottom, white ones (halos) below what they set off."""
        order = {FAINT: 1.0, WHITE: 3.8}.get(colour, 4.0)
        self._lines.setdefault((colour, width, dashed, order), []).append((xs, ys))

    def box(
        self,
        corner: tuple[float, float],
        size: tuple[float, float],
        fill: str,
        *,
        hatch: str = "",
        edge: str | None = INK,
        width: float = 0.6,
        order: float = 3,
    ) -> None:
        """A rectangle by its top left corner. The hatch has the colour of the edge.

        Boxes of one order are drawn style by style: what lies upon another needs a higher order.
        """
        style = (fill, hatch or None, edge or "none", width if edge else 0.0, order)
        self._boxes.setdefault(style, []).append((*corner, *size))

    def marker(self, x: float, y: float, shape: str, *, size: float, fill: str, edge: str) -> None:
        """A marker of matplotlib's shapes."""
        self._markers.setdefault((shape, size, fill, edge), []).append((x, y))

    def finish(self, height: float) -> None:
        """Cut the sheet to its height, and put on it what was collected."""
        self.figure.set_size_inches(self.width / 72, height / 72)
        self._down.clear().scale(1 / 72, -1 / 72).translate(0, height / 72)
        fitting = int((PIXELS * 72 * 72 / (self.width * height)) ** 0.5)
        self.figure.set_dpi(min(DPI, fitting))
        self._add_lines()
        self._add_boxes()
        self._add_markers()

    # Shapes of one style are one artist each: a figure has few styles and thousands of shapes.

    def _add_lines(self) -> None:
        for (colour, width, dashed, order), lines in self._lines.items():
            xs = [x for each, _ in lines for x in (*each, nan)]
            ys = [y for _, each in lines for y in (*each, nan)]
            line = Line2D(xs, ys, color=colour, linewidth=width, solid_capstyle="butt", zorder=order)
            line.set_linestyle((0, (4, 3)) if dashed else "-")
            line.set_transform(self._transform)
            self.figure.add_artist(line)

    def _add_boxes(self) -> None:
        for (fill, hatch, edge, width, order), boxes in self._boxes.items():
            corners = [((x, y), (x + w, y), (x + w, y + h), (x, y + h), (x, y)) for x, y, w, h in boxes]
            path = Path([corner for box in corners for corner in box], _BOX * len(boxes))
            patch = PathPatch(
                path, facecolor=fill, hatch=hatch, edgecolor=edge, linewidth=width, zorder=order
            )
            patch.set_transform(self._transform)
            self.figure.add_artist(patch)

    def _add_markers(self) -> None:
        for (shape, size, fill, edge), places in self._markers.items():
            markers = Line2D(
                [x for x, _ in places], [y for _, y in places], marker=shape, markersize=size, zorder=6
            )
            markers.set(linestyle="none", markerfacecolor=fill, markeredgecolor=edge, markeredgewidth=0.9)
            markers.set_transform(self._transform)
            self.figure.add_artist(markers)

    def svg(self, name: str, title: str, alt: str) -> bytes:
        """The sheet as SVG that says what it shows. Ids start with `name`: several may stand in one page."""
        drawn = self._saved("svg", {"Date": None, "Creator": None, "Format": None, "Type": None})
        for pattern, instead in _SHORTER:
            drawn = pattern.sub(instead, drawn)
        drawn = _IDS.sub(rb"\g<1>" + name.encode() + b"-", drawn)
        # Without prolog it may stand in a page as it is; a style sheet inside would reach out of the picture into the page.
        _, _, rest = _STYLE.sub(b"", drawn, count=1).partition(b"<svg ")
        opening, _, body = rest.partition(b">")
        start = f'<svg role="img" aria-labelledby="{name}-title {name}-alt" style="{_JOINS}" '
        said = f'>\n <title id="{name}-title">{escape(title)}</title>\n <desc id="{name}-alt">{escape(alt)}</desc>'
        return start.encode() + opening + said.encode() + body

    def png(self, title: str) -> bytes:
        """The sheet as PNG."""
        return self._saved("png", {"Software": None, "Title": title})

    def pdf(self, title: str) -> bytes:
        """The sheet as PDF of one page."""
        return self._saved("pdf", {"CreationDate": None, "Creator": None, "Producer": None, "Title": title})

    def _saved(self, kind: str, metadata: dict[str, str | None]) -> bytes:
        out = io.BytesIO()
        more: dict[str, Any] = {"pil_kwargs": {"compress_level": LEVEL}} if kind == "png" else {}
        self.figure.savefig(out, format=kind, dpi=self.figure.dpi, metadata=metadata, **more)
        return out.getvalue()
