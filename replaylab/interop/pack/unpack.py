"""Unpacking: into a folder beside the target that takes its name at the end, so nothing half-written is ever there."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.errors import StoreError, UsageError
from replaylab.interop.pack.packed import packed_library
from replaylab.interop.pack.read import Progress, Read, nothing, read_pack
from replaylab.store import disk

_count = itertools.count()


@dataclass(frozen=True)
class Unpacked:
    """What was unpacked, or was there already (`fresh` is False)."""

    folder: Path
    run_id: Digest
    read: Read
    fresh: bool


def unpack(file: Path, into: Path, progress: Progress = lambda done, all_: None) -> Unpacked:
    """Verify a pack while it is written below a temporary name, then give it the name `into`.

    `into` may be missing, empty, or hold this very pack, which is then left as it is. Anything else there is a
    UsageError; a pack that is not sound is a StoreError, and nothing of it is kept.
    """
    into = into.parent.resolve() / into.name
    if _is_taken(into):
        read = read_pack(file, nothing, progress)
        _, run_id = packed_library(read)
        _compare(read, into)
        return Unpacked(into, run_id, read, fresh=False)
    with _beside(into) as folder:
        read = read_pack(file, lambda path, size: _member(folder / path), progress)
        _, run_id = packed_library(read)
        if hasattr(os, "sync"):
            os.sync()  # one call for all: thousands of small files, each synced alone, take minutes
        with disk.doing("write", into):
            folder.rename(into)
            disk.sync_folder(into.parent)
    return Unpacked(into, run_id, read, fresh=True)


def _is_taken(into: Path) -> bool:
    if into.is_symlink():
        raise UsageError("the target is a symbolic link", where=str(into), fix="name the folder itself")
    if not into.exists():
        return False
    if not into.is_dir():
        raise UsageError("the target is no folder", where=str(into), fix="name another one with --into")
    return bool(disk.list_names(into))


def _compare(read: Read, into: Path) -> None:
    """Raise UsageError unless every file of the pack stands in `into` with the same bytes."""
    for path, member in read.members.items():
        there = into / path
        try:
            disk.refuse_links(into, there)
            same = disk.digest_of_file(there) == member.digest
        except (OSError, StoreError):  # not there, a link, no file
            same = False
        if not same:
            raise UsageError(
                f"the target holds something else already: {path} is missing there, or different",
                where=str(into),
                fix="unpack into a new folder; `replaylab --library TARGET merge FOLDER` unites the two",
            )


@contextlib.contextmanager
def _member(path: Path) -> Iterator[Callable[[bytes], object]]:
    """A new file in the folder that only this process knows; its name was checked."""
    with disk.doing("write", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = disk.open_file(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        try:
            yield lambda piece: disk.write_all(fd, piece)
        finally:
            os.close(fd)


@contextlib.contextmanager
def _beside(into: Path) -> Iterator[Path]:
    """A folder beside `into`, gone after the body unless it was renamed. What a killed one left is removed first."""
    with disk.doing("write", into):
        disk.make_folder(into.parent)
        _remove_leftovers(into)
        folder = into.with_name(f".{into.name}.{os.getpid()}-{next(_count)}.unpacking")
        folder.mkdir()
        fd = os.open(folder, os.O_RDONLY)
    try:
        with disk.doing("write", into):
            disk.lock_file(fd, wait=True)
        yield folder
    finally:
        os.close(fd)
        shutil.rmtree(folder, ignore_errors=True)


def _remove_leftovers(into: Path) -> None:
    ours = re.compile(rf"\.{re.escape(into.name)}\.[0-9]+-[0-9]+\.unpacking", re.ASCII)
    for name in disk.list_names(into.parent):
        left = into.parent / name
        if not ours.fullmatch(name) or left.is_symlink():
            continue
        fd = os.open(left, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_DIRECTORY", 0))
        try:
            if disk.lock_file(fd, wait=False) is True:
                shutil.rmtree(left, ignore_errors=True)
        finally:
            os.close(fd)
