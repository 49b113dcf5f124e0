"""Everything on a sheet is measured: no text lies on another, on a line, or off the paper."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from matplotlib.path import Path

from replaylab.report.figures.draw import plots
from replaylab.report.figures.paint.press import laid_out, press
from replaylab.report.figures.paint.sheet import Sheet, settings
from replaylab.report.figures.paint.text import Words, _outline, printable, width_of
from replaylab.report.figures.value import Plot
from replaylab.score.value import Cell, Table
from tests.report.figures.tables import LARGE, LONG, NASTY, PAIR, PROGRAMS, SMALL, Made, names

GAP = 0.5  # points that have to lie between two texts
PLANS = (
    "E0",
    "E1+persistent+correlated",
    "E2+targeted",
    "E3",
    "semantic",
    "slow",
    "E1",
    "E2+slow+persistent",
    "x" * 60,
)


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    words: str = ""

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        return (
            self.left < other.right + gap
            and other.left < self.right + gap
            and self.top < other.bottom
            and other.top < self.bottom
        )


@cache
def ink(words: str, *, bold: bool) -> tuple[float, float, float, float]:
    """Around all corners of a text's outlines, in font sizes. What closes an outline has no place of its own."""
    outline = _outline(words, bold=bold)
    corners = np.asarray(outline.vertices)[np.asarray(outline.codes) != Path.CLOSEPOLY]
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    return float(left), float(bottom), float(right), float(top)


def box_of(text: Words) -> Box:
    """The ink of a text, and at least its advance."""
    x0, y0, x1, y1 = (end * text.size for end in ink(text.words, bold=text.bold))
    wide = width_of(text.words, text.size, bold=text.bold)
    left, right = text.start + min(0, x0), text.start + max(wide, x1)
    return Box(left, text.base - y1, right, text.base - y0, text.words)


def texts_of(sheet: Sheet) -> list[Box]:
    return [box_of(one) for one in sheet.figure.findobj(Words)]


def segments_of(sheet: Sheet) -> list[Box]:
    """Every straight and level line; slanted ones join points within a chart."""
    found = []
    for (_, width, _, _), lines in sheet._lines.items():
        for xs, ys in lines:
            for a, b in zip(zip(xs, ys, strict=True), list(zip(xs, ys, strict=True))[1:], strict=False):
                if a[0] == b[0] or a[1] == b[1]:
                    left, right = sorted((a[0], b[0]))
                    top, bottom = sorted((a[1], b[1]))
                    half = width / 2
                    found.append(Box(left - half, top - half, right + half, bottom + half))
    return found


def without_intervals(tables: Mapping[str, Table]) -> dict[str, Table]:
    def bare(cell: Cell) -> Cell:
        return cell.model_copy(update={"interval": None, "count": None})

    return {
        name: one.model_copy(update={"rows": tuple(tuple(map(bare, row)) for row in one.rows), "notes": ()})
        for name, one in tables.items()
    }


def with_plans(made: Made) -> dict[str, Table]:
    return made.all() | {"faults": made.faults(PLANS), "agreement": made.agreement(names(7))}


def with_long_notes(made: Made) -> dict[str, Table]:
    note = f"{PROGRAMS} {' and '.join(NASTY)} {' and '.join(LONG)}"
    return {
        name: one.model_copy(update={"notes": (note, "authored " * 40)}) for name, one in made.all().items()
    }


def unknown_industries(made: Made) -> dict[str, Table]:
    """Columns and rows that are called by very long names of their own."""
    tables = made.all()
    table = tables["industries"]
    columns = tuple(
        c.model_copy(update={"title": f"{NASTY[n]} {c.title}"}) if n > 2 else c
        for n, c in enumerate(table.columns)
    )
    rows = tuple(tuple(cell.model_copy(update={"trials": ()}) for cell in row) for row in table.rows)
    hard = tables["difficulty"]
    named = tuple((Cell(text=NASTY[n]), *row[1:]) for n, row in enumerate(hard.rows))
    return tables | {
        "industries": table.model_copy(update={"columns": columns, "rows": rows}),
        "difficulty": hard.model_copy(update={"rows": named}),
    }


