"""Reads the text of a claims file, YAML or JSON, into plain values in which every scalar is the text that was written.

77 and 77.0 are different statements, and `no` is a name like any other: what a text means is decided where it is used.
So no number, date or boolean is made here. Nothing but the events of a YAML parser is used: tags, anchors and aliases
are refused where they stand, so no object is made and nothing grows while it is read.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import yaml

from replaylab.errors import UsageError
from replaylab.schema.base import Json

MAX_BYTES = 2_000_000
MAX_DEPTH = 24
MAX_SCALAR = 20_000

Path = tuple[str | int, ...]
_SURROGATE = re.compile("[\ud800-\udfff]")


class Read(NamedTuple):
    """The value, and the line of each part of it by the keys and numbers that lead there (JSON has no lines)."""

    value: Json
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of a part, or of the nearest part around it that is known; 0 where none is."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 0)


def read_text(data: bytes, name: str) -> Read:
    """The value of a file. Raises UsageError, with the line where there is one, when it is not a plain document."""
    if len(data) > MAX_BYTES:
        raise UsageError(
            f"a claims file has {MAX_BYTES:,} bytes at most, this one {len(data):,}",
            where=name,
            fix="put large tables into CSV files beside it, or split it",
        )
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError("not UTF-8", where=name, fix="save the file as UTF-8") from error
    if name.lower().endswith(".json"):
        return Read(_from_json(text, name), {})
    return _from_yaml(text, name)


def _from_json(text: str, name: str) -> Json:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for key, value in pairs:
            if key in found:
                raise UsageError(f"the key {key!r} stands twice", where=name)
            found[key] = value
        return found

    def refused(constant: str) -> str:
        raise UsageError(f"{constant} is no JSON number", where=name)

    try:
        value = json.loads(
            text, object_pairs_hook=unique, parse_int=str, parse_float=str, parse_constant=refused
        )
    except json.JSONDecodeError as error:
        raise UsageError(f"not JSON: {error.msg}", where=f"{name}:{error.lineno}") from error
    except RecursionError as error:
        raise _too_deep(name) from error
    _limit(value, name)
    return value


def _limit(value: Json, name: str) -> None:
    """What the YAML way refuses while it reads: depth, nothing where a value is due."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH):
        level = [part for one in level for part in _parts(one, name)]
        if not level:
            return
    raise _too_deep(name)


def _parts(value: Json, name: str) -> Iterator[Json]:
    if value is None:
        raise UsageError("null stands where a value is due", where=name, fix="leave the key out")
    if isinstance(value, str) and _SURROGATE.search(value):
        raise UsageError("half of a character (a lone surrogate) stands in a text", where=name)
    if isinstance(value, dict):
        yield from value
        yield from value.values()
    elif isinstance(value, list):
        yield from value


class _Open:
    """A collection that is being read."""

    def __init__(self, path: Path, is_map: bool, line: int) -> None:
        self.path, self.is_map, self.line = path, is_map, line
        self.value: Any = {} if is_map else []
        self.key: str | None = None

    def next_path(self) -> Path:
        return (*self.path, self.key if self.is_map and self.key is not None else len(self.value))


class _Builder:
    """Puts events together, without recursion."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.open: list[_Open] = []
        self.lines: dict[Path, int] = {}
        self.root: Any = None
        self.documents = 0

    def take(self, event: Any) -> None:
        self._refuse(event)
        if isinstance(event, yaml.MappingStartEvent | yaml.SequenceStartEvent):
            self._start(event)
        elif isinstance(event, yaml.MappingEndEvent | yaml.SequenceEndEvent):
            done = self.open.pop()
            self._put(done.value, done.line)
        elif isinstance(event, yaml.ScalarEvent):
            self._scalar(event)
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self._error(event, "a second document begins here", "one file holds one document")

    def _refuse(self, event: Any) -> None:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise self._error(event, "anchors and aliases are not read", "write the value out")
        if getattr(event, "tag", None):
            raise self._error(
                event, f"the tag {event.tag[:80]} is not read", "write plain values, without tags"
            )

    def _start(self, event: Any) -> None:
        if len(self.open) >= MAX_DEPTH:
            raise _too_deep(f"{self.name}:{event.start_mark.line + 1}")
        if self.open and self.open[-1].is_map and self.open[-1].key is None:
            raise self._error(event, "a key has to be a text")
        path = self.open[-1].next_path() if self.open else ()
        line = event.start_mark.line + 1
        self.lines.setdefault(path, line)
        self.open.append(_Open(path, isinstance(event, yaml.MappingStartEvent), line))

    def _scalar(self, event: Any) -> None:
        if _SURROGATE.search(event.value):
            raise self._error(event, "half of a character (a lone surrogate) stands in a text")
        if len(event.value) > MAX_SCALAR:
            raise self._error(event, f"a text has {MAX_SCALAR:,} characters at most")
        line = event.start_mark.line + 1
        top = self.open[-1] if self.open else None
        if top is not None and top.is_map and top.key is None:
            if event.value in top.value:
                raise self._error(event, f"the key {event.value!r} stands twice", "keep one of them")
            top.key = event.value
            self.lines[(*top.path, event.value)] = line
            return
        if event.style is None and event.value == "":
            raise self._error(event, "nothing stands where a value is due", 'leave the key out, or write ""')
        self._put(event.value, line)

    def _put(self, value: Any, line: int) -> None:
        if not self.open:
            self.root = value
            return
        top = self.open[-1]
        self.lines.setdefault(top.next_path(), line)
        if top.is_map:
            top.value[top.key] = value
            top.key = None
        else:
            top.value.append(value)

    def _error(self, event: Any, what: str, fix: str = "") -> UsageError:
        return UsageError(what, where=f"{self.name}:{event.start_mark.line + 1}", fix=fix)


def _from_yaml(text: str, name: str) -> Read:
    builder = _Builder(name)
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{name}:{mark.line + 1}" if mark else name
        raise UsageError(f"not YAML: {error.problem or error.context}", where=where) from error
    except yaml.YAMLError as error:  # a character that YAML doesn't have
        raise UsageError(f"not YAML: {str(error).splitlines()[0]}", where=name) from error
    except (RecursionError, ValueError) as error:
        raise UsageError("not YAML that can be read", where=name) from error
    return Read(builder.root, builder.lines)


def _too_deep(where: str) -> UsageError:
    return UsageError(f"nested more than {MAX_DEPTH} levels deep", where=where)
