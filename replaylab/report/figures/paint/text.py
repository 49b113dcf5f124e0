"""Texts of a sheet: what the font can show, how wide it is, and the artist that draws it in every format.

matplotlib's own Text shapes and measures a string anew in each format; most of a figure is text, and that was nine
tenths of the time to draw it. Here a string is shaped once: its advance is the width, its outlines are the picture.
"""

from __future__ import annotations

import unicodedata
from functools import cache

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.backend_bases import RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.font_manager import FontProperties, get_font
from matplotlib.path import Path
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Transform

from replaylab.report.markup import HIDDEN

BODY, SMALL, TITLE = 8.0, 7.0, 12.0


@cache
def _font(*, bold: bool) -> str:
    """The file that matplotlib brings along: a font of that name on this machine may be another version."""
    return mpl.get_data_path() + f"/fonts/ttf/DejaVuSans{'-Bold' if bold else ''}.ttf"


@cache
def _known(*, bold: bool) -> frozenset[int]:
    """The code points that the font has a glyph for."""
    return frozenset(get_font(_font(bold=bold)).get_charmap())


@cache
def _properties(size: float, *, bold: bool) -> FontProperties:
    return FontProperties(fname=_font(bold=bold), size=size)


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


def width_of(words: str, size: float = BODY, *, bold: bool = False) -> float:
    """The width of one line in points."""
    return _advance(words, bold=bold) * size if words else 0.0


def room_of(words: str, size: float = BODY, *, bold: bool = False) -> float:
    """Nearly the width, glyph by glyph without kerning: what wrapping asks for a hundred times a text."""
    return sum(_advance(char, bold=bold) for char in words) * size


@cache
def _advance(words: str, *, bold: bool) -> float:
    """The width in multiples of the font size."""
    width, _, _ = text_to_path.get_text_width_height_descent(
        words, _properties(100.0, bold=bold), ismath=False
    )
    return float(width) / 100


@cache
def _outline(words: str, *, bold: bool) -> Path:
    """The glyphs as one path, in multiples of the font size."""
    points, codes = text_to_path.get_text_path(_properties(100.0, bold=bold), words, ismath=False)
    return Path(Affine2D().scale(1 / text_to_path.FONT_SCALE).transform(points), codes)


class Words(Artist):
    """One line of text from `start` on, its base line at `base`, in the coordinates of `transform`."""

    def __init__(
        self,
        start: float,
        base: float,
        words: str,
        colour: str,
        font: tuple[float, bool],
        transform: Transform,
    ) -> None:
        super().__init__()
        self.start, self.base, self.words, self.colour = start, base, words, colour
        self.size, self.bold = font
        self.set_transform(transform)
        self.set_zorder(9)

    def draw(self, renderer: RendererBase) -> None:
        """Filled outlines on a raster; elsewhere the format's own text, whose glyphs are stored once a file."""
        x, y = self.get_transform().transform((self.start, self.base))
        context = renderer.new_gc()
        if isinstance(renderer, RendererAgg):
            context.set_linewidth(0)
            # Its unit is a pixel, and dpi is a field of this renderer alone.
            scale = self.size * renderer.dpi / 72
            place = Affine2D().scale(scale).translate(x, y)
            red, green, blue = (int(self.colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
            renderer.draw_path(context, self.outline, place, (red, green, blue))  # type: ignore[no-untyped-call]
        else:
            context.set_foreground(self.colour)
            height = renderer.get_canvas_width_height()[1]
            below = height - y if renderer.flipy() else y
            renderer.draw_text(context, x, below, self.words, _properties(self.size, bold=self.bold), 0)
        context.restore()

    @property
    def outline(self) -> Path:
        """The glyphs as one path, in multiples of the font size."""
        return _outline(self.words, bold=self.bold)
