from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.reader import MAX_BYTES, MAX_DEPTH, read_text
from replaylab.errors import UsageError

TEXTS = st.text(
    st.characters(exclude_categories=("Cs", "Cc", "Co", "Cn"), exclude_characters="\ufeff\u2028\u2029"),
    min_size=1,
    max_size=12,
)
VALUES = st.recursive(
    TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=12,
)


def refused(text: str, name: str = "c.yaml") -> UsageError:
    with pytest.raises(UsageError) as caught:
        read_text(text.encode(), name)
    return caught.value


@pytest.mark.parametrize(
    "written",
    ["77", "77.0", "0.70", "no", "null", "~", "true", "2026-12-01", "1e3", "0x10", ".5", "60:30"],
)
def test_every_scalar_is_the_text_that_was_written(written: str) -> None:
    assert read_text(f"a: {written}".encode(), "c.yaml").value == {"a": written}
    assert read_text(f'a: "{written}"'.encode(), "c.yaml").value == {"a": written}


def test_json_numbers_keep_their_digits() -> None:
    assert read_text(b'{"a": [77, 77.0, -1.50, true, "x"]}', "c.json").value == {
        "a": ["77", "77.0", "-1.50", True, "x"]
    }


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_a_yaml_writer_quotes_comes_back(value: dict[str, Any]) -> None:
    written = yaml.safe_dump(value, default_style='"', allow_unicode=True)
    assert read_text(written.encode(), "c.yaml").value == value


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_what_json_writes_comes_back(value: dict[str, Any]) -> None:
    assert read_text(json.dumps(value).encode(), "c.json").value == value


@given(st.binary(max_size=60), st.sampled_from(["c.yaml", "c.json"]))
def test_any_bytes_are_read_or_refused_and_nothing_else(data: bytes, name: str) -> None:
    refusal = None
    try:
        read_text(data, name)
    except UsageError as error:
        refusal = error.where
    assert refusal is None or refusal.startswith(name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: !!python/object/apply:os.system [ls]", "tag"),
        ("a: !!python/name:os.system ''", "tag"),
        ("a: !!str x", "tag"),
        ("!!map {a: b}", "tag"),
        ("a: &x 1\nb: *x", "anchors"),
        ("a: &x [1]", "anchors"),
        ("a: 1\na: 2", "twice"),
        ('a: "\\ud800"', "surrogate"),
        ('"\\udfff": a', "surrogate"),
        ("b:\n  a: 1\n  a: 2", "twice"),
        ("? [a]\n: b", "key has to be a text"),
        ("a:\nb: 1", "nothing stands"),
        ("a: 1\n---\nb: 2", "second document"),
        ("a: [1", "not YAML"),
        ("a: \x01", "not YAML"),
        ("%YAML 9.9\n---\na: 1", "not YAML"),
        ("a: " + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1), "deep"),
        ("[" * 100_000, "deep"),
        ("{a: " * 100_000, "deep"),
        ("a: " + "x" * 30_000, "characters at most"),
    ],
)
def test_what_could_do_harm_is_refused_with_its_place(text: str, says: str) -> None:
    error = refused(text)
    assert says in str(error)
    assert error.where.startswith("c.yaml")


def test_a_bomb_of_aliases_is_refused_before_anything_grows() -> None:
    bomb = "a: &a [x, x]\n" + "\n".join(
        f"{b}: &{b} [*{a}, *{a}]" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "anchors" in str(refused(bomb))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"a": 1, "a": 2}', "twice"),
        ('{"a": "\\ud800"}', "surrogate"),
        ('{"\\ud800": "a"}', "surrogate"),
        ('{"a": NaN}', "NaN"),
        ('{"a": null}', "null"),
        ('{"a": ', "not JSON"),
        ("[" * 200_000 + "]" * 200_000, "deep"),
        ('{"a":' * 30 + "1" + "}" * 30, "deep"),
    ],
)
def test_json_is_as_strict(text: str, says: str) -> None:
    assert says in str(refused(text, "c.json"))


def test_size_and_encoding_are_looked_at_first() -> None:
    with pytest.raises(UsageError, match="bytes at most"):
        read_text(b"a" * (MAX_BYTES + 1), "c.yaml")
    with pytest.raises(UsageError, match="UTF-8"):
        read_text(b"a: \xff", "c.yaml")


def test_lines_are_known_for_messages() -> None:
    read = read_text(b"a: 1\nb:\n  - x\n  - {c: 2}\n", "c.yaml")
    assert read.line(("b", 1, "c")) == 4
    assert read.line(("b", 0)) == 3
    assert read.line(("b", 1, "c", "deeper")) == 4
    assert read.line(("absent",)) == read.line(())
