from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from replaylab.builtin.arguments import arguments_for


def _object(names: list[str], parts: list[Any], needed: int) -> dict[str, Any]:
    properties = dict(zip(names, parts, strict=False))
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties)[:needed],
        "additionalProperties": False,
    }


def _of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


SCALARS = st.one_of(
    st.builds(
        lambda low, span: {"type": "integer", "minimum": low, "maximum": low + span},
        st.integers(-50, 50),
        st.integers(0, 9),
    ),
    st.builds(
        lambda low, span: {"type": "number", "exclusiveMinimum": low, "exclusiveMaximum": low + span},
        st.integers(-50, 50),
        st.sampled_from([0.5, 1, 7]),
    ),
    st.builds(lambda step: {"type": "integer", "multipleOf": step, "minimum": 4}, st.integers(1, 9)),
    st.builds(lambda high: {"type": "integer", "exclusiveMaximum": high}, st.integers(-5, 5)),
    st.builds(
        lambda low, span: {"type": "string", "minLength": low, "maxLength": low + span},
        st.integers(0, 9),
        st.integers(0, 9),
    ),
    st.sampled_from(
        [
            {"type": "boolean"},
            {"type": ["string", "null"]},
            {"enum": ["b", "a"]},
            {"const": 7},
            {"type": "string", "format": "date"},
            {"type": "string", "default": "given"},
            {},
        ]
    ),
)
OBJECTS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.builds(
            _object,
            st.lists(st.sampled_from("abcdef"), unique=True, max_size=4),
            st.lists(inner, min_size=4, max_size=4),
            st.integers(0, 4),
        ),
        st.builds(
            lambda item, few: {"type": "array", "items": item, "minItems": few}, inner, st.integers(0, 3)
        ),
        st.builds(lambda one, two: {"anyOf": [one, two]}, inner, inner),
    ),
    max_leaves=8,
).filter(lambda schema: schema.get("type") == "object")


@given(OBJECTS)
def test_arguments_are_found_for_every_satisfiable_schema_and_satisfy_it(schema: Any) -> None:
    value = arguments_for(schema)
    assert value is not None
    Draft202012Validator(schema).validate(value)


@given(OBJECTS, st.dictionaries(st.sampled_from("abcdef"), st.lists(st.one_of(st.integers(), st.text()))))
def test_what_was_seen_never_makes_arguments_invalid(schema: Any, seen: Any) -> None:
    value = arguments_for(schema, seen)
    assert value is not None
    Draft202012Validator(schema).validate(value)


def test_an_enum_comes_before_what_was_seen_and_that_before_a_made_up_value() -> None:
    schema = _of(kind={"enum": ["x", "y"]}, room={"type": "string"}, note={"type": "string"})
    found = arguments_for(schema, {"kind": ["y"], "room": [7, "ER-1", "ER-2"]})
    assert found == {"kind": "x", "room": "ER-1", "note": "text"}


def test_optional_parameters_are_left_out() -> None:
    assert arguments_for({"type": "object", "properties": {"a": {"type": "string"}}}) == {}


def test_references_and_all_of_are_followed() -> None:
    schema = _of(a={"$ref": "#/$defs/day"}, b={"allOf": [{"type": "integer"}, {"minimum": 5}]})
    assert arguments_for(schema | {"$defs": {"day": {"enum": ["mon"]}}}) == {"a": "mon", "b": 5}


@pytest.mark.parametrize(
    "schema",
    [
        _of(a={"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}),
        _of(a={"not": {}}),
        {"type": "objekt"},
        _of(a={"$ref": "#/properties/a"}),
        _of(a={"$ref": "#/$defs/none"}),
        _of(a={"$ref": "http://schemas.example/a.json"}),
    ],
)
def test_no_arguments_are_given_where_none_were_found(schema: Any) -> None:
    assert arguments_for(schema) is None
