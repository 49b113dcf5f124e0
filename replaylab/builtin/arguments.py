"""Arguments that a JSON Schema allows, made without chance: the same schema gives the same value.

Constants and enums come first, then values that were seen under the same name, then the plainest value of the type.
Whatever is made is checked with jsonschema, so a schema that this can't satisfy (a pattern, a `not`) gives nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from replaylab.schema.base import Json, JsonObject
from replaylab.schema.pointer import unescape

Seen = Mapping[str, Sequence[Json]]

_FORMATS = {
    "date": "2025-01-01",
    "time": "00:00:00Z",
    "date-time": "2025-01-01T00:00:00Z",
    "duration": "PT1H",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uri": "https://example.com/",
    "url": "https://example.com/",
    "uuid": "00000000-0000-4000-8000-000000000000",
}
_MAX_DEPTH = 12
_MOST = 1000  # characters or items; a schema that wants more gets nothing that it allows


def arguments_for(schema: JsonObject, seen: Seen | None = None) -> JsonObject | None:
    """Arguments that the schema allows, or None where none were found. `seen` gives values by parameter name."""
    schema = {"type": "object"} | schema
    try:
        Draft202012Validator.check_schema(schema)
        if not all(_target(schema, reference) for reference in _references(schema)):
            return None
        for known in (seen or {}, {}):
            value = _Maker(schema, known).make(schema, "", 0)
            if isinstance(value, dict) and Draft202012Validator(schema).is_valid(value):
                return value
    except (SchemaError, RecursionError):
        pass  # not a schema, or one that refers to itself without end: it allows nothing
    return None


class _Maker:
    def __init__(self, root: JsonObject, seen: Seen) -> None:
        self._root, self._seen = root, seen

    def make(self, schema: Json, name: str, depth: int) -> Json:
        if not isinstance(schema, dict) or depth > _MAX_DEPTH:
            return None
        schema = self._flat(schema)
        if "const" in schema:
            return schema["const"]
        if schema.get("enum"):
            return schema["enum"][0]
        for value in (*self._seen.get(name, ()), *_told(schema)):
            if Draft202012Validator({**schema, "$defs": self._root.get("$defs", {})}).is_valid(value):
                return value
        return self._plain(schema, name, depth)

    def _flat(self, schema: JsonObject) -> JsonObject:
        """The schema with a reference followed, the first alternative taken, and all of `allOf` merged."""
        for _ in range(_MAX_DEPTH):
            reference = schema.get("$ref")
            chosen = next((schema[key][0] for key in ("anyOf", "oneOf") if schema.get(key)), None)
            rest = {
                key: part for key, part in schema.items() if key not in ("$ref", "anyOf", "oneOf", "allOf")
            }
            if isinstance(reference, str):
                schema = rest | _target(self._root, reference)
            elif isinstance(chosen, dict):
                schema = rest | _merged(rest, chosen)
            elif schema.get("allOf"):
                for part in schema["allOf"]:
                    rest = _merged(rest, part if isinstance(part, dict) else {})
                schema = rest
            else:
                break
        return schema

    def _plain(self, schema: JsonObject, name: str, depth: int) -> Json:
        kind = _kind(schema)
        if kind == "object":
            properties = schema.get("properties", {})
            wanted = [key for key in properties if key in schema.get("required", ())]
            wanted += [key for key in schema.get("required", ()) if key not in properties]
            spare = [key for key in properties if key not in wanted]
            wanted += spare[: max(0, schema.get("minProperties", 0) - len(wanted))]
            return {key: self.make(properties.get(key, {}), key, depth + 1) for key in wanted}
        if kind == "array":
            count = min(_MOST, max(1, schema.get("minItems", 0))) if schema.get("maxItems", 1) > 0 else 0
            return [self.make(schema.get("items", {}), name, depth + 1) for _ in range(count)]
        if kind in ("integer", "number"):
            return _number(schema, whole=kind == "integer")
        return {"boolean": True, "null": None}.get(kind, _text(schema))


def _told(schema: JsonObject) -> list[Json]:
    """Values that the schema itself offers."""
    examples = schema.get("examples")
    return [
        *([schema["default"]] if "default" in schema else []),
        *(examples if isinstance(examples, list) else []),
    ]


def _references(schema: Json) -> Iterator[str]:
    """Every reference in a schema. jsonschema would fetch one that points to another host."""
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        schema = list(schema.values())
    if isinstance(schema, list):
        for part in schema:
            yield from _references(part)


def _target(root: JsonObject, reference: str) -> JsonObject:
    """What a reference inside the same schema points to; {} for any other."""
    if not reference.startswith("#"):
        return {}
    target: Json = root
    for part in filter(None, reference[1:].split("/")):
        target = target.get(unescape(part)) if isinstance(target, dict) else None
    return target if isinstance(target, dict) else {}


def _merged(first: JsonObject, second: JsonObject) -> JsonObject:
    both = {**first, **second}
    if "properties" in first and "properties" in second:
        both["properties"] = {**first["properties"], **second["properties"]}
    if "required" in first and "required" in second:
        both["required"] = [*first["required"], *second["required"]]
    return both


def _kind(schema: JsonObject) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(kind, str):
        return kind
    return "object" if "properties" in schema else "array" if "items" in schema else "string"


def _number(schema: JsonObject, *, whole: bool) -> float:
    low = schema.get("minimum", schema.get("exclusiveMinimum"))
    high = schema.get("maximum", schema.get("exclusiveMaximum"))
    step = schema.get("multipleOf", 1 if whole else 0)
    value = low if low is not None else min(1, high) if high is not None else 1
    if step:
        value = -(-value // step) * step
    if value == schema.get("exclusiveMinimum"):
        between = (value + high) / 2 if high is not None else value + 1
        value += step or between - value
    if value == schema.get("exclusiveMaximum") and low is None:
        value -= step or 1
    return int(value) if whole or value == int(value) else value


def _text(schema: JsonObject) -> str:
    text = _FORMATS.get(schema.get("format", ""), "text")
    text = text.ljust(min(schema.get("minLength", 0), _MOST), "x")
    return text if "format" in schema else text[: schema.get("maxLength", len(text))]
