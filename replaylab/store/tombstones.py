"""Tombstones: files beside the objects that say why a cassette is not there.

`objects/3f/3f9c….tombstone` has the name of the cassette that it stands for, and not of its own bytes: canonical JSON
and a newline, with a digest over the rest in its field `check`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from replaylab.canonical import Digest, NotIJson, canonical, digest, parse_strict
from replaylab.errors import StoreError
from replaylab.schema.base import misfit
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Tombstone
from replaylab.store import disk

SUFFIX = "tombstone"
MAX_SIZE = 1 << 26
_NAME = re.compile(r"([0-9a-f]{64})\.tombstone", re.ASCII)
_SHARD = re.compile(r"[0-9a-f]{2}", re.ASCII)
_FORMAT = re.compile(r"replaylab\.tombstone/([1-9][0-9]{0,8})", re.ASCII)


class Tombstones:
    """The tombstones in the folder `objects/` of a library."""

    def __init__(self, root: Path) -> None:
        self._root, self._folder = root, root / "objects"

    def path(self, cassette: str) -> Path:
        """Where the tombstone of a cassette is, or would be."""
        name = Digest(cassette)
        return self._folder / f"{name[:2]}/{name}.{SUFFIX}"

    def read(self, cassette: str) -> bytes | None:
        """The bytes of a tombstone, unchecked; None where there is none."""
        path = self.path(cassette)
        try:
            # Asked for each cassette that is read; nearly always there is none.
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise disk.store_error(error, "look for", path) from error
        disk.refuse_links(self._root, path)
        try:
            return disk.read_file(path, limit=MAX_SIZE)
        except FileNotFoundError:
            return None

    def get(self, cassette: str) -> Tombstone | None:
        """The tombstone of a cassette, None where there is none. Raises StoreError when the file is damaged."""
        data = self.read(cassette)
        return None if data is None else decode(data, self.path(cassette), cassette)

    def put(self, stone: Tombstone) -> Path:
        """Write a tombstone in one step, whatever stands there."""
        path = self.path(stone.cassette)
        disk.refuse_links(self._root, path)
        disk.write_file(path, encode(stone))
        return path

    def remove(self, cassette: str) -> None:
        """Take a tombstone away, since the cassette itself is here."""
        path = self.path(cassette)
        disk.refuse_links(self._root, path)
        with disk.doing("remove", path):
            path.unlink(missing_ok=True)

    def names(self) -> Iterator[Digest]:
        """The cassettes that have a tombstone, sorted. Nothing is read."""
        for shard in disk.list_names(self._folder):
            if _SHARD.fullmatch(shard):
                matches = map(_NAME.fullmatch, disk.list_names(self._folder / shard))
                yield from (Digest(m[1]) for m in matches if m and m[1].startswith(shard))


def encode(stone: Tombstone) -> bytes:
    """The bytes of a tombstone."""
    body = stone.to_json()
    return canonical(body | {"check": digest(body)}) + b"\n"


def decode(data: bytes, path: Path, cassette: str) -> Tombstone:
    """The tombstone of `cassette` in `data`. Raises StoreError naming the file `path`."""
    try:
        value = parse_strict(data)
    except NotIJson as error:
        raise _bad(path, error.what) from error
    if not isinstance(value, dict):
        raise _bad(path, "not a JSON object")
    name = value.get("format")
    match = _FORMAT.fullmatch(name) if isinstance(name, str) else None
    if match is None or int(match[1]) > 1:
        raise StoreError(
            f"{path.name} has the format {ascii(name)[:80]}; this replaylab reads {TOMBSTONE_FORMAT}",
            where=str(path),
            fix="use the replaylab that wrote it, or a newer one",
        )
    said = value.pop("check", None)
    if said != digest(value) or canonical(value | {"check": said}) + b"\n" != data:
        raise _bad(path, "it does not match its checksum")
    try:
        stone = Tombstone.model_validate(value)
    except ValidationError as error:
        raise _bad(path, misfit(error)) from error
    if stone.cassette != cassette:
        raise _bad(path, f"it stands for the cassette {stone.cassette}")
    return stone


def _bad(path: Path, why: str) -> StoreError:
    return StoreError(
        f"{path.name} is no sound tombstone: {why}",
        where=str(path),
        fix="restore the file from a copy, or `replaylab merge` a library that has it",
    )
