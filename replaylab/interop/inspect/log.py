"""The parts of a log that are read: its head, and each sample with what it keeps elsewhere put back in its place.

A log is one JSON document, or a ZIP file whose members are documents. A sample in a ZIP file is one document, or (for
large ones) a shell and sequences in numbered pieces. Either way long texts stand once, as attachments, and the messages
that models were asked with once, in a pool.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from replaylab.errors import UsageError
from replaylab.given import open_given
from replaylab.interop.inspect.archive import Archive
from replaylab.interop.talk.reading import Node, parse, read_file
from replaylab.interop.transcript.lines import Wrong
from replaylab.schema.base import Json, JsonObject

MAX_RESOLVED = 2**28  # characters that attachments of one sample may become
ATTACHMENT = "attachment://"
SHELL = "/sample.json"
_WHOLE = re.compile(r"(samples/.+_epoch_[0-9]+)\.json")
_SHELL = re.compile(r"samples/.+_epoch_[0-9]+/sample\.json")
_PIECE = re.compile(r"([0-9]{1,12})\.json")
_PICKED = (
    "id",
    "epoch",
    "input",
    "target",
    "choices",
    "messages",
    "message_refs",
    "message_pool",
    "events_data",
    "output",
    "scores",
    "score",
    "metadata",
    "error",
    "limit",
    "total_time",
    "working_time",
)


class Sample(NamedTuple):
    """A sample, or what is wrong with it. `pool` are the messages that its model events name by number."""

    where: str
    value: JsonObject | Wrong
    pool: Sequence[Json] = ()
    events: Sequence[JsonObject] = ()


class Head(NamedTuple):
    """What all samples share. `status` is "started" for a log that was never finished."""

    eval: Node
    status: str


def read_log(name: str, path: Path, odd: Counter[str]) -> Iterator[Head | Sample]:
    """The head, then every sample, in the order of the file. Raises Wrong for a file that is no log."""
    if _is_zip(path):
        yield from _from_archive(name, path, odd)
        return
    root = Node(parse(read_file(name, path), odd))
    yield _head(root)
    for number, one in enumerate(root.at("samples").items()):
        yield _sample(f"{name}#{number}", one)


def _is_zip(path: Path) -> bool:
    try:
        with open_given(path) as file:
            return file.read(2) == b"PK"
    except OSError as error:
        raise UsageError(f"the file can't be read: {error.strerror}", where=str(path)) from error


def _head(root: Node) -> Head:
    if not root.has("eval"):
        raise root.wrong("there is no `eval` in it: it is no log of Inspect's")
    return Head(root.at("eval"), root.at("status").text("started"))


def _from_archive(name: str, path: Path, odd: Counter[str]) -> Iterator[Head | Sample]:
    archive = Archive(path)
    try:
        head = "header.json" if "header.json" in archive else "_journal/start.json"
        if head not in archive:
            raise Wrong(
                ("", "there is neither header.json nor _journal/start.json in it: it is no log of Inspect's")
            )
        yield _head(Node(_member(archive, head, odd)))
        for prefix, shape in _samples(archive):
            where = f"{name}:{prefix}"
            try:
                yield _sample(where, Node(_whole(archive, prefix, shape, odd)))
            except Wrong as wrong:
                yield Sample(where, wrong)
    finally:
        archive.close()


def _samples(archive: Archive) -> Iterator[tuple[str, str]]:
    """What each sample's members begin with, and its shape; "" for members that belong to none."""
    shells = {name.removesuffix(SHELL) for name in archive.names() if _SHELL.fullmatch(name)}
    for name in archive.names():
        if not name.startswith("samples/"):
            continue
        match = _WHOLE.fullmatch(name)
        if match:
            yield match[1], "whole"
        elif name.removesuffix(SHELL) in shells:
            yield name.removesuffix(SHELL), "pieces"
        elif not any(name[:at] in shells for at, char in enumerate(name) if char == "/"):
            yield name, ""


def _whole(archive: Archive, prefix: str, shape: str, odd: Counter[str]) -> Json:
    if shape == "whole":
        return _member(archive, f"{prefix}.json", odd)
    if shape == "pieces":
        return _put_together(archive, f"{prefix}/", _member(archive, prefix + SHELL, odd), odd)
    raise Wrong(("", "nobody knows what this member is: it is named like no sample and no part of one"))


