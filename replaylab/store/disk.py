"""How bytes reach the disk: whole or not at all, and never through a symbolic link.

A file is written under a temporary name in its own folder, synced, renamed, and the folder is synced. The writer holds
a file lock on the temporary file, so that whoever cleans up can tell one that was left behind from one in use.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from replaylab.errors import StoreError

try:
    import fcntl
except (
    ImportError
):  # Windows: files are written alike, but nothing tells a live temporary file from a dead one.
    fcntl = None  # type: ignore[assignment]

MAX_FILE = 1 << 30
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
# A FIFO that someone put in a file's place would block the open; a regular file does not care.
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_TEMPORARY = ".tmp"
_MADE = re.compile(r"\.(?P<name>.+)\.\d+-\d+\.tmp", re.ASCII | re.DOTALL)
NEVER = 1 << 63  # nanoseconds; later than any file
_count = itertools.count()

_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and run the command again; nothing recorded is lost"),
    errno.EDQUOT: (
        "the disk quota is used up",
        "free some space and run the command again; nothing recorded is lost",
    ),
    errno.EIO: (
        "the disk reported an input/output error",
        "check the disk, then restore this file from a copy",
    ),
    errno.EROFS: ("the file system is read-only", "copy the library to a place that you can write to"),
    errno.EACCES: (
        "permission denied",
        "change the permissions, or copy the library to a place that is yours",
    ),
    errno.EPERM: (
        "permission denied",
        "change the permissions, or copy the library to a place that is yours",
    ),
    errno.ELOOP: ("it is a symbolic link", "put the file itself there; a library is not read through links"),
    errno.ENAMETOOLONG: ("the path is too long", "put the library in a folder with a shorter path"),
    errno.ENOENT: ("it is not there", "check the file and its folder"),
    errno.ENOTDIR: (
        "something on its path is a file and not a folder",
        "move that file away, or name another folder",
    ),
    errno.EEXIST: ("something else has that name", "move it away, or name another folder"),
    errno.EISDIR: ("it is a folder", "move it away, or name another file"),
}


def store_error(error: OSError, doing: str, path: Path) -> StoreError:
    """The StoreError for what the operating system said while `doing` something to `path`."""
    reason, fix = _REASONS.get(error.errno or 0, ("", "check the file and its folder"))
    reason = reason or (error.strerror or type(error).__name__).lower()  # a word for people, not ENOMEM
    return StoreError(f"could not {doing} {path.name}: {reason}", where=str(path), fix=fix)


@contextlib.contextmanager
def doing(what: str, path: Path) -> Iterator[None]:
    """Turn an OSError of the body into the StoreError that names `path`."""
    try:
        yield
    except OSError as error:
        raise store_error(error, what, path) from error


def open_file(path: Path, flags: int, mode: int = 0o666) -> int:
    """os.open that follows no link at the end of the path and accepts a regular file only."""
    fd = os.open(path, flags | _NOFOLLOW | _NONBLOCK, mode)
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise StoreError(
            f"{path.name} is not a regular file", where=str(path), fix="move it out of the library"
        )
    return fd


def read_file(path: Path, limit: int = MAX_FILE) -> bytes:
    """All bytes of a regular file of at most `limit` bytes. FileNotFoundError is left to the caller."""
    try:
        fd = open_file(path, os.O_RDONLY)
        with os.fdopen(fd, "rb", buffering=0) as file:
            # Not `read(limit)`: it would set so many bytes aside for each of many small files.
            size = os.fstat(fd).st_size
            data = file.readall() if size <= limit else b""
    except FileNotFoundError:
        raise
    except OSError as error:
        raise store_error(error, "read", path) from error
    if max(size, len(data)) > limit:
        raise StoreError(
            f"{path.name} is larger than {limit} bytes", where=str(path), fix="restore it from a copy"
        )
    return data


def digest_of_file(path: Path) -> str:
    """The SHA-256 of a regular file, read in pieces. FileNotFoundError is left to the caller."""
    with os.fdopen(open_file(path, os.O_RDONLY), "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_file(path: Path, data: bytes, *, durable: bool = True) -> None:
    """Give `path` these bytes in one step: a reader sees the old file or the new one, never a part.

    What is not `durable` may be gone, or empty, after a power cut: for what can be made again, and is listed with its
    digest. Raises StoreError where something else than a file has that name: a rename would replace a device or a link.
    """
    with replacing(path, durable=durable) as fd:
        write_all(fd, data)


@contextlib.contextmanager
def replacing(path: Path, *, durable: bool = True) -> Iterator[int]:
    """A new file, to be written through its descriptor, that takes the place of `path` when the body ends well."""
    with doing("write", path):
        refuse_other_kinds(path)
        make_folder(path.parent)
        fd, temporary = _open_temporary(path)
        try:
            yield fd
            if durable:
                os.fsync(fd)
            # Renamed while the lock is held: a cleaner can't take the name away in between.
            temporary.replace(path)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                temporary.unlink()
            raise
        finally:
            os.close(fd)
        if durable:
            sync_folder(path.parent)


def refuse_other_kinds(path: Path) -> None:
    """Raise StoreError when there is a link, a folder, a device or the like at `path`."""
    try:
        mode = path.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):  # the latter is met, and named, when the folder is made
        return
    if not stat.S_ISREG(mode):
        what = "a symbolic link" if stat.S_ISLNK(mode) else "not a regular file"
        raise StoreError(
            f"could not write {path.name}: it is {what}",
            where=str(path),
            fix="move it away, or name another file",
        )


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Be the one writer of a folder for the body; another one waits. Nothing is left in it, also after a crash."""
    with doing("write", folder):
        make_folder(folder)
        # A system without it can't open a folder, and has no such lock either.
        fd = os.open(folder, os.O_RDONLY) if hasattr(os, "O_DIRECTORY") else None
        if fd is not None:
            # Some network file systems lock only what is open for writing, which a folder never is.
            with contextlib.suppress(OSError):
                lock_file(fd, wait=True)
    try:
        yield
    finally:
        if fd is not None:
            os.close(fd)


