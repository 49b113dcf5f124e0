r"""Append-only framed files: what the journal is made of.

A file is the line `replaylab.journal/1` and then frames. A frame is the magic bytes 89 52 4C 46 ("\x89RLF"), the
length of the payload (4 bytes, big-endian), a checksum (8 bytes) and the payload. The checksum is BLAKE2b with an
8-byte digest over the frame's offset in the file (8 bytes, big-endian), the length as above, and the payload. The
offset makes a frame valid in its own place only: moved, repeated or embedded in another payload, it is none.

What a crash leaves is a torn tail: it is dropped. A bad frame with a good one after it is damage, which no crash
leaves: it is an error.
"""

from __future__ import annotations

import os
import re
import struct
import threading
from hashlib import blake2b
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from replaylab.errors import StoreError
from replaylab.store import disk

PREAMBLE = b"replaylab.journal/1\n"
MAGIC = b"\x89RLF"
MAX_PAYLOAD = 1 << 28

_HEAD = struct.Struct(">4sI8s")
_SUMMED = struct.Struct(">QI")
_MAX_FILE = 1 << 32
_VERSION = re.compile(rb"replaylab\.journal/(\d{1,9})\n")
# macOS has none; there fsync does.
_sync_data = getattr(os, "fdatasync", os.fsync)


class Frames(NamedTuple):
    """The payloads in order, and whether a torn tail was dropped. `end` is the length of the sound part in bytes."""

    payloads: tuple[bytes, ...]
    torn: bool
    end: int


def read_frames(path: Path) -> tuple[tuple[bytes, ...], bool]:
    """(payloads in order, whether a torn tail was dropped).

    Raises StoreError naming the file and the offset for damage before the tail, and for a file that is no journal or
    is too new.
    """
    payloads, torn, _ = _scan(_read(path), path)
    return payloads, torn


class Rescued(NamedTuple):
    """The payloads of all whole frames in order, and the ranges of bytes, start and end, that are none. `torn`: all that is
    lost is a tail that was cut short, as a crash leaves it.
    """

    payloads: tuple[bytes, ...]
    lost: tuple[tuple[int, int], ...] = ()
    torn: bool = False


def rescue_frames(path: Path) -> Rescued:
    """All whole frames, whatever stands between them. Raises StoreError for a file that is no journal or is too new."""
    data = _read(path)
    payloads, torn, offset = _scan(data, path, mend=True)
    if not torn:
        return Rescued(payloads)
    found, lost = list(payloads), []
    while offset < len(data):
        later = _next_frame(data, offset)
        lost.append((offset, later))
        offset = later
        while (payload := _payload_at(data, offset)) is not None:
            found.append(payload)
            offset += _HEAD.size + len(payload)
    return Rescued(tuple(found), tuple(lost), torn=len(lost) == 1 and _cut_short(data, lost[0]))


def _cut_short(data: bytes, tail: tuple[int, int]) -> bool:
    """Whether a range is the beginning of a frame, or of the file, that goes on behind the end."""
    start, end = tail
    if end < len(data) or end - start < _HEAD.size or start < len(PREAMBLE):
        return end == len(data)
    magic, length, _ = _HEAD.unpack_from(data, start)
    return bool(magic == MAGIC and _HEAD.size + length > end - start)


