"""Reads JSON that other programs wrote, and finds a way through it: whatever does not fit is named by its place.

Other programs write what I-JSON does not allow. A number that no reader can hold exactly (NaN, infinities, anything
beyond 2^53) is kept as the text that stands in the file, and counted. What has no sense at all is refused: two equal
keys, lone surrogates, extreme depth.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from replaylab.canonical import MAX_DEPTH, MAX_SAFE_INTEGER
from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.interop.transcript.lines import Wrong
from replaylab.schema.base import Json, JsonObject

MAX_FILE = 2**30  # bytes of a file that is read whole
MAX_DIGITS = 1000
_BOM = b"\xef\xbb\xbf"


class Document(NamedTuple):
    """A JSON value and what it is called in messages."""

    where: str
    value: Json


def read_file(name: str, path: Path) -> bytes:
    """The bytes of a file, without a byte order mark. Raises UsageError for one that can't be read or is too large."""
    try:
        return read_given(path, MAX_FILE).removeprefix(_BOM)
    except OSError as error:
        raise UsageError(f"the file can't be read: {error.strerror}", where=name) from error


def parse(data: bytes | str, odd: Counter[str] | None = None) -> Json:
    """The value of a JSON text of another program. `odd` counts what was kept as text. Raises Wrong."""
    odd = Counter() if odd is None else odd
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
    except UnicodeDecodeError as error:
        raise Wrong(("", f"it is not UTF-8: byte {error.start}")) from error
    numbers = _Numbers(odd)
    try:
        value = json.loads(
            text,
            parse_int=numbers.integer,
            parse_float=numbers.fraction,
            parse_constant=numbers.constant,
            object_pairs_hook=_once_each,
        )
    except RecursionError as error:
        raise Wrong(("", "it is nested too deeply")) from error
    except json.JSONDecodeError as error:
        raise Wrong(("", f"it is not JSON: {error}")) from error
    _check(value)
    return value


class _Numbers:
    """Numbers as they can be kept."""

    def __init__(self, odd: Counter[str]) -> None:
        self._odd = odd

    def integer(self, text: str) -> int | str:
        if len(text) < 17 and abs(value := int(text)) <= MAX_SAFE_INTEGER:
            return value
        return self._kept(text)

    def fraction(self, text: str) -> float | str:
        value = float(text)
        return value if math.isfinite(value) and abs(value) <= MAX_SAFE_INTEGER else self._kept(text)

    def constant(self, text: str) -> str:
        return self._kept(text)

    def _kept(self, text: str) -> str:
        if len(text) > MAX_DIGITS:
            raise Wrong(("", f"it holds a number of {len(text):,} digits"))
        self._odd["odd_number"] += 1
        return text


def _once_each(pairs: list[tuple[str, Json]]) -> JsonObject:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise Wrong(("", f"the key {ascii(twice)[:80]} stands twice in one object"))
    return found


def _check(value: Json) -> None:
    stack: list[tuple[Json, int, tuple[Any, ...]]] = [(value, 0, ())]
    while stack:
        item, depth, path = stack.pop()
        if isinstance(item, str):
            _check_text(item, path)
        if not isinstance(item, dict | list):
            continue
        if depth >= MAX_DEPTH:
            raise Wrong(("", f"it is nested deeper than {MAX_DEPTH}"))
        if isinstance(item, dict):
            for key in item:
                _check_text(key, path)
        parts = item.items() if isinstance(item, dict) else enumerate(item)
        stack += [
            (part, depth + 1, (*path, key)) for key, part in parts if isinstance(part, str | dict | list)
        ]


def _check_text(text: str, path: tuple[Any, ...]) -> None:
    if text.isascii():
        return
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise Wrong((dotted(*path), "it holds a lone surrogate, which is no character")) from error


