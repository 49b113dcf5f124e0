"""Spans out of OTLP in JSON: one document, or one a line as the collector's file exporter writes them.

Numbers of 64 bits stand as texts there, and some programs write them as numbers; field names come in both spellings that
protocol buffers allow.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from replaylab.interop.talk.reading import Node
from replaylab.schema.base import Json, JsonObject, in_json

_NANO = 1_000_000_000
_DIGITS = re.compile(r"[0-9]{1,20}")
_LAST = 253_402_300_799 * _NANO  # the end of the year 9999
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MAX_DEPTH = 40


@dataclass(frozen=True)
class Event:
    """Something that happened within a span."""

    name: str
    attributes: JsonObject


@dataclass(frozen=True)
class Span:
    """A span with plain attributes. Times are nanoseconds since 1970, 0 where none is given."""

    where: str
    trace: str
    id: str
    name: str
    start: int
    end: int
    attributes: JsonObject
    resource: JsonObject = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    failed: bool = False

    @property
    def ms(self) -> float:
        return round(max(self.end - self.start, 0) / 1e6, 3)

    @property
    def created(self) -> str:
        """When it began, ISO 8601, "" for nobody knows."""
        if not self.start:
            return ""
        return (_EPOCH + timedelta(microseconds=self.start // 1000)).isoformat(timespec="milliseconds")


def spans_of(where: str, node: Node) -> Iterator[Span]:
    """The spans of a document. Raises Wrong."""
    groups = _either(node, "resourceSpans", "resource_spans")
    if groups.value is None:
        raise node.wrong("there are no resourceSpans in it")
    for group in groups.items():
        resource = attributes_of(group.at("resource").at("attributes")) if group.has("resource") else {}
        scopes = _either(group, "scopeSpans", "scope_spans")
        if scopes.value is None:
            scopes = group.at("instrumentationLibrarySpans")
        for scope in scopes.items():
            for one in scope.at("spans").items():
                yield _span(where, one, resource)


def _either(node: Node, name: str, other: str) -> Node:
    return node.at(name) if node.has(name) else node.at(other)


def _span(where: str, one: Node, resource: JsonObject) -> Span:
    status = one.at("status")
    code = status.at("code").value if isinstance(status.value, dict) else None
    return Span(
        where=f"{where}#{'.'.join(map(str, one.path))}",
        trace=_either(one, "traceId", "trace_id").text(""),
        id=_either(one, "spanId", "span_id").text(""),
        name=one.at("name").text(""),
        start=_time(_either(one, "startTimeUnixNano", "start_time_unix_nano")),
        end=_time(_either(one, "endTimeUnixNano", "end_time_unix_nano")),
        attributes=attributes_of(one.at("attributes")),
        resource=resource,
        events=tuple(_event(event) for event in one.at("events").items()),
        failed=code in (2, "2", "STATUS_CODE_ERROR"),
    )


def _event(node: Node) -> Event:
    return Event(node.at("name").text(""), attributes_of(node.at("attributes")))


def _time(node: Node) -> int:
    if node.value is None:
        return 0
    text = str(node.value) if isinstance(node.value, int) else node.text()
    if not _DIGITS.fullmatch(text) or int(text) > _LAST:
        raise node.wrong("it is no time in nanoseconds since 1970")
    return int(text)


def attributes_of(node: Node) -> JsonObject:
    """A list of keys and values as an object; the last of two values of one key counts, as in the SDKs."""
    return {one.at("key").text(): _value(one.at("value"), 0) for one in node.items()}


def _value(node: Node, depth: int) -> Json:
    """A value that says its type. Raises Wrong."""
    if depth > MAX_DEPTH:
        raise node.wrong(f"it is nested deeper than {MAX_DEPTH}")
    if node.value is None:
        return None
    fields = [(name, part) for name, part in node.fields() if part.value is not None]
    if not fields:
        return None
    name, part = fields[0]
    name = re.sub(r"_([a-z])", lambda found: found[1].upper(), name)
    if name == "arrayValue":
        return [_value(one, depth + 1) for one in part.at("values").items()]
    if name == "kvlistValue":
        return {one.at("key").text(): _value(one.at("value"), depth + 1) for one in part.at("values").items()}
    if name not in _SCALARS:
        raise node.wrong(f"nobody knows the type {in_json(name)}")
    return _SCALARS[name](part)


def _integer(node: Node) -> int | str:
    """A whole number; one beyond 2^53 stays a text."""
    if isinstance(node.value, str):
        if not re.fullmatch(r"-?[0-9]{1,20}", node.value):
            raise node.wrong("it is no whole number")
        value = int(node.value)
        return value if abs(value) < 2**53 else node.value
    if isinstance(node.value, bool) or not isinstance(node.value, int):
        raise node.wrong(f"it is {node.kind()} and not a whole number")
    return node.value


def _double(node: Node) -> Json:
    """A number; one that JSON has no form for is a text."""
    return node.value if isinstance(node.value, str) else node.number()


_SCALARS: dict[str, Callable[[Node], Json]] = {
    "stringValue": Node.text,
    "boolValue": lambda node: bool(node.value),
    "intValue": _integer,
    "doubleValue": _double,
    "bytesValue": Node.text,
}
