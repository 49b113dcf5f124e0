from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.seeded import SEEDED_HEADER, Seeded, from_headers, to_header
from tests.strategies import json_values

ONE = Seeded(kind="omission", shape="first", entity="Straße 4\n", pointer="/a/0", expected={"é": [1, None]})


def test_what_was_seeded_survives_its_header() -> None:
    headers = to_header([ONE, ONE.model_copy(update={"kind": "fabrication"})])
    assert from_headers(headers) == (ONE, ONE.model_copy(update={"kind": "fabrication"}))
    assert headers[SEEDED_HEADER].isascii()
    assert "\n" not in headers[SEEDED_HEADER]


@given(value=json_values, entity=st.text())
def test_any_value_can_be_carried(value: object, entity: str) -> None:
    seeded = Seeded(kind="contradiction", shape="x", entity=entity, observed=value)
    assert from_headers(to_header([seeded])) == (seeded,)


def test_nothing_seeded_is_no_header() -> None:
    assert to_header([]) == {}
    assert from_headers({}) == ()


@pytest.mark.parametrize(
    "text", ["", "no", "7", "[7]", '[{"kind": "worse", "shape": "x"}]', '{"kind": "omission"}', "null"]
)
def test_a_header_of_somebody_else_counts_as_none(text: str) -> None:
    assert from_headers({SEEDED_HEADER: text}) == ()
