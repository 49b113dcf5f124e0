"""The values that figures are made of. What a figure shows is decided in these; how it is drawn, in `paint`."""

from __future__ import annotations

from typing import NamedTuple

# Okabe and Ito's colours, told apart also by people who don't see red or green. None carries a meaning alone.
BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#e69f00", "#009e73", "#cc79a7"
SKY, RED, YELLOW, GREY = "#56b4e9", "#d55e00", "#f0e442", "#8c8c8c"
INK, MUTED, FAINT, WHITE = "#1a1a1a", "#555555", "#d4d4d4", "#ffffff"


class Drawn(NamedTuple):
    """A figure in three formats. `alt` says in words what it shows, for whoever can't see it."""

    title: str
    alt: str
    svg: bytes
    png: bytes
    pdf: bytes


class Point(NamedTuple):
    """A number with its interval. Each is None where it isn't known."""

    value: float | None = None
    low: float | None = None
    high: float | None = None

    @property
    def bounded(self) -> bool:
        """Whether there is an interval to draw."""
        return self.low is not None and self.high is not None


class Look(NamedTuple):
    """How a mark is drawn: a bar with a hatch, or a marker of a shape that is filled or open."""

    fill: str = BLUE
    hatch: str = ""
    shape: str = "o"
    solid: bool = True
    bar: bool = False


class Axis(NamedTuple):
    """A scale with its ticks. `line` is a value worth a line of its own, such as zero."""

    label: str
    low: float
    high: float
    ticks: tuple[float, ...]
    line: float | None = None


class Row(NamedTuple):
    """One number of a chart of rows.

    `sub` names it within its group; `right` are texts under the chart's columns. `range` is a thin band around the
    number (worst and best case); `second` another number of the same row, drawn as an open diamond.
    """

    point: Point
    look: Look
    sub: str = ""
    right: tuple[str, ...] = ()
    range: Point = Point()
    second: Point = Point()


class Group(NamedTuple):
    """Rows under one name. `joined` connects their numbers by a line, for things that follow each other."""

    name: str
    rows: tuple[Row, ...]
    joined: bool = False


class Section(NamedTuple):
    """Groups under a heading, or under none."""

    heading: str
    groups: tuple[Group, ...]


class Rows(NamedTuple):
    """Names at the left, numbers along a scale, texts at the right. `key` explains the looks."""

    sections: tuple[Section, ...]
    axis: Axis
    columns: tuple[str, ...] = ()
    key: tuple[tuple[Look, str], ...] = ()


class Tile(NamedTuple):
    """A cell of a matrix: lines of text over a colour. `share` draws a bar of that height in place of the colour."""

    lines: tuple[str, ...]
    fill: str = WHITE
    hatch: str = ""
    framed: bool = False
    share: float | None = None


class Ramp(NamedTuple):
    """The colours of a scale from `low` to `high`, in equal steps."""

    label: str
    low: float
    high: float
    colours: tuple[str, ...]
    ticks: tuple[tuple[float, str], ...]


class Matrix(NamedTuple):
    """Names at the left and above, a tile for each pair; None is an empty place.

    `size` is a tile's least width and its height in points; `right` are texts of each row under `columns_right`.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    tiles: tuple[tuple[Tile | None, ...], ...]
    across: str
    size: tuple[float, float]
    ramp: Ramp | None = None
    columns_right: tuple[str, ...] = ()
    right: tuple[tuple[str, ...], ...] = ()
    key: tuple[tuple[Tile, str], ...] = ()


class Panel(NamedTuple):
    """A small chart of numbers in order from left to right, each with its name below."""

    title: str
    points: tuple[tuple[str, Point], ...]
    below: str


class Panels(NamedTuple):
    """Small charts that share their vertical scale."""

    panels: tuple[Panel, ...]
    axis: Axis


class Strip(NamedTuple):
    """One column of dots: a number for each name of the chart. `line` is where their mean lies."""

    title: str
    sub: str
    points: tuple[Point, ...]
    line: float | None = None


class Dots(NamedTuple):
    """Strips side by side and below each other, with the same names and the same scale."""

    names: tuple[str, ...]
    strips: tuple[Strip, ...]
    axis: Axis


class Radar(NamedTuple):
    """Values of a few names around a circle, beside a table of them with their intervals.

    `cells` has a row for each spoke and a text for each name.
    """

    spokes: tuple[str, ...]
    names: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    cells: tuple[tuple[str, ...], ...]
    floor: float
    label: str


Body = Rows | Matrix | Panels | Dots | Radar


class Plot(NamedTuple):
    """A figure before it is drawn. `notices` must not be overlooked (evidence); `caption` follows below them."""

    title: str
    alt: str
    body: Body
    caption: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


PERCENT = Axis("", 0, 100, (0, 20, 40, 60, 80, 100))
RATE = PERCENT._replace(label="completion rate (% of trials)")
# Straight lines alone: a hatch of dots makes a drawing four times as large.
HATCHES = ("", "////", "||||", "xxxx", "\\\\\\\\", "++++", "----", "//||")
# What stands for the first, second, … of several: each has a hatch and a shape of its own too.
FILLS = (BLUE, ORANGE, GREEN, PURPLE, SKY, YELLOW, RED, GREY)
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "<")
