"""Every text that a library or a folder keeps, with its place."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import Digest, loads
from replaylab.cassette.codec import Cassette, request_parts
from replaylab.cassette.stored import open_cassette
from replaylab.errors import StoreError
from replaylab.given import NotRead, read_given
from replaylab.schema.base import Json
from replaylab.schema.interaction import Attempt, Interaction
from replaylab.schema.outcome import body_bytes
from replaylab.store.frames import rescue_frames
from replaylab.store.library import Library

LARGEST = 2**28  # bytes of a file that is read


class Text(NamedTuple):
    """A text and its place: the file or the cassette with the CallPath or the line, and a JSON pointer."""

    where: str
    pointer: str
    text: str


class Unread(NamedTuple):
    """A place that could not be looked into, and why. It counts as a finding: nobody knows what it holds."""

    where: str
    why: str


def leaves(value: Json, where: str, pointer: str = "") -> Iterator[Text]:
    """Every text in a JSON value, keys included; a text that is itself JSON is taken apart as well."""
    stack: list[tuple[Json, str]] = [(value, pointer)]
    while stack:
        item, at = stack.pop()
        if isinstance(item, str):
            yield Text(where, at, item)
        elif isinstance(item, dict):
            yield from (Text(where, at, key) for key in item)
            yield from _pairs(item, where, at)
            stack += [(part, f"{at}/{_escaped(key)}") for key, part in reversed(item.items())]
        elif isinstance(item, list):
            stack += [(part, f"{at}/{number}") for number, part in reversed(list(enumerate(item)))]


def _pairs(item: dict[str, Json], where: str, at: str) -> Iterator[Text]:
    """Names with their values as headers are written: by the name alone it shows that a value is a key."""
    name, value = item.get("name"), item.get("value")
    if isinstance(name, str) and isinstance(value, str):
        yield Text(where, f"{at}/value", f"{name}: {value}")
    for key, part in item.items():
        for one in part if isinstance(part, list) else [part]:
            if isinstance(one, str) and len(key) < 100:
                yield Text(where, f"{at}/{_escaped(key)}", f"{key}: {one}")


def _escaped(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def of_library(library: Library) -> Iterator[Text | Unread]:
    """What a library keeps: run objects, cassettes unpacked, tombstones, journals."""
    for name in library.objects("run"):
        yield from _json(library.path(name, "run"), f"run {name[:12]}")
    for name in library.objects("cassette"):
        yield from of_cassette(library, name)
    for gone, stone in library.all_gone().items():
        yield from leaves(stone.model_dump(mode="json"), f"tombstone {gone[:12]}")
    journals = library.root / "journal"
    for path in sorted(journals.rglob("*")) if journals.is_dir() else ():
        if path.is_file():
            where = path.relative_to(library.root).as_posix()
            yield from (
                _frames(path, where) if path.suffix in (".frames", ".damaged") else of_file(path, where)
            )


def _json(path: Path, where: str) -> Iterator[Text | Unread]:
    try:
        yield from leaves(loads(path.read_bytes()), where)
    except OSError as error:
        yield Unread(where, f"it can't be read: {error.strerror}")
    except ValueError as error:
        yield Unread(where, f"it can't be read: {error}")


def _frames(path: Path, where: str) -> Iterator[Text | Unread]:
    try:
        payloads, lost, torn = rescue_frames(path)
    except StoreError as error:
        yield Unread(where, error.what)
        return
    for start, end in () if torn else lost:
        yield Unread(where, f"bytes {start} to {end} are damaged or cut off")
    for number, payload in enumerate(payloads):
        place = f"{where} frame {number}"
        for line in payload.split(b"\n"):
            try:
                yield from leaves(loads(line), place) if line else ()
            except ValueError:
                yield Text(place, "", line.decode("utf-8", "replace"))


def of_cassette(library: Library, name: Digest) -> Iterator[Text | Unread]:
    """The header, each blob once under the first interaction that has it, all attempts, and the labels."""
    try:
        cassette = open_cassette(library, name)
        yield from _of(cassette)
    except StoreError as error:
        yield Unread(f"cassette {name[:12]}", error.what)


def _of(cassette: Cassette) -> Iterator[Text]:
    where = f"cassette {cassette.name[:12]}"
    yield from leaves(cassette.header.model_dump(mode="json"), f"{where} header")
    users: dict[str, str] = {}
    for rows in cassette.lanes.values():
        for row in rows:
            for part in request_parts(row.request):
                users.setdefault(part, row.path)
            yield from _interaction(row, f"{where} {row.path}")
    for blob in cassette.blobs:
        place = f"{where} {users.get(blob.digest, 'blob')}"
        pointer = f"/request/{blob.digest[:12]}"
        if blob.b64 is not None:
            yield Text(place, pointer, base64.b64decode(blob.b64).decode("utf-8", "replace"))
        else:
            yield from leaves(blob.value, place, pointer)
    for label in cassette.labels:
        yield from leaves(label.value, f"{where} label {label.kind} of {label.path}")


def _interaction(row: Interaction, where: str) -> Iterator[Text]:
    yield from leaves(
        row.request.model_dump(mode="json", include={"alias", "path", "method"}), where, "/request"
    )
    for number, attempt in enumerate(row.attempts):
        yield from _attempt(attempt, where, f"/attempts/{number}")
    if row.extra is not None:
        yield from leaves(row.extra, where, "/extra")


def _attempt(attempt: Attempt, where: str, pointer: str) -> Iterator[Text]:
    yield from leaves(attempt.headers, where, f"{pointer}/headers")
    body = body_bytes(attempt)
    try:
        yield from leaves(loads(body), where, f"{pointer}/body")
    except ValueError:
        yield Text(where, f"{pointer}/body", body.decode("utf-8", "replace"))
    if attempt.failure is not None:
        yield Text(where, f"{pointer}/failure", attempt.failure.message)


def of_path(path: Path, shown: str) -> Iterator[Text | Unread]:
    """A file, or all files of a folder."""
    if not path.is_dir():
        yield from of_file(path, shown)
        return
    for one in sorted(path.rglob("*")):
        if one.is_file() and not one.is_symlink():
            yield from of_file(one, f"{shown}/{one.relative_to(path).as_posix()}")


def of_file(path: Path, where: str) -> Iterator[Text | Unread]:
    """A JSON file by its values, any other by its lines."""
    try:
        data = read_given(path, LARGEST)
    except NotRead as error:
        yield Unread(where, str(error))
        return
    except OSError as error:
        yield Unread(where, f"it can't be read: {error.strerror}")
        return
    if path.suffix in (".json", ".har", ".ipynb"):
        try:
            yield from leaves(loads(data), where)
        except ValueError:
            pass
        else:
            return
    for number, line in enumerate(data.split(b"\n"), 1):
        yield from _line(line, f"{where}:{number}", json=path.suffix == ".jsonl")


def _line(line: bytes, where: str, *, json: bool) -> Iterator[Text]:
    if json:
        try:
            yield from leaves(loads(line), where)
        except ValueError:
            pass
        else:
            return
    yield Text(where, "", line.decode("utf-8", "replace"))
