from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from jsonschema import Draft202012Validator

from replaylab.roles.shapes import (
    MAX_ITEMS,
    MAX_TEXT,
    action_schema,
    bounded,
    observation_schema,
    schema_of,
    shape_of,
)
from replaylab.schema.scenario import Tool
from tests.roles.test_parsing import VALUES


def valid(schema: dict[str, Any], value: Any) -> bool:
    Draft202012Validator.check_schema(schema)
    return bool(Draft202012Validator(schema).is_valid(value))


def strings(value: Any) -> set[str]:
    if isinstance(value, dict):
        return set().union(*map(strings, value.values()))
    if isinstance(value, list):
        return set().union(*map(strings, value))
    return {value} if isinstance(value, str) else set()


@given(VALUES)
def test_an_example_satisfies_its_own_schema(example: Any) -> None:
    assert valid(schema_of(example), example)


@pytest.fixture(scope="module")
def published(occubench: Path) -> list[Tool]:
    """Every tool of the published OccuBench data."""
    files = sorted((occubench / "world_model_configs").glob("*.json"))
    actions = [json.loads(file.read_text(encoding="utf-8"))["action_set_definitions"] for file in files]
    return [
        Tool(
            name=action["name"],
            parameters=action["parameters"],
            has_example="example_output" in action,
            example_output=action.get("example_output"),
        )
        for action in chain.from_iterable(actions)
    ]


def test_every_published_example_satisfies_its_own_schema(published: list[Tool]) -> None:
    assert len(published) == 2089
    for tool in published:
        validator = Draft202012Validator(observation_schema(tool))
        assert validator.is_valid({"error": "Invalid arguments"}), tool
        assert not tool.has_example or validator.is_valid(tool.example_output), tool


def test_no_value_of_a_published_example_is_in_its_schema_or_shape(published: list[Tool]) -> None:
    for tool in published:
        shown = json.dumps([observation_schema(tool), shape_of(tool.example_output)])
        assert not [
            text for text in strings(tool.example_output) if len(text) > 12 and json.dumps(text) in shown
        ], tool


def test_schemas_from_published_tools_are_valid_schemas(published: list[Tool]) -> None:
    for tool in published[::50]:
        Draft202012Validator.check_schema(observation_schema(tool))
        Draft202012Validator.check_schema(action_schema([tool]))


def test_types_are_taken_over_and_values_are_not() -> None:
    schema = schema_of({"id": "BK-9921", "copies": 3, "open": True})
    assert valid(schema, {"id": "BK-1", "copies": 0.5, "open": False})
    assert not valid(schema, {"id": "BK-1", "copies": "3", "open": False})
    assert not valid(schema, {"id": "BK-1", "copies": 3})
    assert not valid(schema, {"id": "BK-1", "copies": 3, "open": True, "more": 1})


def test_what_an_example_cannot_tell_is_left_open() -> None:
    schema = schema_of({"holder": None, "rows": []})
    assert valid(schema, {"holder": {"name": "x"}, "rows": [1, {"a": 2}]})
    assert valid(schema_of({"ORD-AL-01": {"qty": 1}}), {"ORD-XY-77": {"qty": 2}})
    assert valid(schema_of({}), {"anything": 1})


def test_fields_that_only_some_items_have_are_optional() -> None:
    schema = schema_of([{"id": "a", "due": "x"}, {"id": "b"}])
    assert valid(schema, [{"id": "c"}])
    assert not valid(schema, [{"due": "x"}])


def test_items_of_different_types_alternate() -> None:
    schema = schema_of([{"v": 1}, {"v": "x"}, {"v": [{"w": 1}, 2]}, {"v": [["a"], True]}])
    assert valid(schema, [{"v": "y"}, {"v": 2}, {"v": [3, {"w": 4}, ["b"], False]}])
    assert not valid(schema, [{"v": True}])


def test_texts_and_lists_are_bounded() -> None:
    assert not valid(schema_of("x"), "y" * (MAX_TEXT + 1))
    assert not valid(schema_of([1]), [1] * (MAX_ITEMS + 1))
    assert not valid(observation_schema(Tool(name="t", example_output=[1])), {"error": "y" * (MAX_TEXT + 1)})
    parameters = {
        "type": "object",
        "properties": {
            "note": {"type": "string"},
            "kind": {"type": "string", "enum": ["a" * 900]},
            "type": {"type": "array", "items": {"type": "string"}},
        },
    }
    schema = bounded(parameters)
    assert not valid(schema, {"note": "y" * (MAX_TEXT + 1)})
    assert not valid(schema, {"type": ["y"] * (MAX_ITEMS + 1)})
    assert valid(schema, {"kind": "a" * 900, "type": ["y"]})
    assert parameters["properties"]["note"] == {"type": "string"}  # type: ignore[index]


def test_an_error_is_always_a_possible_observation_and_no_other_object_is() -> None:
    schema = observation_schema(Tool(name="t", example_output={"ok": True}))
    assert valid(schema, {"ok": False})
    assert valid(schema, {"error": "closed"})
    assert not valid(schema, {"ok": True, "error": "closed"})


def test_a_null_example_leaves_open_what_a_parser_lets_through() -> None:
    schema = observation_schema(Tool(name="t", example_output=None))
    assert valid(schema, None)
    assert valid(schema, {"anything": 1})
    assert not valid(schema, "text")
    assert not valid(observation_schema(Tool(name="t", has_example=False)), None)


def test_a_shape_names_types_and_keeps_field_names() -> None:
    example = {"rooms": [{"id": "R1"}, {"id": "R2"}], "free": 2, "open": True, "by": None, "x": {"R-1": 1}}
    assert shape_of(example) == {
        "rooms": [{"id": "string"}], "free": "number", "open": "boolean", "by": "any", "x": {"<key>": "number"},
    }  # fmt: skip
