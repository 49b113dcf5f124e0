"""Reads the YAML of a vcrpy cassette into plain values, from the events of a parser, so that no object is ever made.

The tags that vcrpy itself has written are read as what they stand for: text, bytes, a list, the content of a file
object. Every other tag is refused where it stands. An alias counts as all that it stands for, so that a small file
can't grow while it is read or written.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Iterator
from typing import Any

import yaml

from replaylab.errors import UsageError
from replaylab.schema.base import Json, in_json

MAX_DEPTH = 200
MAX_WEIGHT = 512 << 20  # bytes of text, and one for each value, aliases written out

_CORE = "tag:yaml.org,2002:"
_PYTHON = _CORE + "python/"
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _bytes_of_file(value: Json) -> Json:
    """`!!python/object/new:_io.BytesIO` keeps its content first in its state."""
    state = value.get("state") if isinstance(value, dict) else None
    content = state[0] if isinstance(state, list) and state else b""
    return content.encode() if isinstance(content, str) else content


def _items_of_iterator(value: Json) -> Json:
    """`!!python/object/apply:builtins.iter` keeps what it goes over in its arguments."""
    args = value.get("args") if isinstance(value, dict) else value
    return args[0] if isinstance(args, list) and args else []


def _as_it_is(value: Json) -> Json:
    return value


def _only_of_list(value: Json) -> Json:
    """`!!python/object/apply:builtins.frozenset` holds its one argument."""
    return value[0] if isinstance(value, list) and len(value) == 1 else value


# What vcrpy has written, and how it is read as data. The first and the last two are of before its version 1.
_COLLECTIONS: dict[str, Callable[[Json], Json]] = {
    _PYTHON + "object:vcr.request.Request": _as_it_is,
    _PYTHON + "tuple": _as_it_is,
    _PYTHON + "object/new:_io.BytesIO": _bytes_of_file,
    _PYTHON + "object/apply:builtins.iter": _items_of_iterator,
    _PYTHON + "object/apply:builtins.frozenset": _only_of_list,
    _PYTHON + "object/apply:__builtin__.frozenset": _only_of_list,
    _CORE + "map": _as_it_is,
    _CORE + "seq": _as_it_is,
}
_TEXTS = {_CORE + "str", _PYTHON + "str", _PYTHON + "unicode", "!"}
_BYTES = {_CORE + "binary", _PYTHON + "bytes"}
_PLAIN = {_CORE + name for name in ("null", "bool", "int", "float")}
_INT = re.compile(r"[-+]?(?:0|[1-9][0-9_]*)")


def read_yaml(text: str, name: str) -> Json:
    """The one document of a text. Raises UsageError with the line for anything that is no plain cassette."""
    builder = _Builder(name)
    try:
        for event in _events(text):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise UsageError(f"not YAML: {error.problem or error.context}", where=where) from error
    except yaml.YAMLError as error:  # a character that YAML doesn't have
        raise UsageError(f"not YAML: {str(error).splitlines()[0]}", where=name) from error
    except RecursionError as error:
        raise UsageError("not YAML that can be read: nested too deeply", where=name) from error
    return builder.root


def _events(text: str) -> Iterator[Any]:
    events: Iterator[Any] = yaml.parse(text, Loader=_LOADER)
    return events


class _Open:
    """A collection that is being read. `before` is the weight that was counted when it began."""

    def __init__(self, event: Any, before: int) -> None:
        self.value: Any = {} if isinstance(event, yaml.MappingStartEvent) else []
        self.tag, self.anchor, self.before = event.tag, event.anchor, before
        self.key: str | None = None


class _Builder:
    """Puts events together, without recursion."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.root: Any = None
        self.open: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.weight = 0
        self.documents = 0
        self._resolver = yaml.SafeLoader("")

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self._count(len(event.value) + 1, event)
            value = self._scalar(event)
            self._anchor(event, value, len(event.value) + 1)
            self._put(value, event)
        elif isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            self._end(event)
        elif isinstance(event, yaml.AliasEvent):
            if event.anchor not in self.anchors:
                raise self._error(event, f"the alias *{event.anchor[:80]} names nothing that ends before it")
            value, weight = self.anchors[event.anchor]
            self._count(weight, event)
            self._put(value, event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._error(event, "a second document begins here", "one file holds one cassette")

    def _count(self, weight: int, event: Any) -> None:
        self.weight += weight
        if self.weight > MAX_WEIGHT:
            raise self._error(event, f"with its aliases written out it is larger than {MAX_WEIGHT:,} bytes")

    def _start(self, event: Any) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise self._error(event, f"nested more than {MAX_DEPTH} levels deep")
        if event.tag is not None and event.tag not in _COLLECTIONS:
            raise self._refused(event)
        if self.open and isinstance(self.open[-1].value, dict) and self.open[-1].key is None:
            raise self._error(event, "a key has to be a text")
        self._count(1, event)
        self.open.append(_Open(event, self.weight))

    def _end(self, event: Any) -> None:
        done = self.open.pop()
        value = _COLLECTIONS[done.tag](done.value) if done.tag else done.value
        if done.anchor:
            self.anchors[done.anchor] = value, self.weight - done.before + 1
        self._put(value, event)

    def _anchor(self, event: Any, value: Any, weight: int) -> None:
        if event.anchor:
            self.anchors[event.anchor] = value, weight

    def _put(self, value: Any, event: Any) -> None:
        if not self.open:
            self.root = value
            return
        top = self.open[-1]
        if isinstance(top.value, list):
            top.value.append(value)
        elif top.key is None:
            top.key = self._key(value, top, event)
        else:
            top.value[top.key] = value
            top.key = None

    def _key(self, value: Any, top: _Open, event: Any) -> str:
        if isinstance(value, bytes):  # a header's name in a cassette of Python 2
            value = value.decode("latin-1")
        if not isinstance(value, str):
            value = event.value if isinstance(event, yaml.ScalarEvent) else None
        if value is None:
            raise self._error(event, "a key has to be a text")
        if value == "<<" and isinstance(event, yaml.ScalarEvent) and not event.style:
            raise self._error(event, "merge keys (<<) are not read", "write the values out")
        if value in top.value:
            raise self._error(event, f"the key {value[:80]!r} stands twice", "keep one of them")
        text: str = value
        return text

    def _scalar(self, event: Any) -> Any:
        plain, quoted = event.implicit
        tag = event.tag if event.tag is not None and not (plain or quoted) else None
        if tag is None:
            tag = self._resolver.resolve(yaml.ScalarNode, event.value, (plain, quoted))
        if tag in _TEXTS:
            return event.value
        if tag in _BYTES:
            return self._binary(event)
        if tag in _PLAIN:
            return self._plain(tag, event)
        if event.tag is None or event.tag == _CORE + "timestamp":
            return event.value  # a date is the text that was written: nothing in a cassette is a time
        raise self._refused(event)

    def _plain(self, tag: str, event: Any) -> Any:
        if event.tag is None and tag == _CORE + "int" and not _INT.fullmatch(event.value):
            return event.value  # 0x10, 0o7, 1:30 and leading zeros: JSON has none, so a text is meant
        try:
            return self._resolver.construct_object(yaml.ScalarNode(tag, event.value), deep=True)
        except (ValueError, KeyError) as error:
            raise self._error(
                event, f"{in_json(event.value[:80])} is no {tag.removeprefix(_CORE)}"
            ) from error

    def _binary(self, event: Any) -> bytes:
        try:
            return base64.b64decode("".join(event.value.split()), validate=True)
        except (binascii.Error, ValueError) as error:
            raise self._error(event, "what is tagged as binary is no base64") from error

    def _refused(self, event: Any) -> UsageError:
        return self._error(
            event,
            f"the tag {str(event.tag)[:120]} is not read: a cassette from outside may make no objects",
            "record it again, or write plain values in its place",
        )

    def _error(self, event: Any, what: str, fix: str = "") -> UsageError:
        return UsageError(what, where=f"{self.name}:{event.start_mark.line + 1}", fix=fix)
