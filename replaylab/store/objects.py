"""Objects: immutable files named by the SHA-256 of their bytes, which is checked whenever one is read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, get_args

from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import StoreError, UsageError
from replaylab.store import disk

Suffix = Literal["cassette", "run"]
SUFFIXES: tuple[Suffix, ...] = get_args(Suffix)
MIN_PREFIX = 4

_NAME = re.compile(r"([0-9a-f]{64})\.(cassette|run|tombstone)")
_SHARD = re.compile(r"[0-9a-f]{2}")


class Objects:
    """The folder `objects/` of a library: `objects/3f/3f9c….cassette`, `objects/a1/a1b2….run`."""

    def __init__(self, root: Path) -> None:
        self._root, self.folder = root, root / "objects"

    def path(self, digest: str, suffix: Suffix) -> Path:
        """Where the object is, or would be."""
        if suffix not in SUFFIXES:
            raise UsageError(f"no such kind of object: {suffix!r}", closest=", ".join(SUFFIXES))
        name = Digest(digest)
        return self.folder / f"{name[:2]}/{name}.{suffix}"  # one step: asked for each of many objects

    def has(self, digest: str, suffix: Suffix) -> bool:
        """Whether a file of that name is there; it is not read. Raises StoreError where that can't be seen."""
        path = self.path(digest, suffix)
        with disk.doing("look for", path):
            return path.is_symlink() or path.exists()

    def put(self, data: bytes, suffix: Suffix) -> Digest:
        """Write once and return the name. An object that exists is verified instead of written.

        Raises StoreError when it can't be written, or when the one that exists is damaged.
        """
        name = digest_bytes(data)
        if self.has(name, suffix):
            self.get(name, suffix)
        else:
            self.restore(data, suffix)
        return name

    def restore(self, data: bytes, suffix: Suffix) -> Digest:
        """Write an object even where a damaged file has its name."""
        name = digest_bytes(data)
        path = self.path(name, suffix)
        if not data or len(data) > disk.MAX_FILE:
            raise StoreError(
                f"an object of {len(data)} bytes can't be stored",
                where=str(path),
                fix=f"1 to {disk.MAX_FILE} bytes",
            )
        disk.refuse_links(self._root, path)
        disk.write_file(path, data)
        return name

    def get(self, digest: str, suffix: Suffix) -> bytes:
        """The bytes of an object, verified. Raises StoreError naming the file when it is missing or damaged."""
        path = self.path(digest, suffix)
        disk.refuse_links(self._root, path)
        try:
            data = disk.read_file(path)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise _unusable(path, "is missing") from error
        if not data:
            raise _unusable(path, "is empty")
        found = digest_bytes(data)
        if found != digest:
            raise _unusable(path, f"is damaged: its {len(data)} bytes have the SHA-256 {found}")
        return data

    def names(self, suffix: Suffix) -> Iterator[Digest]:
        """The names of all objects of a kind, sorted. Nothing is read."""
        for shard in self._shards():
            yield from self._in_shard(shard, suffix)

    def find(self, prefix: str, suffix: Suffix) -> Digest:
        """The one object whose name begins with `prefix`. Raises UsageError for none, several, or too short."""
        wanted = prefix.lower()
        if len(wanted) < MIN_PREFIX or not re.fullmatch(r"[0-9a-f]{1,64}", wanted):
            raise UsageError(
                f"not the beginning of a {suffix} name: {prefix[:80]!r}", fix=f"{MIN_PREFIX} to 64 hex digits"
            )
        inside = self._in_shard(wanted[:2], suffix)
        found = [name for name in inside if name.startswith(wanted)]
        if len(found) == 1:
            return found[0]
        if found:
            raise UsageError(
                f"{len(found)} {suffix} objects begin with {prefix}",
                closest=", ".join(found[:5]),
                fix="add digits",
            )
        raise UsageError(f"no {suffix} begins with {prefix}", where=str(self.folder))

    def strays(self) -> Iterator[Path]:
        """Files below `objects/` that aren't objects in their place. Temporary files are left out: never read."""
        for shard in disk.list_names(self.folder):
            folder = self.folder / shard
            if not _SHARD.fullmatch(shard) or not folder.is_dir():
                yield folder
                continue
            for name in disk.list_names(folder):
                match = _NAME.fullmatch(name)
                if not disk.is_temporary(name) and (match is None or name[:2] != shard):
                    yield folder / name

    def remove_leftovers(self, older_than_ns: int) -> int:
        """Delete what killed writers left under temporary names; how many files that were."""
        return sum(disk.remove_leftovers(self.folder / shard, older_than_ns) for shard in self._shards())

    def _shards(self) -> list[str]:
        return [name for name in disk.list_names(self.folder) if _SHARD.fullmatch(name)]

    def _in_shard(self, shard: str, suffix: Suffix) -> list[Digest]:
        folder = self.folder / shard
        disk.refuse_links(self._root, folder / "any")
        matches = map(_NAME.fullmatch, disk.list_names(folder))
        return [Digest(m[1]) for m in matches if m and m[2] == suffix and m[1].startswith(shard)]


def _unusable(path: Path, how: str) -> StoreError:
    return StoreError(
        f"{path.name} {how}",
        where=str(path),
        fix="restore this file from a copy, or `replaylab merge` a library that has it, or record again",
    )
