"""A sheet of paper in points, y downwards, that knows how wide a text is. The only file that touches matplotlib.

Nothing of the machine reaches the result: the fonts are those that matplotlib brings along, named by file; the settings
are matplotlib's defaults and ours, whatever a matplotlibrc says; dates, random ids and the version are left out. There
are no Axes: every text is placed by us, which is why none can overlap unnoticed, and drawing takes half the time.
"""

from __future__ import annotations

import io
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from html import escape
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, get_font
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon, Rectangle
from matplotlib.text import Text
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D

from replaylab.report.figures.value import FAINT, INK, WHITE
from replaylab.report.markup import HIDDEN

DPI = 150
PIXELS = 24_000_000  # a sheet that would be larger is drawn coarser
BODY, SMALL, TITLE = 8.0, 7.0, 12.0

_SETTINGS = {
    "svg.hashsalt": "replaylab",
    "svg.fonttype": "path",
    "pdf.compression": 6,
    "text.parse_math": False,
    "hatch.linewidth": 0.6,
    "savefig.facecolor": WHITE,
}
# Which window a user likes to see and where matplotlib was found: none of it changes a picture, some of it can't be set.
_NOT_SETTINGS = ("backend", "backend_fallback", "toolbar", "interactive", "timezone", "datapath")
_IDS = re.compile(rb'(\bid="|\bxlink:href="#|\burl\(#)')


@contextmanager
def settings() -> Iterator[None]:
    """Matplotlib's own defaults and ours; afterwards everything is as it was. All drawing happens inside."""
    defaults = {key: value for key, value in mpl.rcParamsDefault.items() if key not in _NOT_SETTINGS}
    with mpl.rc_context({**defaults, **_SETTINGS}):
        yield


@cache
def _font(*, bold: bool) -> Path:
    return Path(mpl.get_data_path()) / "fonts" / "ttf" / f"DejaVuSans{'-Bold' if bold else ''}.ttf"


@cache
def _known(*, bold: bool) -> frozenset[int]:
    """The code points that the font has a glyph for."""
    return frozenset(get_font(str(_font(bold=bold))).get_charmap())


@cache
def _properties(size: float, *, bold: bool) -> FontProperties:
    return FontProperties(fname=str(_font(bold=bold)), size=size)


def printable(words: str, *, bold: bool = False) -> str:
    """One line of what the font can show. The rest, and what would hide or turn text, is written as its code point."""
    line = " ".join(unicodedata.normalize("NFC", words).split())
    known, shown, marks = _known(bold=bold), [], 0
    for char in line:
        marks = marks + 1 if unicodedata.combining(char) else 0
        # Marks piled upon each other would reach into the lines above.
        fine = ord(char) in known and not HIDDEN.match(char) and marks < 2
        shown.append(char if fine else f"[U+{ord(char):04X}]")
    return "".join(shown)


@cache
def width_of(words: str, size: float = BODY, *, bold: bool = False) -> float:
    """The width of one line in points."""
    if not words:
        return 0.0
    width, _, _ = text_to_path.get_text_width_height_descent(words, _properties(size, bold=bold), ismath=False)
    return float(width)


class Sheet:
    """Shapes and texts at points from the top left corner. Its height is known when everything is on it."""

    def __init__(self, width: float) -> None:
        self.width = width
        self.figure = Figure(figsize=(1, 1), dpi=DPI)
        FigureCanvasAgg(self.figure)
        self._down = Affine2D()
        self._transform = self._down + self.figure.dpi_scale_trans

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
            self.figure.add_artist(
                Text(
                    x,
                    middle + 0.35 * size,
                    words,
                    fontproperties=_properties(size, bold=bold),
                    color=colour,
                    horizontalalignment=align,
                    verticalalignment="baseline",
                    transform=self._transform,
                    zorder=9,
                )
            )

    def line(
        self, xs: Sequence[float], ys: Sequence[float], *, colour: str = INK, width: float = 0.8, dashed: bool = False
    ) -> None:
        """A line through points. Faint ones lie at the bottom."""
        order = 1 if colour == FAINT else 4
        style = (0, (4, 3)) if dashed else "-"
        self.figure.add_artist(
            Line2D(
                xs,
                ys,
                color=colour,
                linewidth=width,
                linestyle=style,
                solid_capstyle="butt",
                transform=self._transform,
                zorder=order,
            )
        )

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
        """A rectangle by its top left corner. The hatch has the colour of the edge."""
        self.figure.add_artist(
            Rectangle(
                corner,
                *size,
                facecolor=fill,
                edgecolor=edge or "none",
                hatch=hatch or None,
                linewidth=width if edge else 0,
                transform=self._transform,
                zorder=order,
            )
        )

    def marker(self, x: float, y: float, shape: str, *, size: float, fill: str, edge: str) -> None:
        """A marker of matplotlib's shapes."""
        self.figure.add_artist(
            Line2D(
                [x],
                [y],
                marker=shape,
                markersize=size,
                markerfacecolor=fill,
                markeredgecolor=edge,
                markeredgewidth=0.9,
                linestyle="none",
                transform=self._transform,
                zorder=6,
            )
        )

    def polygon(self, corners: Sequence[tuple[float, float]], *, colour: str, width: float = 0.6) -> None:
        """A closed line."""
        self.figure.add_artist(
            Polygon(corners, closed=True, fill=False, edgecolor=colour, linewidth=width, transform=self._transform)
        )

    def finish(self, height: float) -> None:
        """Cut the sheet to its height."""
        self.figure.set_size_inches(self.width / 72, height / 72)
        self._down.clear().scale(1 / 72, -1 / 72).translate(0, height / 72)
        fitting = int((PIXELS * 72 * 72 / (self.width * height)) ** 0.5)
        self.figure.set_dpi(min(DPI, fitting))

    def svg(self, name: str, title: str, alt: str) -> bytes:
        """The sheet as SVG that says what it shows. Ids start with `name`: several may stand in one page."""
        drawn = self._saved("svg", {"Date": None, "Creator": None, "Format": None, "Type": None})
        drawn = _IDS.sub(rb"\g<1>" + name.encode() + b"-", drawn)
        head, start, rest = drawn.partition(b"<svg ")
        opening, end, body = rest.partition(b">")
        said = (
            f'\n <title id="{name}-title">{escape(title)}</title>\n <desc id="{name}-alt">{escape(alt)}</desc>'
        ).encode()
        role = f'role="img" aria-labelledby="{name}-title {name}-alt" '.encode()
        return head + start + role + opening + end + said + body

    def png(self, title: str) -> bytes:
        """The sheet as PNG."""
        return self._saved("png", {"Software": None, "Title": title})

    def pdf(self, title: str) -> bytes:
        """The sheet as PDF of one page."""
        return self._saved("pdf", {"CreationDate": None, "Creator": None, "Producer": None, "Title": title})

    def _saved(self, kind: str, metadata: dict[str, str | None]) -> bytes:
        out = io.BytesIO()
        self.figure.savefig(out, format=kind, dpi=self.figure.dpi, metadata=metadata)
        return out.getvalue()
