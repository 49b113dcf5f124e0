from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.pretty import differing, pretty

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda parts: st.lists(parts, max_size=4) | st.dictionaries(st.text(max_size=8), parts, max_size=4),
    max_leaves=20,
)


@given(VALUES.filter(lambda value: not isinstance(value, str)), st.integers(1, 120))
def test_whatever_the_width_it_is_the_same_json(value: Any, width: int) -> None:
    assert json.loads(pretty(value, width)) == value


def test_short_values_take_one_line_and_long_ones_a_line_a_part() -> None:
    assert pretty({"a": [1, 2]}) == '{"a": [1, 2]}'
    assert pretty({"a": [1, 2]}, 8) == '{\n  "a": [\n    1,\n    2\n  ]\n}'


def test_a_text_stands_for_itself() -> None:
    assert pretty('say "é"') == 'say "é"'


def test_parts_of_a_list_look_alike() -> None:
    lines = pretty([{"a": 1}, {"a": "x" * 20}], 20).splitlines()
    assert lines == ["[", "  {", '    "a": 1', "  },", "  {", f'    "a": "{"x" * 20}"', "  }", "]"]


@pytest.mark.parametrize(
    ("clean", "delivered", "said"),
    [
        ({"a": 1}, {"a": 1}, []),
        ({"a": 1, "b": 2}, {"b": 2}, ["gone /a"]),
        ({"a": {"b": [1, 2, 3]}}, {"a": {"b": [1, 5]}}, ["changed /a/b/1", "gone /a/b/2"]),
        ({}, {"n": 1}, ["new /n"]),
        ([1], "cut", ["changed the whole answer"]),
    ],
)
def test_what_a_fault_did_is_named_field_by_field(clean: Any, delivered: Any, said: list[str]) -> None:
    assert differing(clean, delivered) == said
