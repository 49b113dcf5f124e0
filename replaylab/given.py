"""Files that a user names: a configuration, rules, recordings of another program.

Whatever stands under the name is opened without waiting for it. A pipe may have no writer and a device no end, so only a
regular file is read, and of it no more than its reader can use. What is refused is an OSError, so that a reader says of it
what it says of any file that can't be read.
"""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

MAX_SETTINGS = 2**22  # bytes of a file that people write by hand: a configuration, rules, denominators


class NotRead(OSError):
    """A file that is not read, though it could be opened. `str` and `strerror` say why."""

    def __init__(self, why: str) -> None:
        super().__init__(errno.EINVAL, why)

    def __str__(self) -> str:
        return str(self.strerror)


def open_given(path: Path) -> BinaryIO:
    """The file, open for reading. Raises OSError for what is no regular file."""
    flags = (getattr(os, name, 0) for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"))
    fd = os.open(path, sum(flags, os.O_RDONLY))
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise NotRead("it is not a regular file")
    return os.fdopen(fd, "rb")


def read_given(path: Path, limit: int = MAX_SETTINGS) -> bytes:
    """All of the file. Raises OSError for what is no regular file, or has more than `limit` bytes."""
    with open_given(path) as file:
        # Not `read(limit)` at once: it would set so many bytes aside for each of many small files.
        size = os.fstat(file.fileno()).st_size
        data = file.read() if size <= limit else b""
    if max(size, len(data)) > limit:
        raise NotRead(f"it is larger than {limit:,} bytes")
    return data
