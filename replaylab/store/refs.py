"""References: small text files `runs/<name>` that hold the run id of the newest run object of that name."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.errors import StoreError, UsageError
from replaylab.store import disk

_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._+=@-]{0,98}[A-Za-z0-9_+=@-])?", re.ASCII)
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_RUN_ID = re.compile(r"[0-9a-f]{64}")
_MAX_BYTES = 4096
_CONTENT = re.compile(rb"([0-9a-f]{64})\n")


def check_name(name: str) -> str:
    """`name` itself when it is safe as a file name on every system. Raises UsageError otherwise."""
    shown = ascii(name if len(name) <= 80 else name[:80] + "…")
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"not a run name: {shown}",
            fix="use 1 to 100 ASCII letters, digits and ._+=@-, beginning with a letter or digit, not ending with a dot",
        )
    if _DEVICE.fullmatch(name) or name.lower().endswith((".lock", ".tmp")):
        raise UsageError(f"not a run name: {shown} is reserved", fix="choose another name")
    if _RUN_ID.fullmatch(name):
        raise UsageError(f"not a run name: {shown} looks like a run id", fix="choose another name")
    return name


def name_like(text: str) -> str:
    """A name for the run of a file or folder that is called so, in characters that a run's name can have."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", text.split(".", maxsplit=1)[0]).strip("-._")[:80]
    return plain or "imported"


class Refs:
    """The folder `runs/` of a library."""

    def __init__(self, root: Path) -> None:
        self._root, self.folder = root, root / "runs"

    def path(self, name: str) -> Path:
        """The file of a reference. Raises UsageError for a name that is not safe."""
        return self.folder / check_name(name)

    def get(self, name: str) -> Digest | None:
        """The run id, None when there is no such reference. Raises StoreError when the file is damaged."""
        path = self.path(name)
        disk.refuse_links(self._root, path)
        try:
            data = disk.read_file(path, limit=_MAX_BYTES)
        except FileNotFoundError:
            return None
        match = _CONTENT.fullmatch(data)
        if match is None:
            raise _damaged(path, "does not hold one run id and a newline" if data else "is empty")
        return Digest(match[1].decode("ascii"))

    def set(self, name: str, digest: str) -> None:
        """Point the reference at a run object, in one step."""
        path, target = self.path(name), Digest(digest)
        disk.refuse_links(self._root, path)
        self.refuse_alike(name)
        disk.write_file(path, f"{target}\n".encode("ascii"))

    def refuse_alike(self, name: str) -> None:
        """Raise UsageError when another reference differs from `name` only in case: some disks have one file for both."""
        path = self.path(name)
        names = disk.list_names(self.folder)
        for other in names if name not in names else ():
            if other.lower() == name.lower():
                raise UsageError(
                    f"the run names {name} and {other} differ only in case",
                    where=str(path),
                    fix="choose another name",
                )

    def names(self) -> list[str]:
        """The names of the files in the folder, sorted, whatever they hold."""
        return disk.list_names(self.folder)

    def all(self, is_run: Callable[[str], bool]) -> dict[str, Digest]:
        """Every reference by name, sorted; hidden files and `strays` are skipped. Raises StoreError for a damaged one."""
        found: dict[str, Digest] = {}
        for name in self.names():
            try:
                target = None if self._is_no_name(name) else self.get(name)
            except StoreError:
                if not self._is_stray(name, is_run):
                    raise
                continue
            found |= {name: target} if target is not None else {}
        return found

    def strays(self, is_run: Callable[[str], bool]) -> list[Path]:
        """What else lies in the folder, sorted: it neither is a reference nor looks like what is left of one, nor has a name
        that `is_run` knows as that of a run.
        """
        return [self.folder / name for name in self.names() if self._is_stray(name, is_run)]

    def _is_stray(self, name: str, is_run: Callable[[str], bool]) -> bool:
        if name.startswith("."):
            return False
        if self._is_no_name(name):
            return True
        try:
            self.get(name)
        except StoreError:
            return not self._was_one(name) and not is_run(name)
        return False

    def _is_no_name(self, name: str) -> bool:
        try:
            check_name(name)
        except UsageError:
            return True
        return False

    def _was_one(self, name: str) -> bool:
        """Whether what lies there looks like what is left of a reference: nothing, or hex digits for the most part.

        A link or a pipe is in the place of one; a folder is none, nor is what is much larger.
        """
        path = self.folder / name
        with disk.doing("read", path):
            kind = path.lstat()
            if stat.S_ISDIR(kind.st_mode) or (stat.S_ISREG(kind.st_mode) and kind.st_size > _MAX_BYTES):
                return False
        if not stat.S_ISREG(kind.st_mode):
            return True
        left = disk.read_file(path, _MAX_BYTES).translate(None, b" \t\r\n\0")
        return 4 * len(left.translate(None, b"0123456789abcdefABCDEF")) <= len(left)

    def remove_leftovers(self, older_than_ns: int) -> int:
        """Delete what killed writers left under temporary names; how many files that were."""
        return disk.remove_leftovers(self.folder, older_than_ns)


def _damaged(path: Path, how: str) -> StoreError:
    return StoreError(
        f"the reference {path.name} {how}",
        where=str(path),
        fix="restore the file from a copy, or write the run id and a newline into it",
    )
