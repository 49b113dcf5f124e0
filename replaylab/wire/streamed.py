"""The texts that a streamed body carries in pieces, each joined into one view.

Pieces belong together when they stand at the same path of their JSON documents. A choice, a tool call and a content
block are told apart by the index that they carry, not by their place in a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from replaylab.wire.sse import DONE, Parser
from replaylab.wire.views import JSON_ESCAPE, Part, Place, Span, View, unescaped

Path = tuple[str | int, ...]

_INNER = rb'"([^"\\]*(?:\\.[^"\\]*)*)'
_STRING = re.compile(_INNER + rb'(?:"(\s*:)?|\\?$)', re.DOTALL)
_OUTSIDE = re.compile(_INNER + rb'(?:"|\\?$)|[\[\]{}]', re.DOTALL)
_PART_OF_ESCAPE = re.compile(rb"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$")
_INDICES = ("index", "output_index", "content_index", "summary_index", "item_id")


class _Pairs(NamedTuple):
    """A JSON object as written: keys that stand twice stay two."""

    pairs: list[tuple[str, Any]]


_DECODER = json.JSONDecoder(object_pairs_hook=_Pairs, strict=False)


def leaf_views(data: bytes) -> Iterator[View]:
    """One view for each text of the body that came in two pieces or more: server-sent events, or a JSON document a line."""
    texts: dict[Path, list[Part]] = {}
    for document, place in _documents(data):
        for path, part in _leaves(document, place):
            texts.setdefault(path, []).append(part)
    return (View(parts, glue=b"") for parts in texts.values() if len(parts) > 1)


def _documents(data: bytes) -> Iterator[Part]:
    parser = Parser()
    events = parser.feed(data)
    last = parser.unfinished()
    if not events and last is None:
        yield from _lines(data)
    for event in [*events, *([last] if last else [])]:
        view = View([(data[start:end], _shifted(start)) for start, end in event.where])
        yield view.data, _within(view)


def _lines(data: bytes) -> Iterator[Part]:
    at = 0
    for line in data.split(b"\n"):
        if line.lstrip()[:1] == b"{":
            yield line, _shifted(at)
        at += len(line) + 1


def _shifted(base: int) -> Place:
    return lambda start, end: (base + start, base + end)


def _within(view: View) -> Place:
    """A range over several data lines is cut out with what lies between them."""

    def place(start: int, end: int) -> Span:
        spans = list(view.back(start, end))
        return (spans[0][0], spans[-1][1]) if spans else (0, 0)

    return place


def _chained(inner: Place, outer: Place) -> Place:
    return lambda start, end: outer(*inner(start, end))


def _leaves(document: bytes, place: Place) -> Iterator[tuple[Path, Part]]:
    """Each string value of a JSON document with its path; of anything else, the whole as one text."""
    tree = _parse(document)
    if tree is None:
        if document.strip() != DONE.encode():
            yield ("",), (document, place)
        return
    strings = (match.span(1) for match in _STRING.finditer(document) if not match.group(2))
    for path, (start, end) in zip(_paths(tree, ("$",)), strings, strict=False):
        text, inner = unescaped(document[start:end], JSON_ESCAPE, start)
        yield path, (text, _chained(inner, place))


def _paths(tree: Any, path: Path) -> Iterator[Path]:
    """The path of each string value, in the order of the document."""
    if isinstance(tree, str):
        yield path
    elif isinstance(tree, _Pairs):
        path += _marks(tree, top=path == ("$",))
        for key, part in tree.pairs:
            yield from _paths(part, (*path, key))
    elif isinstance(tree, list):
        for place, part in enumerate(tree):
            # An object with an index names itself, wherever it stands.
            named = isinstance(part, _Pairs) and any(key == "index" for key, _ in part.pairs)
            yield from _paths(part, path if named else (*path, place))


def _marks(tree: _Pairs, top: bool) -> Path:
    names = (*_INDICES, "type") if top else _INDICES[:1]
    return tuple(part for key, part in tree.pairs if key in names and isinstance(part, str | int))


def _parse(document: bytes) -> Any:
    """A JSON object or array, also one that was cut off; None for anything else."""
    if document.lstrip()[:1] not in (b"{", b"["):
        return None
    for text in _completions(document):
        try:
            # Bytes that are no UTF-8 matter for where strings stand only; what they hold is read from the bytes.
            return _DECODER.decode(text.decode("utf-8", "replace"))
        except (ValueError, RecursionError):
            continue
    return None


def _completions(document: bytes) -> Iterator[bytes]:
    """`document`, then what it may have been before it was cut off."""
    yield document
    closers: list[bytes] = []
    head, quote = document, b""
    for match in _OUTSIDE.finditer(document):
        token = match.group()
        if token in (b"{", b"["):
            closers.append(b"}" if token == b"{" else b"]")
        elif token in (b"}", b"]"):
            closers = closers[:-1]
        elif match.end() == len(document) and not _closed(token):
            head, quote = _PART_OF_ESCAPE.sub(rb"\1", document), b'"'
    tail = b"".join(reversed(closers))
    for middle in (b"", b":null", b"null", b'"":null'):
        yield head + quote + middle + tail


def _closed(token: bytes) -> bool:
    return (
        len(token) > 1 and token.endswith(b'"') and (len(token) - len(token[:-1].rstrip(b"\\")) - 1) % 2 == 0
    )