def documents(name: str, data: bytes, odd: Counter[str]) -> Iterator[Document | tuple[str, Wrong]]:
    """The JSON values of a file: one over all of it, or one a line. What can't be read comes as (place, why)."""
    lines = [(number, line.strip()) for number, line in enumerate(data.split(b"\n"), 1) if line.strip()]
    if len(lines) > 1 and _is_json(lines[0][1]):
        for number, line in lines:
            yield _document(f"{name}:{number}", line, odd)
    elif lines:
        yield _document(name, data, odd)


def _document(where: str, data: bytes, odd: Counter[str]) -> Document | tuple[str, Wrong]:
    try:
        return Document(where, parse(data, odd))
    except Wrong as wrong:
        return where, wrong


def _is_json(line: bytes) -> bool:
    try:
        parse(line)
    except Wrong as wrong:
        # A line that ends too early is a piece of a larger value; one that is wrong in itself is a line.
        return not wrong.problems[0][1].startswith(("it is not JSON", "it is not UTF-8"))
    return True


def dotted(*parts: object) -> str:
    """A path as messages show it."""
    shown = [str(part) if str(part).isprintable() else ascii(part)[1:-1] for part in parts]
    return ".".join(part[:80] for part in shown if part)


_KINDS = {
    str: "a text",
    bool: "a truth value",
    int: "a number",
    float: "a number",
    list: "a list",
    dict: "an object",
}


class Node:
    """A value of a document and the way to it. Asking for what is not there raises Wrong with its place."""

    __slots__ = ("path", "value")

    def __init__(self, value: Json, path: tuple[object, ...] = ()) -> None:
        self.value, self.path = value, path

    def wrong(self, why: str, *more: object) -> Wrong:
        """The error that this value, or a part of it, is not what it should be."""
        return Wrong((dotted(*self.path, *more), why))

    def kind(self) -> str:
        return "null" if self.value is None else _KINDS.get(type(self.value), "something else")

    def object(self) -> JsonObject:
        """The value, which has to be an object."""
        if not isinstance(self.value, dict):
            raise self.wrong(f"it is {self.kind()} and not an object")
        return self.value

    def has(self, key: str) -> bool:
        """Whether the object has that field, and not as null."""
        return self.object().get(key) is not None

    def at(self, key: str) -> Node:
        """A field of the object; null where it is not there."""
        return Node(self.object().get(key), (*self.path, key))

    def items(self) -> list[Node]:
        """The parts of a list; none of null."""
        if self.value is None:
            return []
        if not isinstance(self.value, list):
            raise self.wrong(f"it is {self.kind()} and not a list")
        return [Node(part, (*self.path, number)) for number, part in enumerate(self.value)]

    def fields(self) -> list[tuple[str, Node]]:
        """The fields of an object; none of null."""
        if self.value is None:
            return []
        return [(key, Node(part, (*self.path, key))) for key, part in self.object().items()]

    def text(self, default: str | None = None) -> str:
        """The text; `default` for null. Raises Wrong for anything else, and for null without a default."""
        if self.value is None and default is not None:
            return default
        if not isinstance(self.value, str):
            raise self.wrong(
                f"it is {self.kind()} and not a text" if self.value is not None else "it is missing"
            )
        return self.value

    def name(self) -> str:
        """A text that is not empty, or a whole number as text: what people name samples and tasks with."""
        if isinstance(self.value, int) and not isinstance(self.value, bool):
            return str(self.value)
        if self.text() == "":
            raise self.wrong("it is empty")
        return self.text()

    def count(self, default: int | None = None, most: int = MAX_SAFE_INTEGER) -> int:
        """A whole number from 0; `default` for null. A fraction without a part after the point is one."""
        value = self.value
        if value is None and default is not None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.wrong(
                f"it is no whole number from 0 to {most:,}" if value is not None else "it is missing"
            )
        return value

    def number(self, default: float | None = None) -> float:
        """A number; `default` for null."""
        if self.value is None and default is not None:
            return default
        if isinstance(self.value, bool) or not isinstance(self.value, int | float):
            raise self.wrong(
                f"it is {self.kind()} and not a number" if self.value is not None else "it is missing"
            )
        return self.value