class FrameWriter:
    """Appends frames to a file, which is made when it is missing; a torn tail is cut off on opening.

    Safe to share between threads. One process at a time: hold the run's lock.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._mutex = threading.Lock()
        self._broken = False
        with disk.doing("open", path):
            disk.make_folder(path.parent)
            self._fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
        try:
            with disk.doing("open", path):
                disk.sync_folder(path.parent)
                payloads, self.torn, self._end = _scan(_read(path), path)
                self.count = len(payloads)
                if self.torn:
                    os.ftruncate(self._fd, self._end)
                    os.fsync(self._fd)
        except BaseException:
            os.close(self._fd)
            raise

    def append(self, payload: bytes, sync: bool = True) -> None:
        """Write one frame; with `sync` it is on the disk when this returns.

        Raises StoreError (disk full, …) after cutting the file back to its last good frame.
        """
        if not payload or len(payload) > MAX_PAYLOAD:
            raise StoreError(
                f"a frame of {len(payload)} bytes can't be written",
                where=str(self.path),
                fix=f"1 to {MAX_PAYLOAD} bytes",
            )
        with self._mutex:
            if self._broken:
                raise StoreError(
                    f"{self.path.name} can't be written any more: an earlier write failed",
                    where=str(self.path),
                    fix="run the command again: it goes on after the last good frame",
                )
            lead = b"" if self._end else PREAMBLE
            data = lead + _frame(self._end + len(lead), payload)
            try:
                os.lseek(self._fd, self._end, os.SEEK_SET)
                disk.write_all(self._fd, data)
                if sync:
                    self._sync()
            except BaseException as error:
                self._cut_back()
                if isinstance(error, OSError):
                    raise disk.store_error(error, "append to", self.path) from error
                raise
            self._end += len(data)
            self.count += 1

    def sync(self) -> None:
        """Bring frames that were appended without `sync` to the disk."""
        with self._mutex, disk.doing("sync", self.path):
            self._sync()

    def close(self) -> None:
        """Close the file. Appending afterwards is a StoreError."""
        with self._mutex:
            if self._fd >= 0:
                os.close(self._fd)
            self._fd, self._broken = -1, True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _sync(self) -> None:
        try:
            _sync_data(self._fd)
        except OSError:
            # The system may have dropped the pages and forget the failure: what is on the disk is unknown now.
            self._broken = True
            raise

    def _cut_back(self) -> None:
        try:
            os.ftruncate(self._fd, self._end)
        except OSError:
            self._broken = True


def _frame(offset: int, payload: bytes) -> bytes:
    return _HEAD.pack(MAGIC, len(payload), _checksum(offset, payload)) + payload


def _checksum(offset: int, payload: bytes | memoryview) -> bytes:
    hasher = blake2b(_SUMMED.pack(offset, len(payload)), digest_size=8)
    hasher.update(payload)
    return hasher.digest()


def _read(path: Path) -> bytes:
    try:
        return disk.read_file(path, limit=_MAX_FILE)
    except FileNotFoundError as error:
        raise disk.store_error(error, "read", path) from error


def _scan(data: bytes, path: Path, *, mend: bool = False) -> Frames:
    """The frames up to the first that is none. With `mend`, others may follow it."""
    if not data.startswith(PREAMBLE):
        if PREAMBLE.startswith(data):
            return Frames((), torn=bool(data), end=0)
        raise _no_journal(data, path)
    payloads = []
    offset = len(PREAMBLE)
    while offset < len(data):
        payload = _payload_at(data, offset)
        if payload is None:
            if not mend:
                _refuse_damage(data, offset, path)
            break
        payloads.append(payload)
        offset += _HEAD.size + len(payload)
    return Frames(tuple(payloads), torn=offset < len(data), end=offset)


def _payload_at(data: bytes, offset: int) -> bytes | None:
    """The payload of the valid frame at `offset`, or None."""
    if offset + _HEAD.size > len(data):
        return None
    magic, length, checksum = _HEAD.unpack_from(data, offset)
    start = offset + _HEAD.size
    if magic != MAGIC or not 0 < length <= len(data) - start:
        return None
    payload = memoryview(data)[start : start + length]
    return bytes(payload) if _checksum(offset, payload) == checksum else None


def _refuse_damage(data: bytes, offset: int, path: Path) -> None:
    later = _next_frame(data, offset)
    if later < len(data):
        raise StoreError(
            f"{path.name} is damaged at byte {offset}: good frames follow at byte {later}",
            where=f"{path}, byte {offset}",
            fix="restore the file from a copy; or move it away, and its trial is recorded anew",
        )


def _next_frame(data: bytes, offset: int) -> int:
    """Where the next whole frame behind `offset` begins; the end where there is none."""
    later = data.find(MAGIC, offset + 1)
    while later >= 0 and _payload_at(data, later) is None:
        later = data.find(MAGIC, later + 1)
    return later if later >= 0 else len(data)


def _no_journal(data: bytes, path: Path) -> StoreError:
    version = _VERSION.match(data)
    if version and int(version[1]) > 1:
        return StoreError(
            f"{path.name} is a journal of format {version[1].decode()}, newer than 1, which this replaylab reads",
            where=str(path),
            fix="use the replaylab that wrote it, or a newer one",
        )
    return StoreError(
        f"{path.name} is damaged at byte 0: not a journal",
        where=f"{path}, byte 0",
        fix="restore the file from a copy; or move it away, and its trial is recorded anew",
    )
