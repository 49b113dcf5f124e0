"""Plain tar (ustar), the small part of it that packs are made of: regular files with fixed owner, mode and time.

Reading is strict: a header is parsed for its name and size, made again from these two, and compared to the byte. So
links, devices, folders, sparse files, the name extensions of PAX and GNU, and two spellings of one name have no way in.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import BinaryIO, NamedTuple

from replaylab.interop.pack.names import refused

BLOCK = 512
END = b"\0" * (2 * BLOCK)
# 1980-01-01: tar warns of times that look unset.
_TIME = 315532800
_PIECE = 1 << 20
_CHECKSUM = slice(148, 156)
_OCTAL = re.compile(rb"[0-7]{11}\0")
_KINDS = {
    b"1": "a hard link",
    b"2": "a symbolic link",
    b"3": "a device",
    b"4": "a device",
    b"5": "a folder of its own",
    b"6": "a named pipe",
    b"7": "a reserved kind of file",
    b"x": "a PAX header, which can rename what follows it",
    b"g": "a PAX header, which can rename what follows it",
    b"L": "a GNU header, which can rename what follows it",
    b"K": "a GNU header, which can rename what follows it",
    b"S": "a sparse file",
    b"D": "a GNU folder list",
    b"M": "a part of a file from another volume",
    b"V": "a volume label",
}


class Entry(NamedTuple):
    """A member as its header says: where in the archive, and how many bytes from where."""

    path: str
    size: int
    offset: int


def header(path: str, size: int) -> bytes:
    """The 512 bytes in front of a member."""
    folder, _, name = path.rpartition("/")
    if len(name.encode()) > 100 or len(folder.encode()) > 155 or size >= 1 << 33:
        raise ValueError(f"{path} does not fit into a ustar header")
    fields = (
        name.encode().ljust(100, b"\0"),
        b"0000644\0",
        b"0000000\0",
        b"0000000\0",
        b"%011o\0" % size,
        b"%011o\0" % _TIME,
        b" " * 8,
        b"0".ljust(101, b"\0"),
        b"ustar\x0000",
        b"\0" * 64,
        b"0000000\0",
        b"0000000\0",
        folder.encode().ljust(167, b"\0"),
    )
    block = b"".join(fields)
    return block[:148] + b"%06o\0 " % sum(block) + block[156:]


def padding(size: int) -> bytes:
    """The zeros that fill a member's last block."""
    return b"\0" * (-size % BLOCK)


class TarReader:
    """Walks over a pack from front to back. `total` is the size of the file; nothing beyond it is believed."""

    def __init__(self, file: BinaryIO, total: int, where: str) -> None:
        self._file, self._total, self._where = file, total, where
        self._at = 0

    def next(self) -> Entry | None:
        """The next member, whose content has to be read before the one after it; None at the end."""
        block = self._exactly(BLOCK, "a header")
        if block == b"\0" * BLOCK:
            self._end()
            return None
        entry = self._parse(block)
        if entry.size > self._total - self._at:
            left = self._total - self._at
            raise self._refused(
                f"{entry.path} declares {entry.size} bytes, and the file has {left} more", entry.path
            )
        return entry

    def content(self, entry: Entry, take: Callable[[bytes], object]) -> None:
        """Hand on the bytes of the member that `next` gave, piece by piece."""
        left = entry.size
        while left:
            piece = self._exactly(min(left, _PIECE), entry.path)
            take(piece)
            left -= len(piece)
        filling = padding(entry.size)
        if self._exactly(len(filling), entry.path) != filling:
            raise self._refused("something is hidden behind the end of a member", entry.path)

    def _end(self) -> None:
        if self._exactly(BLOCK, "the end") != b"\0" * BLOCK or self._at != self._total:
            raise self._refused("something follows its end")

    def _exactly(self, size: int, what: str) -> bytes:
        data = self._file.read(size)
        self._at += len(data)
        if len(data) != size:
            raise self._refused(f"it is cut short in {what}")
        return data

    def _parse(self, block: bytes) -> Entry:
        name, folder = _text(block[:100]), _text(block[345:500])
        path = f"{folder}/{name}" if folder else name
        if block[257:263] != b"ustar\0":
            raise self._refused("it is no ustar archive, or damaged", path, _AGAIN)
        if int_of(block[_CHECKSUM]) != sum(block) - sum(block[_CHECKSUM]) + 8 * 32:
            raise self._refused("a header does not match its checksum", path)
        if block[156:157] != b"0":
            kind = _KINDS.get(block[156:157], f"of the unknown kind {block[156:157]!r}")
            raise self._refused(f"a member is {kind}; packs hold regular files alone", path)
        if not _OCTAL.fullmatch(block[124:136]):
            raise self._refused("a member's size is not written as packs write it", path)
        size = int(block[124:135], 8)
        try:
            right = header(path, size)
        except ValueError:
            right = b""
        if right != block:
            raise self._refused(
                "a header is not written as packs write it (name, owner, mode, time)", path, _AGAIN
            )
        return Entry(path, size, self._at)

    def _refused(self, what: str, member: str = "", fix: str = "") -> Exception:
        return refused(what, f"{self._where}, {ascii(member)[1:-1][:300]}" if member else self._where, fix)


_AGAIN = (
    "name the file that `replaylab pack` made. Of an archive that was unpacked and packed again: unpack it, "
    "`sha256sum -c SHA256SUMS` in its folder, and `replaylab --library FOLDER verify`"
)


def int_of(field: bytes) -> int:
    """A number of a header, -1 where it is none."""
    digits = field.rstrip(b"\0 ")
    return int(digits, 8) if re.fullmatch(rb"[0-7]+", digits) else -1


def _text(field: bytes) -> str:
    return field.split(b"\0", 1)[0].decode("utf-8", errors="backslashreplace")
