from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

from replaylab.report.figures.paint.text import _font, _known, _outline, printable, room_of, width_of
from tests.report.figures.tables import LONG, NASTY


@given(st.text(max_size=30))
def test_what_is_printable_stays_so_on_one_line(words: str) -> None:
    shown = printable(words)
    assert printable(shown) == shown
    assert "\n" not in shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("Жар-птица/модель_№7", "Жар-птица/модель_№7"),
        ("通a", "[U+901A]a"),
        ("a\tb\nc  d ", "a b c d"),
        ("\u202eturned", "[U+202E]turned"),
        ("\x1b[31m\x00", "[U+001B][31m[U+0000]"),
        ("\ud800", "[U+D800]"),
        ("e\u0301", "é"),
        ("x\u0301\u0302", "x\u0301[U+0302]"),
        ("$x^2$", "$x^2$"),
    ],
)
def test_what_the_font_lacks_or_hides_is_written_as_its_code_point(words: str, shown: str) -> None:
    assert printable(words) == shown


def test_bold_and_plain_are_asked_for_their_own_glyphs() -> None:
    plain = min(code for code in _known(bold=False) - _known(bold=True) if chr(code).isalpha())
    assert printable(chr(plain)) == chr(plain)
    assert printable(chr(plain), bold=True) == f"[U+{plain:04X}]"


@pytest.mark.parametrize("bold", [False, True])
def test_widths_and_outlines_are_those_that_matplotlib_draws(*, bold: bool) -> None:
    figure, renderer = Figure(dpi=720), RendererAgg(9, 9, 720)  # type: ignore[no-untyped-call]
    for words in [printable(name, bold=bold) for name in (*LONG, *NASTY) if name.strip()]:
        font = FontProperties(fname=_font(bold=bold), size=8)
        text = figure.text(0, 0, words, fontproperties=font, parse_math=False)
        box = text.get_window_extent(renderer)
        assert box.width / 10 == pytest.approx(width_of(words, 8, bold=bold), abs=0.5, rel=0.005), words
        ink = _outline(words, bold=bold).get_extents()
        assert ink.x0 * 8 >= -1
        assert ink.x1 * 8 <= width_of(words, 8, bold=bold) + 1
        assert ink.y1 * 8 <= box.height / 10 + 0.5


@given(st.text(alphabet="abcxyzABCWM0123456789 -/._:", max_size=40))
def test_the_room_that_is_planned_for_is_nearly_the_width(words: str) -> None:
    assert room_of(words, 8) == pytest.approx(width_of(words, 8), abs=0.35 * len(words) + 1)


def test_nothing_has_no_width() -> None:
    assert width_of("") == room_of("") == 0