def _member(archive: Archive, name: str, odd: Counter[str]) -> Json:
    try:
        return parse(archive.read(name), odd)
    except Wrong as wrong:
        raise Wrong(*((field or name, why) for field, why in wrong.problems)) from wrong


def _put_together(archive: Archive, prefix: str, shell: Json, odd: Counter[str]) -> JsonObject:
    """A large sample as one document: the sequences that lie beside its shell are put back into it."""
    found = dict(Node(shell).object())
    messages = _sequence(archive, f"{prefix}messages/", odd)
    found["message_pool"] = messages
    found["messages"] = _picked(Node(found.get("message_refs"), ("message_refs",)), messages)
    found["events"] = _sequence(archive, f"{prefix}events/", odd)
    texts = _sequence(archive, f"{prefix}attachments/", odd)
    found["attachments"] = {str(number): text for number, text in enumerate(texts)}
    if f"{prefix}metadata.json" in archive:
        found["metadata"] = _member(archive, f"{prefix}metadata.json", odd)
    return found


def _sequence(archive: Archive, prefix: str, odd: Counter[str]) -> list[Json]:
    """The items of all pieces of a sequence; each piece is named by the number of its first item."""
    pieces = []
    for name in archive.names():
        match = _PIECE.fullmatch(name.removeprefix(prefix)) if name.startswith(prefix) else None
        if match:
            pieces.append((int(match[1]), name))
    found: list[Json] = []
    for start, name in sorted(pieces):
        if start != len(found):
            raise Wrong((name, f"the piece before it ends at {len(found)}: one is missing"))
        found += [node.value for node in Node(_member(archive, name, odd), (name,)).items()]
    return found


def _picked(refs: Node, pool: Sequence[Json]) -> list[Json]:
    """The messages that ranges of a pool name; each range ends before its second number."""
    found: list[Json] = []
    for one in refs.items():
        ends = [node.count() for node in one.items()]
        if len(ends) != 2 or not ends[0] <= ends[1] <= len(pool):
            raise one.wrong(f"it names no range of the {len(pool)} pooled messages")
        found += pool[ends[0] : ends[1]]
        if len(found) > 1_000_000:
            raise one.wrong("it names more than a million messages")
    return found


def _sample(where: str, node: Node) -> Sample:
    try:
        attachments = {key: text.text() for key, text in node.at("attachments").fields()}
        resolve = _Resolver(attachments)
        value = {key: resolve.value(node.value[key]) for key in _PICKED if key in node.object()}
        pooled = node.at("message_pool").value
        data = node.at("events_data")
        if pooled is None and data.value is not None:
            pooled = data.at("messages").value
        events = [
            resolve.value(_event(one))
            for one in node.at("events").items()
            if one.at("event").value == "model"
        ]
        pool = [resolve.value(one.value) for one in Node(pooled, ("message_pool",)).items()]
        return Sample(where, value, pool, events)
    except Wrong as wrong:
        return Sample(where, wrong)


def _event(one: Node) -> JsonObject:
    """What is read of a call of a model."""
    names = ("input", "input_refs", "tools", "output", "working_time", "error", "role", "model")
    return {key: one.value[key] for key in names if key in one.object()}


class _Resolver:
    """Puts attachments back, as long as they don't grow beyond all measure."""

    def __init__(self, attachments: Mapping[str, str]) -> None:
        self._attachments, self._used = attachments, 0

    def value(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return [self.value(part) for part in value]
        if isinstance(value, dict):
            return {key: self.value(part) for key, part in value.items()}
        return value

    def _text(self, text: str) -> str:
        if not text.startswith(ATTACHMENT):
            return text
        found = self._attachments.get(text.removeprefix(ATTACHMENT))
        if found is None:
            return text
        self._used += len(found)
        if self._used > MAX_RESOLVED:
            raise Wrong(("attachments", f"put back, they are more than {MAX_RESOLVED:,} characters"))
        return found


def pooled_input(event: Node, pool: Sequence[Json]) -> list[Json]:
    """The messages that a model was asked with. Raises Wrong."""
    refs = event.at("input_refs")
    given = event.at("input")
    if refs.value is not None:
        return _picked(refs, pool)
    return [one.value for one in given.items()]
