from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vcr.serializers import yamlserializer

from replaylab.errors import UsageError
from replaylab.interop.vcr import yaml_text
from replaylab.interop.vcr.yaml_text import read_yaml

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS | st.binary(max_size=30),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=5))
def test_it_reads_what_vcrpy_wrote_as_vcrpy_does(value: dict[str, object]) -> None:
    text = yamlserializer.serialize(value)
    assert read_yaml(text, "x") == yamlserializer.deserialize(text) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a: !!binary |\n  aGk=\n", {"a": b"hi"}),
        ("a: !!python/str hi\n", {"a": "hi"}),
        ("a: !!python/unicode 'hi'\n", {"a": "hi"}),
        ("a: !!python/tuple [1, 2]\n", {"a": [1, 2]}),
        ("a: !!python/object/new:_io.BytesIO\n  state: !!python/tuple\n  - !!binary aGk=\n  - 0\n  - null\n", {"a": b"hi"}),
        ("a: !!python/object/apply:builtins.iter\n  args:\n  - [x, y]\n", {"a": ["x", "y"]}),
        ("!!python/object:vcr.request.Request\nbody: null\n", {"body": None}),
        ("a: &one [x]\nb: *one\n", {"a": ["x"], "b": ["x"]}),
        ("!!binary aGk=: 1\n", {"hi": 1}),
        ("200: 1\n", {"200": 1}),
    ],
)  # fmt: skip
def test_tags_and_aliases_that_vcrpy_wrote_are_read_as_data(text: str, value: object) -> None:
    assert read_yaml(text, "x") == value


@pytest.mark.parametrize("text", ["2020-10-01", "0x10", "1:30", "012"])
def test_what_only_yaml_takes_for_a_number_or_a_time_is_the_text_that_was_written(text: str) -> None:
    assert read_yaml(f"a: {text}", "x") == {"a": text}


@pytest.mark.parametrize(
    "tag",
    [
        "!!python/object/apply:os.system ['true']",
        "!!python/object/new:subprocess.Popen [['true']]",
        "!!python/name:os.system ''",
        "!!python/module:os ''",
        "!!python/object:builtins.dict {}",
        "!custom x",
        "!custom {a: b}",
        "!!set {a, b}",
        "!!python/object/new:_io.FileIO {state: [x]}",
    ],
)
def test_any_other_tag_is_refused_with_its_line(tag: str) -> None:
    with pytest.raises(UsageError, match="may make no objects") as error:
        read_yaml(f"a: 1\nb: {tag}\n", "file.yaml")
    assert error.value.where == "file.yaml:2"


def test_aliases_count_as_all_that_they_stand_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_text, "MAX_WEIGHT", 10_000)
    laughs = ["a0: &a0 [lol]"]
    laughs += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 9)]
    with pytest.raises(UsageError, match="with its aliases written out it is larger"):
        read_yaml("\n".join(laughs), "x")
    assert read_yaml("\n".join(laughs[:4]), "x")["a3"]


def test_an_alias_inside_what_it_names_is_refused() -> None:
    with pytest.raises(UsageError, match="names nothing that ends before it"):
        read_yaml("a: &a [*a]", "x")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a: 1\n---\na: 2\n", "a second document"),
        ("a: 1\na: 2\n", "stands twice"),
        ("<<: {a: 1}\n", "merge keys"),
        ("? [a]\n: 1\n", "a key has to be a text"),
        ("a: [", "not YAML"),
        ("a: !!binary '%'\n", "no base64"),
        ("a: !!int x\n", "no int"),
        ("[" * 300 + "]" * 300, "levels deep"),
        ("a: \x07\n", "not YAML"),
    ],
)
def test_what_is_no_plain_document_is_refused(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        read_yaml(text, "x")
