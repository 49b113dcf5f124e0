"""JSON of other programs: what can be kept is kept, and what does not fit is named by its place."""

from __future__ import annotations

import contextlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.canonical import MAX_DEPTH, canonical
from replaylab.errors import UsageError
from replaylab.interop.talk import reading
from replaylab.interop.talk.reading import Document, Node, documents, parse, read_file
from replaylab.interop.transcript.lines import Wrong

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def why(data: bytes | str) -> str:
    with pytest.raises(Wrong) as caught:
        parse(data)
    return caught.value.problems[0][1]


@given(JSON)
def test_whatever_json_can_be_read_has_a_canonical_form(value: Any) -> None:
    canonical(parse(json.dumps(value)))


@given(st.text())
def test_any_text_is_read_or_refused_in_words(text: str) -> None:
    with contextlib.suppress(Wrong):
        canonical(parse(text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("text", ["NaN", "-Infinity", "1e999", "9007199254740993", "-1" + "0" * 30, "1e16"])
def test_a_number_that_nobody_can_hold_is_kept_as_it_stands(text: str) -> None:
    odd: Counter[str] = Counter()
    assert parse(f"[{text}]", odd) == [text]
    assert odd == {"odd_number": 1}


def test_a_number_that_can_be_held_is_one() -> None:
    odd: Counter[str] = Counter()
    assert parse("[9007199254740991, -0.5, 1e15, 0]", odd) == [9007199254740991, -0.5, 1e15, 0]
    assert not odd


def test_what_has_no_sense_is_refused() -> None:
    assert "stands twice" in why('{"a": {"b": 1, "b": 2}}')
    assert "lone surrogate" in why('"\\udc00"')
    assert "lone surrogate" in why('{"\\udc00": 1}')
    assert "not UTF-8" in why(b'"\xff"')
    assert "nested" in why("[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2))
    assert "nested" in why("[" * 1_000_000)
    assert "digits" in why("1" * 5000)
    assert "not JSON" in why("")


def test_a_surrogate_is_found_where_it_stands() -> None:
    with pytest.raises(Wrong) as caught:
        parse('{"a": [1, {"b": "\\ud800"}]}')
    assert caught.value.problems[0][0] == "a.1.b"


def read(data: bytes) -> list[Any]:
    return [one.value if isinstance(one, Document) else one[0] for one in documents("f", data, Counter())]


def test_a_file_is_one_document_or_one_a_line() -> None:
    assert read(b'{"a":\n1}') == [{"a": 1}]
    assert read(b"[1]\n[2]\n") == [[1], [2]]
    assert read(b'\n\n[1]\r\n\n{"a": 2}') == [[1], {"a": 2}]
    assert read(b"[1]\n{bad\n[2]") == [[1], "f:2", [2]]
    assert read(b'{"a": 1, "a": 2}\n[2]') == ["f:1", [2]]
    assert read(b"{bad") == ["f"]
    assert read(b"") == []


def test_a_file_is_read_without_its_mark_and_no_larger_than_agreed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b"\xef\xbb\xbf[1]")
    assert read_file("a.json", path) == b"[1]"
    monkeypatch.setattr(reading, "MAX_FILE", 3)
    with pytest.raises(UsageError, match="larger than"):
        read_file("a.json", path)
    with pytest.raises(UsageError, match="can't be read"):
        read_file("b.json", tmp_path / "b.json")


ROOT = Node({"a": {"list": [1, "x"], "text": "t", "flag": True, "half": 2.5, "whole": 2.0}, "n": None})


@pytest.mark.parametrize(
    ("ask", "place", "said"),
    [
        (ROOT.at("a").text, "a", "an object and not a text"),
        (ROOT.at("n").text, "n", "missing"),
        (ROOT.at("a").at("list").object, "a.list", "a list and not an object"),
        (ROOT.at("a").at("text").items, "a.text", "a text and not a list"),
        (ROOT.at("a").at("list").items()[1].count, "a.list.1", "no whole number"),
        (ROOT.at("a").at("flag").count, "a.flag", "no whole number"),
        (ROOT.at("a").at("flag").number, "a.flag", "a truth value and not a number"),
        (ROOT.at("a").at("half").count, "a.half", "no whole number"),
        (ROOT.at("a").at("half").name, "a.half", "a number and not a text"),
        (ROOT.at("a").at("flag").name, "a.flag", "a truth value and not a text"),
        (ROOT.at("n").number, "n", "it is missing"),
        (Node("").name, "", "empty"),
    ],
)
def test_what_is_not_there_or_is_something_else_is_named(ask: Any, place: str, said: str) -> None:
    with pytest.raises(Wrong) as caught:
        ask()
    assert caught.value.problems[0][0] == place
    assert said in caught.value.problems[0][1]


def test_what_is_there_is_given() -> None:
    inner = ROOT.at("a")
    assert (inner.at("text").text(), inner.at("whole").count(), inner.at("half").number()) == ("t", 2, 2.5)
    assert (ROOT.at("n").text(""), ROOT.at("n").count(3), ROOT.at("zz").items()) == ("", 3, [])
    assert [one.name() for one in Node([7, "x"]).items()] == ["7", "x"]
