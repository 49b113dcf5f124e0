"""One writer a run: a lock of the operating system on `journal/<run>.lock`.

The system drops it when the process dies, so there is nothing to clean up after a crash. A forked child shares the
lock with its parent; start children that outlive the recording with exec (subprocess does).
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from replaylab.errors import StoreError, UsageError
from replaylab.store import disk


@contextlib.contextmanager
def hold(path: Path, run_name: str) -> Iterator[int]:
    """Hold the lock for the body; yields the modification time of the lock file in nanoseconds.

    Raises UsageError naming the process that holds it, StoreError where files can't be locked or written.
    """
    with disk.doing("lock", path):
        disk.make_folder(path.parent)
        fd = disk.open_file(path, os.O_RDWR | os.O_CREAT)
    try:
        with disk.doing("lock", path):
            _take(fd, path, run_name)
        yield os.fstat(fd).st_mtime_ns
    finally:
        # The number goes first: whoever comes next must not read it as the holder's. Closing releases the lock.
        with contextlib.suppress(OSError):
            if disk.lock_file(fd, wait=False):
                os.ftruncate(fd, 0)
        os.close(fd)


def _take(fd: int, path: Path, run_name: str) -> None:
    taken = disk.lock_file(fd, wait=False)
    if taken is None:
        raise StoreError(
            "this system has no file locks that survive a crash, so nothing is recorded here",
            where=str(path),
            fix="record on Linux or macOS (or WSL), on a local file system; reading works everywhere",
        )
    if not taken:
        holder = os.read(fd, 32).decode("ascii", errors="replace").strip()
        raise UsageError(
            f"another process is writing the run {run_name} (process {holder or 'unknown'})",
            where=str(path),
            fix="wait until it ends and run the command again, which finds what is there already; or take another --run name",
        )
    os.ftruncate(fd, 0)
    os.write(fd, f"{os.getpid()}\n".encode("ascii"))
