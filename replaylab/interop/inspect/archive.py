"""Reads the members of a ZIP file that nobody vouches for: stored, deflated, or compressed with Zstandard.

Python 3.11's own module knows no Zstandard, which logs use since 2026. Nothing is written anywhere, so a member's name is
a key and no path. No member grows past the size that it declares, none overlaps another, and none is larger than
`MAX_MEMBER`: a small file can't become a huge one.
"""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import zstandard

from replaylab.given import open_given
from replaylab.interop.transcript.lines import Wrong

MAX_MEMBER = 2**29  # bytes of one member, unpacked
MAX_MEMBERS = 1_000_000
MAX_RATIO = 20_000  # unpacked to packed; real logs stay below 200
STORED, DEFLATED, ZSTANDARD = 0, 8, 93
_LOCAL = struct.Struct("<4s22xHH")
_PIECE = 2**20


class Archive:
    """An open ZIP file. Raises Wrong for what is damaged or made to be larger than it looks."""

    def __init__(self, path: Path) -> None:
        self._file = open_given(path)
        try:
            with zipfile.ZipFile(self._file) as listing:
                members = listing.infolist()
        except (zipfile.BadZipFile, ValueError, struct.error, OverflowError, NotImplementedError) as error:
            self._file.close()
            raise Wrong(("", f"it is no ZIP file, or its end is missing: {error}")) from error
        self._members: dict[str, zipfile.ZipInfo] = {}
        try:
            self._check(members, path.stat().st_size)
        except Wrong:
            self._file.close()
            raise

    def _check(self, members: list[zipfile.ZipInfo], size: int) -> None:
        if len(members) > MAX_MEMBERS:
            raise Wrong(("", f"it has {len(members):,} members, and at most {MAX_MEMBERS:,} are read"))
        end = 0
        for one in sorted(members, key=lambda member: member.header_offset):
            name = one.filename
            if name in self._members:
                raise Wrong((_shown(name), "a member of this name stands there twice"))
            if one.header_offset < end or one.header_offset + one.compress_size > size:
                raise Wrong((_shown(name), "it overlaps another member or the end of the file"))
            if one.file_size > MAX_MEMBER or one.file_size > MAX_RATIO * max(one.compress_size, 1):
                raise Wrong((_shown(name), f"it would unpack to {one.file_size:,} bytes: too many"))
            end = one.header_offset + one.compress_size
            self._members[name] = one

    def close(self) -> None:
        self._file.close()

    def names(self) -> list[str]:
        """The members in the order in which they lie in the file."""
        return list(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def read(self, name: str) -> bytes:
        """The bytes of a member, checked against its checksum. Raises Wrong."""
        one = self._members[name]
        try:
            packed = _packed(self._file, one)
            data = b"".join(_unpacked(packed, one))
        except (zlib.error, zstandard.ZstdError, struct.error) as error:
            raise Wrong((_shown(name), f"it is damaged: {error}")) from error
        if len(data) != one.file_size or zlib.crc32(data) != one.CRC:
            raise Wrong((_shown(name), "it is damaged: its length or checksum is another one"))
        return data


def _packed(file: IO[bytes], one: zipfile.ZipInfo) -> bytes:
    file.seek(one.header_offset)
    magic, name, extra = _LOCAL.unpack(file.read(_LOCAL.size))
    if magic != b"PK\x03\x04" or one.flag_bits & 0x1:
        raise Wrong((_shown(one.filename), "it is encrypted, or no member begins there"))
    file.seek(name + extra, 1)
    return file.read(one.compress_size)


def _unpacked(packed: bytes, one: zipfile.ZipInfo) -> Iterator[bytes]:
    """The pieces of a member, no more of them than it declares and one byte."""
    left = one.file_size + 1
    if one.compress_type == STORED:
        yield packed[:left]
        return
    if one.compress_type == DEFLATED:
        inflate = zlib.decompressobj(-15)
        while left > 0 and (piece := inflate.decompress(packed, min(left, _PIECE))):
            packed, left = inflate.unconsumed_tail, left - len(piece)
            yield piece
        return
    if one.compress_type != ZSTANDARD:
        raise Wrong((_shown(one.filename), f"nobody here knows its compression, method {one.compress_type}"))
    with zstandard.ZstdDecompressor(max_window_size=2**27).stream_reader(
        packed, read_across_frames=True
    ) as reader:
        while left > 0 and (piece := reader.read(min(left, _PIECE))):
            left -= len(piece)
            yield piece


def _shown(name: str) -> str:
    return name[:120] if name.isprintable() else ascii(name)[1:121]
