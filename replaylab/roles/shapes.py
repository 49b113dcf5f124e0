"""JSON Schemas that bind the answers of models which need structured output. Pure.

A tool declares its observation only by an example, so the schema has the example's types and none of its values:
small models copy values. What an example can't tell is left open: a null, the items of an empty list, an object whose
keys are data (`{"ORD-7": …}`). Strings and lists are bounded, or a small model goes on until it is cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from replaylab.canonical import canonical
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

MAX_TEXT = 300
MAX_ANSWER = 1200
MAX_ITEMS = 40

_FIELD_NAME = re.compile(r"[a-z][A-Za-z0-9_]*")
_TYPES = {bool: "boolean", int: "number", float: "number", str: "string"}


def observation_schema(tool: Tool) -> JsonObject:
    """What the simulator may answer for this tool: the shape of its example, or {"error": text}."""
    error = _closed({"error": {"type": "string", "maxLength": MAX_TEXT}})
    shape = schema_of(tool.example_output) if tool.has_example else {"type": "object"}
    # Of a null example only the kinds that `simulator.allowed_kinds` lets through are left open.
    shape = shape or {"type": ["object", "null"]}
    return {"anyOf": [shape, error]}


def action_schema(tools: Iterable[Tool]) -> JsonObject:
    """What an agent without a tool-calling API may answer: {"action": a call of one of the tools, or of the answer}.

    The alternatives stand inside an object because strict structured output refuses them at the root of a schema. The
    final answer has the form of a call: where it had a form of its own, small models took it at once, without a look.
    """
    offered = tuple(tools)
    calls = [
        _closed({"tool": {"const": tool.name}, "arguments": bounded(tool.parameters)}) for tool in offered
    ]
    text = _closed({"answer": {"type": "string", "maxLength": MAX_ANSWER}})
    answer = _closed({"tool": {"const": answer_tool(offered)}, "arguments": text})
    return _closed({"action": {"anyOf": [*calls, answer]}})


def answer_tool(tools: Iterable[Tool]) -> str:
    """The name under which the final answer is given: one that no tool of the environment has."""
    taken = {tool.name for tool in tools}
    name = "final_answer"
    while name in taken:
        name += "_"
    return name


def vote_schema() -> JsonObject:
    """What a verifier may answer."""
    return _closed(
        {"is_correct": {"type": "boolean"}, "feedback": {"type": "string", "maxLength": MAX_ANSWER}}
    )


def shape_of(example: Json) -> Json:
    """The example with type names in place of its values, for prompts: `{"id": "string", "beds": ["number"]}`."""
    if isinstance(example, dict):
        if _keys_are_data(example):
            return {"<key>": shape_of(next(iter(example.values())))}
        return {key: shape_of(value) for key, value in example.items()}
    if isinstance(example, list):
        return [shape_of(item) for item in _distinct(example)]
    return "any" if example is None else _TYPES[type(example)]


def schema_of(example: Json) -> JsonObject:
    """A schema of the example's types, which the example itself satisfies."""
    if example is None:
        return {}
    if isinstance(example, dict):
        if _keys_are_data(example) or not example:
            return {"type": "object"}
        return _closed({key: schema_of(value) for key, value in example.items()})
    if isinstance(example, list):
        items: JsonObject = merged(map(schema_of, example)) if example else {}
        return {"type": "array", "items": items, "maxItems": max(MAX_ITEMS, 2 * len(example))}
    if isinstance(example, str):
        return {"type": "string", "maxLength": max(MAX_TEXT, 2 * len(example))}
    return {"type": _TYPES[type(example)]}


def merged(schemas: Iterable[JsonObject]) -> JsonObject:
    """One schema for items that may differ: fields that only some have are optional, types that differ alternate."""
    flat = [part for schema in schemas for part in schema.get("anyOf", [schema])]
    parts = list({canonical(part): part for part in flat}.values())
    if {} in parts:
        return {}
    closed = [part for part in parts if "properties" in part]
    others = [part for part in parts if "properties" not in part]
    if {"type": "object"} in others:
        closed = []
    alternatives = [*([_merged_objects(closed)] if closed else []), *_widest(others)]
    return alternatives[0] if len(alternatives) == 1 else {"anyOf": alternatives}


def _merged_objects(parts: list[JsonObject]) -> JsonObject:
    names = dict.fromkeys(name for part in parts for name in part["properties"])
    properties = {
        name: merged(part["properties"][name] for part in parts if name in part["properties"])
        for name in names
    }
    everywhere = [name for name in names if all(name in part["required"] for part in parts)]
    return {"type": "object", "properties": properties, "required": everywhere, "additionalProperties": False}


def _widest(parts: list[JsonObject]) -> list[JsonObject]:
    """One schema for each type: the longest bounds, and for lists the items of all of them."""
    by_type: dict[str, JsonObject] = {}
    for part in parts:
        kind = part["type"]
        other = by_type.get(kind, part)
        wider: JsonObject = {"type": kind}
        if kind == "string":
            wider["maxLength"] = max(part["maxLength"], other["maxLength"])
        if kind == "array":
            wider |= {
                "items": merged([other["items"], part["items"]]),
                "maxItems": max(part["maxItems"], other["maxItems"]),
            }
        by_type[kind] = wider
    return list(by_type.values())


def bounded(schema: Any) -> Any:
    """The schema with bounds on every string and list that has none; what it says besides is kept."""
    if isinstance(schema, list):
        return [bounded(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    copy = {key: _bounded_part(key, value) for key, value in schema.items()}
    if copy.get("type") == "string" and not {"enum", "const", "maxLength"} & copy.keys():
        copy["maxLength"] = MAX_TEXT
    if copy.get("type") == "array" and "maxItems" not in copy:
        copy["maxItems"] = MAX_ITEMS
    return copy


def _bounded_part(key: str, value: Any) -> Any:
    if key in {"properties", "$defs", "definitions", "patternProperties"} and isinstance(value, dict):
        return {name: bounded(part) for name, part in value.items()}
    if key in {"items", "anyOf", "oneOf", "allOf", "additionalProperties", "prefixItems"}:
        return bounded(value)
    return value


def _closed(properties: JsonObject) -> JsonObject:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _keys_are_data(value: JsonObject) -> bool:
    return any(_FIELD_NAME.fullmatch(key) is None for key in value)


def _distinct(items: list[Json]) -> list[Json]:
    seen = {canonical(shape_of(item)): item for item in items}
    return list(seen.values())