INPUTS = {
    "large": LARGE.all(),
    "pair": PAIR.all(),
    "one agent, one industry": SMALL.all(),
    "one agent, ten industries": Made(["a"], 10).all(),
    "thirty agents": Made(names(30), holes=True).all(),
    "odd names, rates of 0 and 100": Made(NASTY, holes=True, extremes=True).all(),
    "no intervals, no counts, no notes": without_intervals(LARGE.all()),
    "many plans and simulators": with_plans(Made(names(4))),
    "long notes": with_long_notes(Made(["a", "b", "c"], 4)),
    "industries of their own": unknown_industries(Made(["a", "b", "c"])),
}


@pytest.fixture(scope="module", params=INPUTS)
def sheets(request: pytest.FixtureRequest) -> dict[str, tuple[Plot, Sheet]]:
    wanted = plots(INPUTS[request.param], radar=True)
    with settings():
        return {name: (plot, laid_out(plot)) for name, plot in wanted.items()}


def test_no_text_lies_on_another(sheets: dict[str, tuple[Plot, Sheet]]) -> None:
    for name, (_, sheet) in sheets.items():
        boxes = sorted(texts_of(sheet), key=lambda box: box.top)
        for at, one in enumerate(boxes):
            for other in boxes[at + 1 :]:
                if other.top > one.bottom:
                    break
                assert not one.meets(other, GAP), (name, one, other)


def test_no_text_leaves_the_paper(sheets: dict[str, tuple[Plot, Sheet]]) -> None:
    for name, (_, sheet) in sheets.items():
        wide, high = sheet.figure.get_size_inches() * 72
        for box in texts_of(sheet):
            assert box.left >= 1, (name, box)
            assert box.right <= wide - 1, (name, box)
            assert box.top >= 1, (name, box)
            assert box.bottom <= high - 1, (name, box)


def test_no_line_crosses_a_text(sheets: dict[str, tuple[Plot, Sheet]]) -> None:
    for name, (_, sheet) in sheets.items():
        if name == "radar":  # the numbers of its rings lie among lines
            continue
        segments = segments_of(sheet)
        for box in texts_of(sheet):
            crossing = next((one for one in segments if one.meets(box)), None)
            assert crossing is None, (name, box, crossing)


def test_what_lies_upon_another_box_is_drawn_later(sheets: dict[str, tuple[Plot, Sheet]]) -> None:
    for name, (_, sheet) in sheets.items():
        boxes = [
            (Box(x + 0.01, y + 0.01, x + w - 0.01, y + h - 0.01), style[-1])
            for style, places in sheet._boxes.items()
            for x, y, w, h in places
        ]
        boxes.sort(key=lambda pair: pair[0].top)
        for at, (one, order) in enumerate(boxes):
            for other, other_order in boxes[at + 1 :]:
                if other.top > one.bottom:
                    break
                assert not one.meets(other) or order != other_order, (name, one, other)


def test_titles_captions_and_notices_are_on_the_sheet(sheets: dict[str, tuple[Plot, Sheet]]) -> None:
    for name, (plot, sheet) in sheets.items():
        shown = " ".join(box.words for box in texts_of(sheet)).replace(" ", "")
        for words in (printable(plot.title, bold=True), *map(printable, plot.caption)):
            assert words.replace(" ", "")[:80] in shown, (name, words)
        for notice in plot.notices:
            assert printable(notice, bold=True).replace(" ", "")[:80] in shown, (name, notice)


@pytest.mark.parametrize("name", ["overall", "ranks", "faults", "industry_agents"])
def test_long_names_are_broken_and_not_cut(name: str) -> None:
    with settings():
        sheet = laid_out(plots(LARGE.all())[name])
    shown = "".join(box.words for box in texts_of(sheet))
    assert all(agent in shown for agent in LARGE.agents)


def test_a_plot_without_any_row_is_still_a_sheet() -> None:
    figure = press("x", plots(PAIR.all())["overall"]._replace(caption=(), notices=()))
    assert figure.png.startswith(b"\x89PNG")
    assert figure.pdf.startswith(b"%PDF")
