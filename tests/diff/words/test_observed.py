"""An observation taken apart."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.words.observed import escape, face_of, leaves, read_observation, texts, words_of
from tests.diff.ward import shapes


@pytest.mark.parametrize("text", ['{"a": 1}', '```json\n{"a": 1}\n```', '{{"a": 1}}'])
def test_text_is_read_as_a_reply_would_be(text: str) -> None:
    assert read_observation(text) == {"a": 1}


def test_what_is_no_json_stays_text() -> None:
    assert read_observation("no bed is free") == "no bed is free"


@pytest.mark.parametrize(
    ("node", "found"),
    [
        ({"beds": [{"id": "B1"}]}, [("/beds", "beds", "rows")]),
        ({"wards": ["North", "South"]}, [("/wards", "wards", "names")]),
        ({"beds": []}, [("/beds", "beds", "empty")]),
        ([{"id": "B1"}], [("", "", "rows")]),
        ({"patients": {"P-1": {"bed": "B1"}}}, [("/patients", "patients", "map")]),
        ({"data": {"beds": [{"id": "B1"}]}}, [("/data/beds", "beds", "rows")]),
        ({"beds": {"items": [{"id": "B1"}]}}, [("/beds/items", "beds", "rows")]),
    ],
)
def test_groups_by_their_shape_and_nearest_telling_name(node: Any, found: list[tuple[str, str, str]]) -> None:
    assert [one for one in shapes(node) if one[2] != "values"] == found


def test_counts_are_no_names() -> None:
    assert shapes({"readings": [1, 2, 3]}) == []


def test_pointers_are_escaped() -> None:
    assert escape("a/b~c") == "a~1b~0c"
    assert list(leaves({"a/b": [1]})) == [("/a~1b/0", "a/b", 1)]


def test_texts_and_their_words() -> None:
    node = {"bed_state": "clean", "beds": 3}
    assert list(texts(node)) == [("/bed_state", "clean")]
    assert words_of(node) == {"bed", "stat", "clean", "3"}


def test_an_answer_is_its_own_face_and_that_of_what_it_wraps() -> None:
    assert face_of({"data": {"bed": "B1"}, "ok": True})["bed"] == "B1"
    assert face_of([1]) == {}
