from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.markup import attr, badge, breakable, facts, listing, prose, size, tag, text
from tests.report.recordings import EVIL


class Reader(HTMLParser):
    """What a browser would make of it: the tags, and the text outside marks of code points."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.words += data


def read(markup: str) -> Reader:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader


def test_no_element_comes_out_of_a_text_but_marks_of_code_points() -> None:
    assert set(read(text(EVIL)).tags) == {"span"}
    assert "<img src=x" in read(text(EVIL)).words


@given(st.text())
def test_a_text_gives_no_element_of_its_own_and_an_attribute_none_at_all(value: str) -> None:
    assert set(read(text(value)).tags) <= {"span"}
    assert read(f'<i title="{attr(value)}">').tags == ["i"]


@given(st.text(st.characters(min_codepoint=32, max_codepoint=0x7E)))
def test_what_can_be_seen_stays_as_it_is(value: str) -> None:
    assert read(text(value)).words == value


@pytest.mark.parametrize(
    "hidden", ["\x00", "\x1b", "\x9b", "\u202e", "\u2066", "\u200f", "\u2028", "\r", "\ud800"]
)
def test_what_cannot_be_seen_is_shown_by_its_code_point(hidden: str) -> None:
    for made in (text(f"a{hidden}b"), attr(f"a{hidden}b")):
        assert hidden not in made
        assert f"U+{ord(hidden):04X}" in made
        made.encode()


def test_line_ends_of_either_kind_and_tabs_stay() -> None:
    assert text("a\r\nb\tc\n") == "a\r\nb\tc\n"


def test_attributes_are_escaped_and_none_is_left_out() -> None:
    assert tag("a", "x", class_='b"', data_key="&", href=None) == '<a class="b&quot;" data-key="&amp;">x</a>'


def test_a_badge_of_a_strange_word_gets_no_class_of_its_own() -> None:
    assert badge("pass") == '<span class="badge pass">pass</span>'
    assert 'class="badge none"' in badge('x" onclick="')


@pytest.mark.parametrize("block", [prose, listing])
def test_a_long_text_is_folded_and_lost_nowhere(block: object) -> None:
    assert callable(block)
    value = "\n".join(f"line {number}" for number in range(1000))
    made = block(value)
    words = read(made).words
    assert "<details" in made
    assert words.count("line ") == 1000
    assert "<details" not in block("short")


def test_a_cut_text_says_how_much_is_missing() -> None:
    assert "6 more characters are not on this page" in listing("x" * 16, 10)
    assert "not on this page" not in listing("x" * 10, 10)


def test_facts_are_a_description_list() -> None:
    assert facts([("a<", text("b"))]) == '<dl class="facts"><div><dt>a&lt;</dt><dd>b</dd></div></dl>'


def test_a_name_may_be_broken_between_its_words_only() -> None:
    parts = breakable("org/GPT-5.2:mini_x").replace("</span>", "").split('<span class="part">')
    assert parts == ["org/", "GPT-", "5.", "2:", "mini_", "x"]
    assert breakable("<b>- &") == "&lt;b&gt;- &amp;"


def test_a_size_is_in_bytes() -> None:
    assert [size(one) for one in ("abc", "äß", "")] == [3, 4, 0]
