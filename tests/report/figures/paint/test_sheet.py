from __future__ import annotations

import io
import re
from xml.etree import ElementTree as ET

import matplotlib as mpl
import pytest
from matplotlib.image import imread

from replaylab.report.figures import Drawn
from replaylab.report.figures.draw import plots
from replaylab.report.figures.paint.press import laid_out, plain, press
from replaylab.report.figures.paint.sheet import DPI, PIXELS, Sheet, settings
from replaylab.report.figures.value import FAINT, INK, WHITE, Plot, Rows, Section
from replaylab.report.figures.value import RATE as AXIS
from tests.report.figures.tables import NASTY, PAIR

SVG = "{http://www.w3.org/2000/svg}"


def ids(svg: bytes) -> list[str]:
    return [one.attrib["id"] for one in ET.fromstring(svg).iter() if "id" in one.attrib]


def test_a_drawing_says_what_it_is_to_whoever_cannot_see_it(drawn: dict[str, Drawn]) -> None:
    for name, figure in drawn.items():
        root = ET.fromstring(figure.svg)
        title, alt = root[0], root[1]
        assert (root.attrib["role"], root.attrib["aria-labelledby"]) == ("img", f"{name}-title {name}-alt")
        assert (title.tag, title.attrib["id"], title.text) == (f"{SVG}title", f"{name}-title", figure.title)
        assert (alt.tag, alt.attrib["id"], alt.text) == (f"{SVG}desc", f"{name}-alt", figure.alt)


def test_all_drawings_may_stand_in_one_page(drawn: dict[str, Drawn]) -> None:
    every = [one for figure in drawn.values() for one in ids(figure.svg)]
    assert len(every) == len(set(every))
    for name, figure in drawn.items():
        assert figure.svg.startswith(b"<svg ")
        assert b"<style" not in figure.svg
        used = set(re.findall(rb'href="#([^"]+)"|url\(#([^)]+)\)', figure.svg))
        assert {(a or b).decode() for a, b in used} <= set(ids(figure.svg)), name


def test_a_drawing_needs_no_font_and_fetches_nothing(drawn: dict[str, Drawn]) -> None:
    for figure in drawn.values():
        assert b"<text" not in figure.svg
        assert b"font-family" not in figure.svg
        assert set(re.findall(rb'(?:href|src)="([^#][^"]*)"', figure.svg)) == set()
        assert b"<image" not in figure.svg


def test_no_file_has_a_date_a_version_or_a_program_in_it(drawn: dict[str, Drawn]) -> None:
    for figure in drawn.values():
        for data in (figure.svg, figure.png, figure.pdf):
            assert not re.search(
                rb"CreationDate|ModDate|Producer|Creator|Software|dc:date|(?i:matplotlib)", data
            )


def test_all_formats_have_the_same_size(drawn: dict[str, Drawn]) -> None:
    for figure in drawn.values():
        box = re.search(rb'viewBox="0 0 ([\d.]+) ([\d.]+)"', figure.svg)
        page = re.search(rb"/MediaBox \[ 0 0 ([\d.]+) ([\d.]+) \]", figure.pdf)
        assert box
        assert page
        wide, high = map(float, box.groups())
        assert [round(float(one), 2) for one in page.groups()] == [round(wide, 2), round(high, 2)]
        rows, columns, _ = imread(io.BytesIO(figure.png)).shape
        assert (abs(columns - wide * DPI / 72) <= 1, abs(rows - high * DPI / 72) <= 1) == (True, True)


def test_glyphs_stand_where_they_stood_before_the_drawing_was_made_shorter() -> None:
    with settings():
        sheet = laid_out(plots(PAIR.all())["overall"])
        long, short = sheet._saved("svg", {"Date": None}), sheet.svg("x", "", "")
    use = re.compile(rb'<use [^>]*?(?:translate\((-?[\d.]+)[^)]*\))?"/>')
    before, after = ([float(x or 0) for x in use.findall(one)] for one in (long, short))
    assert len(before) == len(after) > 300
    assert all(abs(a - b) < 0.1 for a, b in zip(before, after, strict=True))
    assert len(short) < 0.85 * len(long)


@pytest.mark.parametrize("words", [*NASTY, '" onload="x', "--> <script>", 'id="a" href="#b" url(#c)'])
def test_no_text_breaks_out_of_a_drawing(words: str) -> None:
    figure = press("one", Plot(words, words, Rows((Section(words, ()),), AXIS), (words,), (words,)))
    root = ET.fromstring(figure.svg)
    assert {one.tag.removeprefix(SVG) for one in root.iter()} <= {
        "svg",
        "title",
        "desc",
        "g",
        "path",
        "defs",
        "use",
    }
    assert root[1].text == (plain(words) or None)


def test_settings_of_others_are_left_as_they_were() -> None:
    before = dict(mpl.rcParams)
    with settings():
        assert mpl.rcParams["svg.hashsalt"] == "replaylab"
    assert dict(mpl.rcParams) == before


def test_a_huge_sheet_is_drawn_coarser_and_not_refused() -> None:
    with settings():
        sheet = Sheet(2_000)
        sheet.finish(20_000)
        wide, high = sheet.figure.get_size_inches() * sheet.figure.dpi
    assert wide * high <= PIXELS
    assert sheet.figure.dpi >= 30


def test_shapes_of_one_style_are_one_artist() -> None:
    with settings():
        sheet = Sheet(100)
        for n in range(50):
            sheet.line((0, 1), (n, n))
            sheet.line((0, 1), (n, n), colour=FAINT)
            sheet.box((0, 2 * n), (1, 1), WHITE)
            sheet.marker(n, n, "o", size=4, fill=INK, edge=INK)
        sheet.finish(100)
        assert len(sheet.figure.artists) + len(sheet.figure.lines) + len(sheet.figure.patches) == 4
