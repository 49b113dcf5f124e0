"""Colours between two or three given ones, and which ink can be read on them."""

from __future__ import annotations

from replaylab.report.figures.value import BLUE, RED, WHITE

BLACK = "#000000"


def mixed(start: str, end: str, share: float) -> str:
    """The colour at `share` of the way, 0 to 1; what lies outside is the nearer end."""
    at = min(max(share, 0.0), 1.0)
    pairs = zip(_channels(start), _channels(end), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * at):02x}" for a, b in pairs)


def diverging(value: float, limit: float) -> str:
    """From red at -limit over white at 0 to blue at +limit."""
    return mixed(WHITE, BLUE if value > 0 else RED, abs(value) / limit if limit else 0)


def ink_on(fill: str) -> str:
    """Black or white text, whichever has the stronger contrast: with these two it is 4.5 at least."""
    return BLACK if (_luminance(fill) + 0.05) ** 2 > 0.05 * 1.05 else WHITE


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    """Relative luminance as the guidelines for accessible pages define it."""
    parts = [channel / 255 for channel in _channels(colour)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
