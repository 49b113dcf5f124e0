"""Library: a folder of cassettes and runs."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from replaylab.canonical import Digest, digest_bytes
from replaylab.errors import CassetteGone, StoreError, UsageError
from replaylab.near import nearest
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone
from replaylab.store import disk, lock, runs
from replaylab.store.objects import MIN_PREFIX, Objects, Suffix
from replaylab.store.refs import Refs, check_name
from replaylab.store.tombstones import Tombstones


class Library:
    """A library at `root`, which need not exist yet: the first write makes it. Opening reads and writes nothing.

    Every method that touches a file raises StoreError naming it when it is missing, damaged, or can't be written;
    names from outside that are unsafe or unknown are a UsageError.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self._objects, self._refs, self.tombstones = Objects(root), Refs(root), Tombstones(root)

    def exists(self) -> bool:
        """Whether anything was ever stored here. Raises StoreError where that can't be seen.

        What stands in the place of a folder counts: it is damage that whoever looks has to hear of.
        """
        with disk.doing("open", self.root):
            disk.refuse_dangling(self.root)
            return any(_is_there(folder) for folder in (self._objects.folder, self._refs.folder))

    def put(self, data: bytes, suffix: Suffix) -> Digest:
        """Write an object once, durably, and return its name; one that exists is verified instead.

        Raises CassetteGone for a cassette that was purged here: nothing brings it back in silence.
        """
        if suffix == "cassette":
            self._refuse_purged(digest_bytes(data))
        return self._objects.put(data, suffix)

    def restore(self, data: bytes, suffix: Suffix) -> Digest:
        """Write an object even where a damaged file has its name. Raises CassetteGone as `put` does."""
        if suffix == "cassette":
            self._refuse_purged(digest_bytes(data))
        return self._objects.restore(data, suffix)

    def get(self, digest: str, suffix: Suffix) -> bytes:
        """The bytes of an object, verified against its name. Raises CassetteGone where a tombstone stands for it."""
        stone = self.gone(digest) if suffix == "cassette" else None
        if stone is not None:
            raise _gone(stone, self.tombstones.path(digest))
        return self._objects.get(digest, suffix)

    def has(self, digest: str, suffix: Suffix) -> bool:
        """Whether a file of that name is there; it is not read. A purged cassette is not there."""
        if suffix == "cassette" and self.gone(digest) is not None:
            return False
        return self._objects.has(digest, suffix)

    def gone(self, cassette: str) -> Tombstone | None:
        """Why a cassette is not here: its tombstone; None where it is here, or where nothing says.

        A purge wins over a file that is still there (it was cut off, or a copy came back), a whole file over a redaction.
        """
        stone = self.tombstones.get(cassette)
        if stone is not None and stone.why == "redacted" and self.still_has(cassette):
            return None
        return stone

    def still_has(self, cassette: str) -> bool:
        """Whether the file of a cassette is there, purged or not."""
        return self._objects.has(cassette, "cassette")

    def content_of_purged(self, cassette: str) -> bytes:
        """The bytes of a cassette whether it is purged or not: for the purge itself, and for nothing else."""
        return self._objects.get(cassette, "cassette")

    def drop(self, cassette: str) -> None:
        """Remove the file of a cassette that has a tombstone, and what killed writers left of it."""
        if self.tombstones.get(cassette) is None:
            raise ValueError("a cassette without a tombstone is not removed")
        path = self.path(cassette, "cassette")
        disk.refuse_links(self.root, path)
        with disk.doing("remove", path):
            disk.remove_leftovers(path.parent, ours=lambda name: name == path.name)
            path.unlink(missing_ok=True)
            disk.sync_folder(path.parent)

    def drop_index(self) -> None:
        """Remove the index: a database keeps rows that were deleted until something else is written over them."""
        with disk.doing("remove", self.root / "index.db"):
            disk.remove_leftovers(self.root, ours=lambda name: name == "index.db")
            (self.root / "index.db").unlink(missing_ok=True)

    def all_gone(self) -> dict[str, Tombstone]:
        """The tombstones that stand for cassettes, by cassette, sorted."""
        found = ((name, self.gone(name)) for name in self.tombstones.names())
        return {name: stone for name, stone in found if stone is not None}

    def _refuse_purged(self, cassette: str) -> None:
        stone = self.tombstones.get(cassette)
        if stone is not None and stone.why == "purged":
            raise _gone(stone, self.tombstones.path(cassette))

    def path(self, digest: str, suffix: Suffix) -> Path:
        """Where an object is, or would be."""
        return self._objects.path(digest, suffix)

    def objects(self, suffix: Suffix) -> Iterator[Digest]:
        """The names of all objects of a kind, sorted; of cassettes, those that are not purged."""
        if suffix == "run":
            return self._objects.names(suffix)
        stones = set(self.tombstones.names())
        return (name for name in self._objects.names(suffix) if name not in stones or self.gone(name) is None)

    def strays(self) -> Iterator[Path]:
        """Files below `objects/` that aren't objects in their place."""
        return self._objects.strays()

    def find(self, prefix: str, suffix: Suffix) -> Digest:
        """The one object whose name begins with `prefix` (4 hex digits or more)."""
        return self._objects.find(prefix, suffix)

    def ref(self, name: str) -> Digest | None:
        """The run id that a reference holds; None when there is no such reference."""
        return self._refs.get(name)

    def set_ref(self, name: str, digest: str) -> None:
        """Point a reference at a run object that is already stored."""
        if not self.has(digest, "run"):
            raise StoreError(
                f"the reference {check_name(name)} would point at a run that is not stored",
                where=str(self.path(digest, "run")),
                fix="store the run object before its reference",
            )
        self._refs.set(name, digest)

    def ref_names(self) -> list[str]:
        """The names of all files among the references, sorted, whatever they hold."""
        return self._refs.names()

    def refs(self) -> dict[str, Digest]:
        """Every reference by name, sorted by name. Raises StoreError for a damaged one."""
        return self._refs.all(self._is_run)

    def stray_refs(self) -> list[Path]:
        """What lies among the references, sorted, and neither is one nor was one. It is left alone."""
        return self._refs.strays(self._is_run)

    def _is_run(self, name: str) -> bool:
        """Whether a run object says that it is called so. One that can't be read says nothing."""
        called = f'"name":"{name}"'.encode()
        for run_id in self.objects("run"):
            with contextlib.suppress(StoreError):
                if called in self.get(run_id, "run"):
                    return True
        return False

    def put_run(self, run: Run) -> Digest:
        """Store a run object and return the run id. The reference is set apart, after this."""
        check_name(run.name)
        return self.put(runs.encode(run), "run")

    def run(self, name: str | None = None) -> tuple[Digest, Run]:
        """A run by reference name, run id or its beginning; for None the newest recorded one, by creation time.

        What was authored or imported is taken for None only where nothing was recorded, a capture only where there is
        nothing else.

        Raises UsageError with the closest names when there is none.
        """
        if name is None:
            return self._newest()
        refs = self.refs()
        if name in refs:
            return refs[name], self._referred(name, refs[name])
        if re.fullmatch(rf"[0-9A-Fa-f]{{{MIN_PREFIX},64}}", name):
            found = self._find_run(name.lower())
            if found is not None:
                return found, self.read_run(found)
        raise UsageError(
            f"there is no run {ascii(name)[:80]}",
            where=str(self.root),
            closest=", ".join(nearest(name, refs)),
            fix="`replaylab runs` lists the runs of this library",
        )

    def trial_run(self, name: str | None = None) -> tuple[Digest, Run]:
        """A run that holds trials, as `run` finds it. Raises UsageError for a capture, which has none."""
        run_id, run = self.run(name)
        if not run.holds_trials:
            raise UsageError(
                f"the run {run.name!r} is a capture: it holds what a program asked, and no trials",
                where=str(self.root),
                fix=f"`replaylab show {run.name}` lists it; `replaylab capture --run {run.name} --offline -- COMMAND` "
                "replays it",
            )
        return run_id, run

    def trial_refs(self) -> list[str]:
        """The names of the runs that hold trials, sorted."""
        return [name for name, target in self.refs().items() if self._referred(name, target).holds_trials]

    @contextlib.contextmanager
    def lock(self, run_name: str) -> Iterator[None]:
        """Be the one writer of a run; what killed writers left under temporary names is removed first.

        Raises UsageError for a name that no reference could get, before anything is written under it.
        """
        path = self.root / "journal" / f"{check_name(run_name)}.lock"
        disk.refuse_links(self.root, path)
        self._refs.refuse_alike(run_name)
        with lock.hold(path, run_name) as since:
            self._objects.remove_leftovers(since)
            self._refs.remove_leftovers(since)
            disk.remove_leftovers(self.root, since)
            yield

    def journal(self, run_name: str) -> Path:
        """The folder for the journals of a run's trials in progress. It is made by the first write."""
        folder = self.root / "journal" / check_name(run_name)
        disk.refuse_links(self.root, folder / "any")
        return folder

    def read_run(self, run_id: str) -> Run:
        """The run object of that very id."""
        return runs.decode(self.get(run_id, "run"), self.path(run_id, "run"))

    def named(self, name: str) -> tuple[Digest, Run] | None:
        """What the reference of that very name points at; None when there is no such reference."""
        target = self.ref(name)
        return None if target is None else (target, self._referred(name, target))

    def _referred(self, name: str, target: Digest) -> Run:
        if not self.has(target, "run"):
            raise StoreError(
                f"the reference {name} points at the run {target}, which is not in the library",
                where=str(self._refs.path(name)),
                fix="restore the reference or that run object from a copy, or `replaylab merge` a library that has them",
            )
        return self.read_run(target)

    def _find_run(self, prefix: str) -> Digest | None:
        if any(name.startswith(prefix) for name in self.objects("run")):
            return self.find(prefix, "run")
        return None

    def _newest(self) -> tuple[Digest, Run]:
        found = []
        for name, target in self.refs().items():
            run = self._referred(name, target)
            when = runs.created(run, self.path(target, "run"))
            found.append((run.holds_trials, run.evidence == "recorded", when, name, target, run))
        if not found:
            raise UsageError(
                "no run is recorded in this library", where=str(self.root), fix="replaylab record"
            )
        *_, digest, run = max(found, key=lambda one: one[:5])
        return digest, run


def _is_there(path: Path) -> bool:
    try:
        path.lstat()
    except FileNotFoundError:
        return False
    return True


def _gone(stone: Tombstone, path: Path) -> CassetteGone:
    said = f" ({stone.reason})" if stone.reason else ""
    return CassetteGone(
        f"the cassette {stone.cassette} was {stone.why}{said}: its content is not here",
        why=stone.why,
        reason=stone.reason,
        where=str(path),
        fix="whoever recorded it may have the whole"
        if stone.why == "redacted"
        else "nothing brings it back here; where it is still needed, ask who purged it",
    )
