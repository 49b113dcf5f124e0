from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.excerpt import Mark, excerpt, lines_of
from replaylab.schema.base import Json

ROOMS = {"rooms": [{"id": f"R{at}", "free": True, "beds": at, "note": "x" * 40} for at in range(20)]}
JSON: st.SearchStrategy[Json] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=5), inner, max_size=5),
    max_leaves=30,
)


class Reader(HTMLParser):
    """The text of a piece of a page: all of it, what is marked, what stands open, and whether elements are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.marked, self.shown, self.folded = "", "", ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if "details" in self.open:
            self.folded += data
            return
        self.shown += data
        if "mark" in self.open:
            self.marked += data


def read(page: str) -> Reader:
    found = Reader()
    found.feed(page)
    found.close()
    assert found.open == []
    return found


def test_a_short_value_stands_whole_and_its_place_is_marked() -> None:
    found = read(excerpt({"ok": False, "error": "Too late"}, [Mark("/error", "rule invented")]))
    assert found.shown == '{\n  "ok": false,\n  "error": "Too late" ◀ rule invented\n}'
    assert found.marked == '"error": "Too late"'


def test_a_long_value_is_folded_around_the_place_in_whole_items() -> None:
    found = read(excerpt(ROOMS, [Mark("/rooms/11", "invented")]))
    assert '"id": "R11"' in found.marked
    assert re.findall(r'"id": "(R\d+)"', found.shown) == ["R11"]
    assert '"R10"' in found.folded
    assert '"R12"' in found.folded
    assert found.shown.startswith('{\n  "rooms": [')
    assert len(found.shown.splitlines()) < 14


def test_what_is_missing_is_said_where_it_should_stand() -> None:
    found = read(excerpt({"people": ["Ann"]}, [Mark("/people", "left out", "Raj")]))
    assert found.shown == '{\n  "people": [\n    ⊖ left out: Raj\n    "Ann"\n  ]\n}'


def test_a_place_that_is_not_there_is_told() -> None:
    found = read(excerpt({"a": 1}, [Mark("/b", "invented")]))
    assert "◀ invented at /b, which is not in this value" in found.shown
    assert found.marked == ""


def test_of_a_long_text_the_part_around_the_words_is_shown() -> None:
    text = f"{'before ' * 200}Sector Nine{' after' * 200}"
    found = read(excerpt(text, [Mark("", "invented", needle="Sector Nine")]))
    assert found.marked == "Sector Nine"
    assert len(found.shown) < 1_000
    assert found.folded.count("before ") + found.shown.count("before ") >= 199


def test_a_very_long_line_is_folded_in_the_line() -> None:
    found = read(excerpt({"a": f"{'b ' * 3000}needle{'c ' * 3000}"}, [Mark("/a", "x", needle="needle")]))
    assert "needle" in found.marked
    assert len(found.shown) < 900
    assert found.folded.count("c ") > 2_800


def test_past_the_cut_only_a_count_is_left() -> None:
    page = excerpt({"a": "y" * 1_000_000}, cut=100)
    assert len(page) < 2_000
    assert "more characters after, not on this page" in re.sub(r"[\d,]+ characters", "more characters", page)


def test_a_mark_may_link_to_its_finding() -> None:
    assert '<a href="#abc" class="at">' in excerpt({"a": 1}, [Mark("/a", "x", href="#abc")])


def test_keys_of_a_pointer_are_unescaped() -> None:
    found = read(excerpt({"a/b~c": 1, "d": 2}, [Mark("/a~1b~0c", "x")]))
    assert found.marked == '"a/b~c": 1,'


@given(JSON, st.data())
def test_every_place_of_every_value_begins_a_line_and_nothing_is_lost(
    value: Json, data: st.DataObject
) -> None:
    places = [line.pointer for line in lines_of(value, [], width=0)]
    mark = Mark(data.draw(st.sampled_from(places)), "here")
    lines = list(lines_of(value, [mark]))
    assert mark.pointer in {line.pointer for line in lines if not line.close}
    assert json.loads("".join(line.words for line in lines)) == value
    if not isinstance(value, str):
        found = read(excerpt(value, [mark]))
        assert found.marked


@given(st.text(), st.text(max_size=5), st.text(max_size=5))
def test_any_text_is_escaped(text: str, needle: str, missing: str) -> None:
    for value in (text, {"a": text, text: 1}, [text] * 30):
        marks: list[Any] = [Mark("", text, missing, needle), Mark("/a", "w", "", text)]
        read(excerpt(value, marks))
