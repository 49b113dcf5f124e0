"""A pack as a library: what reads and verifies libraries reads and verifies packs, without unpacking them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import StoreError
from replaylab.interop.pack.contents import contents_of
from replaylab.interop.pack.names import README, SUMS, object_path, refused, top_folder
from replaylab.interop.pack.read import Progress, Read, bytes_of, nothing, read_pack
from replaylab.store.library import Library
from replaylab.store.objects import Objects, Suffix
from replaylab.store.refs import Refs, check_name
from replaylab.store.tombstones import Tombstones


class PackedLibrary(Library):
    """The library in a pack that was read. Nothing can be written into it."""

    def __init__(self, read: Read) -> None:
        super().__init__(read.file)
        self._objects, self._refs = _Objects(read), _Refs(read)
        self.tombstones: Tombstones = _Tombstones(read)


class _Objects(Objects):
    def __init__(self, read: Read) -> None:
        super().__init__(read.file)
        self._read = read

    def has(self, digest: str, suffix: Suffix) -> bool:
        return object_path(Digest(digest), suffix) in self._read.members

    def get(self, digest: str, suffix: Suffix) -> bytes:
        member = self._read.members.get(object_path(Digest(digest), suffix))
        if member is None:
            raise refused(f"the {suffix} {digest} is not in it", str(self._read.file))
        data = bytes_of(self._read.file, member)
        if digest_bytes(data) != digest:
            raise refused("it was changed while it was read", str(self.path(digest, suffix)))
        return data

    def restore(self, data: bytes, suffix: Suffix) -> Digest:
        raise _sealed(self._read.file)

    def names(self, suffix: Suffix) -> Iterator[Digest]:
        found = sorted(one.name.about for one in self._read.members.values() if one.name.kind == suffix)
        return map(Digest, found)

    def strays(self) -> Iterator[Path]:
        return iter(())


class _Refs(Refs):
    def __init__(self, read: Read) -> None:
        super().__init__(read.file)
        self._read = read

    def get(self, name: str) -> Digest | None:
        member = self._read.members.get(f"runs/{check_name(name)}")
        if member is None:
            return None
        text = bytes_of(self._read.file, member).decode("ascii", errors="replace")
        if len(text) != 65 or text[-1] != "\n":
            raise refused("a reference is not one run id and a newline", str(self.path(name)))
        try:
            return Digest(text[:-1])
        except ValueError as error:
            raise refused("a reference is not one run id and a newline", str(self.path(name))) from error

    def set(self, name: str, digest: str) -> None:
        raise _sealed(self._read.file)

    def names(self) -> list[str]:
        return sorted(one.name.about for one in self._read.members.values() if one.name.kind == "ref")

    def _is_stray(self, name: str, is_run: Callable[[str], bool]) -> bool:
        return (
            False  # nobody puts a file of their own into a pack: what stands there is a reference, or damage
        )


class _Tombstones(Tombstones):
    def __init__(self, read: Read) -> None:
        super().__init__(read.file)
        self._read = read

    def read(self, cassette: str) -> bytes | None:
        member = self._read.members.get(object_path(Digest(cassette), "tombstone"))
        return None if member is None else bytes_of(self._read.file, member)

    def names(self) -> Iterator[Digest]:
        found = sorted(one.name.about for one in self._read.members.values() if one.name.kind == "tombstone")
        return map(Digest, found)


def packed_library(read: Read) -> tuple[PackedLibrary, Digest]:
    """The library of a pack and the run that it is about. Raises StoreError unless it holds that run and nothing else."""
    library = PackedLibrary(read)
    refs = library.refs()
    if len(refs) != 1:
        raise refused(f"it has {len(refs)} references; a pack is about one run", str(read.file))
    ((name, run_id),) = refs.items()
    if not library.has(run_id, "run"):
        raise refused(f"it has no run object {run_id}, which its reference names", str(read.file))
    contents = contents_of(library, run_id)
    if contents.run.name != name:
        raise refused(f"its reference is called {name}, and its run {contents.run.name}", str(read.file))
    if read.top != top_folder(name, run_id):
        wanted = top_folder(contents.run.name, run_id)
        raise refused(f"its folder is {ascii(read.top)[:200]}, of its run follows {wanted}", str(read.file))
    wanted_paths = {README, SUMS, f"runs/{name}"}
    wanted_paths |= {object_path(one, "run") for one in contents.runs}
    wanted_paths |= {object_path(one, "cassette") for one in contents.cassettes}
    wanted_paths |= {object_path(one, "tombstone") for one in contents.gone}
    extra = sorted(read.members.keys() - wanted_paths)
    if extra:
        raise refused(f"it holds {extra[0]}, which its run does not name", str(read.file))
    return library, run_id


def open_packed(
    file: Path, progress: Progress = lambda done, all_: None
) -> tuple[PackedLibrary, Digest, Read]:
    """Read a pack and check all but what is inside its cassettes."""
    read = read_pack(file, nothing, progress)
    return *packed_library(read), read


def _sealed(file: Path) -> StoreError:
    return StoreError("a pack is not written into", where=str(file), fix="`replaylab unpack` it first")
