"""Reading a pack: from front to back, once, believing nothing.

A member is hashed while its bytes go by, and compared with its line in SHA256SUMS and with the digest in its name.
Members come in order, so none comes twice; SHA256SUMS comes before all but the README, so nothing unlisted is taken.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple

from replaylab.errors import UsageError
from replaylab.interop.pack import sums
from replaylab.interop.pack.names import MAX_MEMBERS, MAX_TOTAL, README, SUMS, Name, parse, refused
from replaylab.interop.pack.tarball import Entry, TarReader
from replaylab.store.disk import doing

Take = Callable[[bytes], object]
Progress = Callable[[int, int], None]


class Member(NamedTuple):
    """A file of a pack and where its bytes are."""

    name: Name
    offset: int
    size: int
    digest: str


@dataclass(frozen=True)
class Read:
    """A pack whose every byte was hashed. `top` is the folder in it, `sums` the bytes of its SHA256SUMS."""

    file: Path
    top: str
    members: dict[str, Member]
    sums: bytes

    @property
    def size(self) -> int:
        return sum(member.size for member in self.members.values())


def nothing(path: str, size: int) -> AbstractContextManager[Take]:
    """Looks at a member and keeps nothing of it."""
    return nullcontext(len)


def read_pack(
    file: Path,
    each: Callable[[str, int], AbstractContextManager[Take]] = nothing,
    progress: Progress = lambda done, all_: None,
) -> Read:
    """Check the archive itself. `each` is asked, with a path and a size, who takes the bytes of a member.

    Raises StoreError for anything that `pack` does not write. What the members mean to each other is for `packed`.
    """
    with open_pack(file) as opened:
        total = os.fstat(opened.fileno()).st_size
        if total > MAX_TOTAL:
            raise refused(f"it has {total} bytes, more than {MAX_TOTAL}", str(file))
        return _Reading(file, TarReader(opened, total, str(file)), each, progress).run()


def listed(file: Path) -> dict[str, str]:
    """What SHA256SUMS of a pack says, {path: digest}. The rest is not read, so nothing is proved by it."""
    with open_pack(file) as opened:
        total = os.fstat(opened.fileno()).st_size
        reading = _Reading(file, TarReader(opened, total, str(file)), nothing, lambda done, all_: None)
        return reading.sums_alone()


def open_pack(file: Path) -> BinaryIO:
    """The file of a pack, open for reading. Raises UsageError where there is none, or no regular file."""
    with doing("open", file):
        try:
            fd = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        except FileNotFoundError as error:
            raise UsageError(
                "there is no such pack", where=str(file), fix="name the file that `replaylab pack` made"
            ) from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise UsageError("a pack is a regular file", where=str(file), fix="name the file of the pack")
    return os.fdopen(fd, "rb")


class _Passed:
    """Hands pieces on, hashes them, and keeps them where asked to."""

    def __init__(self, take: Take, *, keep: bool) -> None:
        self._take, self._keep = take, keep
        self.hash, self.kept = hashlib.sha256(), bytearray()

    def __call__(self, piece: bytes) -> None:
        self.hash.update(piece)
        self._take(piece)
        if self._keep:
            self.kept += piece


class _Reading:
    """One walk over a pack."""

    def __init__(
        self,
        file: Path,
        tar: TarReader,
        each: Callable[[str, int], AbstractContextManager[Take]],
        progress: Progress,
    ) -> None:
        self._file, self._tar, self._each, self._progress = file, tar, each, progress
        self._top = ""
        self._last = ""
        self._sums = b""
        self._listed: dict[str, str] = {}
        self._members: dict[str, Member] = {}

    def sums_alone(self) -> dict[str, str]:
        while not self._listed and (entry := self._tar.next()) is not None:
            self._member(entry)
        return self._listed

    def run(self) -> Read:
        while (entry := self._tar.next()) is not None:
            self._member(entry)
            self._progress(len(self._members), max(len(self._listed) + 1, len(self._members)))
        missing = sorted((self._listed.keys() | {README, SUMS}) - self._members.keys())
        if missing:
            raise refused(f"{missing[0]} is missing ({len(missing)} of its files are)", str(self._file))
        return Read(self._file, self._top, self._members, self._sums)

    def _member(self, entry: Entry) -> None:
        path = self._within(entry.path)
        name = self._admit(path, entry.size)
        with self._each(path, entry.size) as take:
            passed = _Passed(take, keep=name.kind == "sums")
            self._tar.content(entry, passed)
        digest = passed.hash.hexdigest()
        self._members[path] = Member(name, entry.offset, entry.size, digest)
        if name.kind == "sums":
            self._sums = bytes(passed.kept)
            self._listed = sums.decode(self._sums, self._at(path))
            if README in self._members:
                self._compare(README, self._members[README].digest)
        elif name.kind != "readme":
            self._compare(path, digest)

    def _within(self, path: str) -> str:
        """The path below the pack's own folder."""
        if path.startswith("/"):
            raise refused("a member has an absolute path", self._at(path))
        if ".." in path.split("/"):
            raise refused("a member's path leads out of the folder (..)", self._at(path))
        top, _, rest = path.partition("/")
        if not self._top:
            self._top = top
        if top != self._top or top in ("", "."):
            raise refused("its members do not all stand in one folder", self._at(path))
        return rest

    def _admit(self, path: str, size: int) -> Name:
        """What a member is. Raises StoreError before a byte of it is read, where it has no place in a pack."""
        name = parse(path)
        if name is None:
            raise refused("a member has a name that no pack holds", self._at(path))
        if path <= self._last:
            same = path.lower() == self._last.lower()
            raise refused("a member comes twice" if same else "its members are not in order", self._at(path))
        self._last = path
        if len(self._members) >= MAX_MEMBERS:
            raise refused(f"it has more than {MAX_MEMBERS} members", str(self._file))
        if not 0 < size <= name.largest:
            raise refused(f"a member has {size} bytes; 1 to {name.largest} can be", self._at(path))
        if name.kind not in ("readme", "sums") and path not in self._listed:
            raise refused(f"a member is not listed in {SUMS}", self._at(path))
        return name

    def _compare(self, path: str, digest: str) -> None:
        name = self._members[path].name
        if self._listed.get(path) != digest:
            raise refused(f"a member has the SHA-256 {digest}, and {SUMS} says another", self._at(path))
        if name.kind in ("cassette", "run") and name.about != digest:
            raise refused(f"an object has the SHA-256 {digest}, and its name says another", self._at(path))

    def _at(self, path: str) -> str:
        return f"{self._file}, {ascii(path)[1:-1][:300]}"


def bytes_of(file: Path, member: Member) -> bytes:
    """A member's bytes, read where they were seen; whoever needs them sound hashes them again."""
    with open_pack(file) as opened:
        opened.seek(member.offset)
        return opened.read(member.size)
