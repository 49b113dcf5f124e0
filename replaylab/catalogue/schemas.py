"""The JSON Schemas of tools, each read once. They are foreign text: a generator or somebody's folder wrote them.

A schema is closed: it refers to nothing outside of it. jsonschema would otherwise fetch what a reference names, from the
network or a file, in the middle of a replay. Whatever a schema does to whoever checks by it is one error, `BrokenSchema`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from jsonschema.validators import SPECIFICATIONS, extend  # type: ignore[attr-defined]

from replaylab.canonical import canonical
from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.patterns import compile_pattern
from replaylab.schema.pointer import unescape

# A text up to the first length is searched by any pattern, up to the others by those with so many open repeats; no longer one.
# The author of a schema writes the pattern and a model the text, so that one of them alone could hold up a study.
_SEARCHED = ((20, None), (200, 4), (5_000, 2))
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_ANCHORS = ("$anchor", "$dynamicAnchor")


class BrokenSchema(Exception):
    """A schema by which nothing can be checked. `path` is where in it, with dots; the text says why."""

    def __init__(self, what: str, path: str = "type") -> None:
        super().__init__(what)
        self.path = path


class RunsAway(Exception):
    """A pattern that could take for ever on this text."""


def _found(pattern: str, text: str) -> bool:
    """Whether a pattern is in a text. Raises RunsAway."""
    for length, most in _SEARCHED:
        if len(text) <= length:
            try:
                known = (
                    re.compile(pattern)
                    if most is None or not pattern
                    else compile_pattern(pattern, max_open=most, flags=0)
                )
            except UsageError as error:
                raise RunsAway(error.what) from error
            return known.search(text) is not None
    raise RunsAway(f"the text has {len(text)} characters")


def _pattern(validator: Any, pattern: str, value: Json, schema: JsonObject) -> Iterator[ValidationError]:
    if isinstance(value, str) and not _found(pattern, value):
        yield ValidationError(f"{value!r} does not match {pattern!r}")


def _pattern_properties(
    validator: Any, patterns: JsonObject, value: Json, schema: JsonObject
) -> Iterator[ValidationError]:
    for pattern, part in patterns.items() if isinstance(value, dict) else ():
        for name, inner in value.items():
            if _found(pattern, name):
                yield from validator.descend(inner, part, path=name, schema_path=pattern)


_Bounded = extend(Draft202012Validator, {"pattern": _pattern, "patternProperties": _pattern_properties})  # type: ignore[no-untyped-call]


def check_schema(schema: JsonObject) -> None:
    """Raises BrokenSchema where it is no schema, or refers to something that it does not hold."""
    _validator(schema)


def errors_of(schema: JsonObject, value: Json) -> list[ValidationError]:
    """What the schema has against the value. Raises BrokenSchema."""
    validator = _validator(schema)
    try:
        return list(validator.iter_errors(value))
    except (
        Exception
    ) as error:  # a reference to itself without end, a number that overflows: each keyword has its own
        raise BrokenSchema(f"nothing can be checked by it ({type(error).__name__})") from error


def _validator(schema: JsonObject) -> Draft202012Validator:
    found = _read(canonical(schema))
    if isinstance(found, BrokenSchema):
        raise found
    return found


@lru_cache(maxsize=4096)
def _read(text: bytes) -> Draft202012Validator | BrokenSchema:
    schema = json.loads(text)
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        return BrokenSchema(error.message, ".".join(map(str, error.absolute_path)) or "type")
    except RecursionError:
        return BrokenSchema("it is too deep")
    for path, what in _leading_out(schema, schema, ()):
        return BrokenSchema(what, ".".join(path))
    # A registry that fetches nothing, should a reference be somewhere that was not looked at.
    validator: Draft202012Validator = _Bounded(schema, registry=SPECIFICATIONS)
    try:
        validator.is_valid(dict.fromkeys(schema.get("properties", {})))
    except RecursionError:
        return BrokenSchema("it refers to itself without end")
    except Exception as error:  # noqa: BLE001 - as in `errors_of`
        return BrokenSchema(f"nothing can be checked by it ({type(error).__name__})")
    return validator


def _leading_out(
    root: JsonObject, part: Json, path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """References that lead out of the schema, or nowhere in it."""
    if isinstance(part, dict):
        for name in _REFERENCES:
            target = part.get(name)
            if isinstance(target, str) and not _holds(root, target):
                yield (*path, name), f"it refers to {target[:80]!r}, which it does not hold"
        if path and isinstance(part.get("$id"), str):
            yield (*path, "$id"), "a schema within it has an id of its own"
        for name, inner in part.items():
            yield from _leading_out(root, inner, (*path, name))
    elif isinstance(part, list):
        for number, inner in enumerate(part):
            yield from _leading_out(root, inner, (*path, str(number)))


def _holds(root: JsonObject, reference: str) -> bool:
    if not reference.startswith("#"):
        return False
    if reference == "#":
        return True
    if not reference.startswith("#/"):
        return any(one == reference[1:] for one in _anchors(root))
    target: Json = root
    for name in map(unescape, reference[2:].split("/")):
        if isinstance(target, dict) and name in target:
            target = target[name]
        elif isinstance(target, list) and name.isdecimal() and int(name) < len(target):
            target = target[int(name)]
        else:
            return False
    return isinstance(target, (dict, bool))


def _anchors(part: Json) -> Iterator[Json]:
    if isinstance(part, dict):
        yield from (part[name] for name in _ANCHORS if name in part)
    for inner in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from _anchors(inner)