def write_all(fd: int, data: bytes) -> None:
    """One write call unless the system takes only a part."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view) :]


def make_folder(folder: Path) -> None:
    """Make a folder and those above it, each synced into its parent."""
    if folder.is_dir():
        return
    refuse_dangling(folder)
    make_folder(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir()
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    if os.name == "nt":  # A folder can't be opened there.
        return
    fd = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def refuse_dangling(folder: Path) -> None:
    """Raise StoreError for a link that leads nowhere: it would read as an empty folder, and nothing can be written."""
    if folder.is_symlink() and not folder.exists():
        raise StoreError(
            f"{folder.name} is a link to {folder.readlink()}, which is not there",
            where=str(folder),
            fix="bring back what it leads to, or point the link elsewhere",
        )


def refuse_links(root: Path, path: Path) -> None:
    """Raise StoreError when a folder between `root` and `path` is a symbolic link. `root` itself may be one."""
    folder = ""
    for part in path.relative_to(root).parts[:-1]:
        folder = f"{folder}/{part}" if folder else part
        if os.path.islink(f"{root}/{folder}"):  # noqa: PTH114 - asked for each of many objects
            raise StoreError(
                f"{folder} is a symbolic link", where=str(root / folder), fix="put the folder itself there"
            )


def is_temporary(name: str) -> bool:
    """Whether a file name is one that `write_file` gives to a file in the making."""
    return name.startswith(".") and name.endswith(_TEMPORARY)


def _open_temporary(path: Path) -> tuple[int, Path]:
    """A new, locked file beside `path`. O_EXCL makes the name ours, whoever else writes there."""
    while True:
        temporary = path.with_name(f".{path.name}.{os.getpid()}-{next(_count)}{_TEMPORARY}")
        try:
            fd = open_file(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL)
        except FileExistsError:
            continue
        try:
            if lock_file(fd, wait=True) is not False and os.fstat(fd).st_nlink:
                return fd, temporary
        except BaseException:
            os.close(fd)
            raise
        os.close(fd)  # A cleaner came between the creation and the lock, and removed the file.


def lock_file(fd: int, *, wait: bool) -> bool | None:
    """Lock an open file until it is closed or the process dies. False: another holds it. None: no locks here."""
    if fcntl is None:
        return None
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL):
            return None
        raise
    return True


def remove_leftovers(
    folder: Path, older_than_ns: int = NEVER, ours: Callable[[str], bool] = lambda name: True
) -> int:
    """Delete the temporary files in `folder` that no living process holds; how many there were.

    Only files last written before `older_than_ns` (a modification time, nanoseconds) are looked at, and only those that
    were to become a file whose name is `ours`.
    """
    removed = 0
    for name in list_names(folder):
        made = _MADE.fullmatch(name)
        if is_temporary(name) and made and ours(made["name"]):
            with doing("remove", folder / name):
                removed += _remove_if_dead(folder / name, older_than_ns)
    return removed


def _remove_if_dead(path: Path, older_than_ns: int) -> bool:
    try:
        # Some network file systems lock only what is open for writing.
        fd = open_file(path, os.O_RDWR)
    except (FileNotFoundError, PermissionError):
        return False  # Gone already, or another user's: not ours to remove.
    try:
        if os.fstat(fd).st_mtime_ns >= older_than_ns or lock_file(fd, wait=False) is not True:
            return False
        path.unlink(missing_ok=True)
        return True
    finally:
        os.close(fd)


def list_names(folder: Path) -> list[str]:
    """The sorted names in a folder; none when there is no such folder."""
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208 - names alone, without a Path for each of many objects
    except FileNotFoundError:
        for part in (folder, folder.parent):
            refuse_dangling(part)
        return []
    except OSError as error:
        raise store_error(error, "list", folder) from error
