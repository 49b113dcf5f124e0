"""Packs and purges: which packs hold a cassette, and a pack made again without it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.errors import ReplaylabError
from replaylab.interop.pack.names import object_path
from replaylab.interop.pack.packed import PackedLibrary, open_packed
from replaylab.interop.pack.read import listed
from replaylab.interop.pack.write import Packed, Progress, pack
from replaylab.schema.tombstone import Tombstone
from replaylab.store import tombstones
from replaylab.store.disk import list_names
from replaylab.store.tombstones import Tombstones


def packs_with(folders: Iterable[Path], cassette: Digest) -> Iterator[Path]:
    """The packs in these folders (not below them) that hold the cassette. Only their lists are read."""
    wanted = object_path(cassette, "cassette")
    for folder in dict.fromkeys(one.resolve() for one in folders):
        for name in list_names(folder):
            file = folder / name
            try:
                if name.endswith(".tar") and file.is_file() and wanted in listed(file):
                    yield file
            except (ReplaylabError, OSError):
                continue  # no pack, or no sound one


def pack_without(file: Path, stone: Tombstone, progress: Progress = lambda done, all_: None) -> Packed | None:
    """Make a pack again with a tombstone for a cassette, in its place; None where it does not hold the cassette.

    It is what `pack` makes of the run after the purge, so its SHA-256 is another one, and signatures over its
    SHA256SUMS no longer fit; those over the run object do.
    """
    library, run_id, read = open_packed(file)
    if object_path(Digest(stone.cassette), "cassette") not in read.members:
        return None
    library.tombstones = _With(library, stone)
    return pack(library, run_id, file, progress=progress)


class _With(Tombstones):
    """The tombstones of a pack and one more."""

    def __init__(self, library: PackedLibrary, stone: Tombstone) -> None:
        super().__init__(library.root)
        self._before, self._stone = library.tombstones, stone

    def read(self, cassette: str) -> bytes | None:
        if cassette == self._stone.cassette:
            return tombstones.encode(self._stone)
        return self._before.read(cassette)

    def names(self) -> Iterator[Digest]:
        return iter(sorted({*self._before.names(), Digest(self._stone.cassette)}))
