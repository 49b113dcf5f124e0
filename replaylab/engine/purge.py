"""Purging a cassette: its content goes, a tombstone with its name and the reason stays, and the ledger is whole.

The tombstone is written first: from then on nothing reads the cassette, whatever is killed. Then the copies go that this
library makes by itself (the journal of the recording, the index, files that killed writers left), and the cassette last:
as long as its file is there, `verify` says that the purge is unfinished, and the same command finishes it.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.engine.journal import DAMAGED, RunJournal
from replaylab.errors import StoreError, UsageError
from replaylab.schema.cassette import Header, key_of
from replaylab.schema.run import Run
from replaylab.schema.tombstone import CONTROL, TOMBSTONE_FORMAT, Tombstone
from replaylab.store.frames import rescue_frames
from replaylab.store.library import Library
from replaylab.store.objects import MIN_PREFIX


@dataclass(frozen=True)
class Purge:
    """What a purge would do, or did. `key` is "" where the cassette can't be read.

    `copies` are other cassettes with lanes copied from it: their content is not touched. `journals` are its files in the
    journal. `done` says that it was purged before and nothing of it is left.
    """

    cassette: Digest
    key: str
    size: int
    runs: tuple[str, ...]
    copies: tuple[Digest, ...]
    journals: tuple[Path, ...]
    before: Tombstone | None
    done: bool


def plan_purge(library: Library, prefix: str) -> Purge:
    """Look at what would go. Raises UsageError when no cassette, or several, begin with `prefix`."""
    name = _find(library, prefix)
    before = library.tombstones.get(name)
    header = _header(library, name)
    path = library.path(name, "cassette")
    there = library.still_has(name)
    return Purge(
        cassette=name,
        key=str(key_of(header)) if header else "",
        size=path.stat().st_size if there else before.size if before else 0,
        runs=tuple(sorted(_naming(library, name))),
        copies=tuple(sorted(_copies(library, name))),
        journals=tuple(_journals(library, header)) if header else (),
        before=before,
        done=before is not None and before.why == "purged" and not there,
    )


def purge(library: Library, planned: Purge, reason: str, when: str) -> Purge:
    """Do it, and return what was done. Being killed at any point leaves the cassette whole, or unreadable and named.

    Raises UsageError for a reason that says nothing, and where the run of a journal is being recorded.
    """
    if not reason.strip() or len(reason) > 2000 or CONTROL.search(reason):
        raise UsageError("a purge has a reason: one line of text", fix="--reason 'a key was in an answer'")
    name = planned.cassette
    with contextlib.ExitStack() as locked:
        for run in sorted({path.parent.name for path in planned.journals}):
            locked.enter_context(library.lock(run))
        if planned.before is None or planned.before.why != "purged":
            library.tombstones.put(
                Tombstone(
                    format=TOMBSTONE_FORMAT,
                    cassette=name,
                    why="purged",
                    size=planned.size,
                    reason=reason.strip(),
                    when=when,
                )
            )
        header = _header(library, name)
        journals = tuple(_journals(library, header)) if header else ()
        for path in journals:
            path.unlink(missing_ok=True)
        library.drop_index()
        library.drop(name)
    return planned


def _find(library: Library, prefix: str) -> Digest:
    """A cassette by the beginning of its name, here or purged."""
    wanted = prefix.lower()
    if not re.fullmatch(rf"[0-9a-f]{{{MIN_PREFIX},64}}", wanted):
        raise UsageError(
            f"not the beginning of a cassette's name: {ascii(prefix)[:80]}",
            fix=f"{MIN_PREFIX} to 64 hex digits",
        )
    stones = [name for name in library.tombstones.names() if name.startswith(wanted)]
    found = sorted({*stones, *(name for name in library.objects("cassette") if name.startswith(wanted))})
    if len(found) != 1:
        raise UsageError(
            f"{len(found) or 'no'} cassettes begin with {wanted}",
            where=str(library.root),
            closest=", ".join(found[:5]),
            fix="add digits" if found else "`replaylab show RUN` lists the cassettes of a run",
        )
    return found[0]


def _header(library: Library, name: Digest) -> Header | None:
    """The header; None where the file is not there or damaged."""
    if not library.still_has(name):
        return None
    try:
        data = library.content_of_purged(name)
        return Cassette(data, where=str(library.path(name, "cassette")), name=name).header
    except StoreError:
        return None


def _naming(library: Library, name: Digest) -> set[str]:
    """The names of the runs whose objects name the cassette."""
    found = set()
    for run_id in library.objects("run"):
        try:
            run: Run = library.read_run(run_id)
        except StoreError:
            continue
        if any(one.cassette == name for entry in run.ledger for one in entry.tries):
            found.add(run.name)
    return found


def _copies(library: Library, name: Digest) -> Iterator[Digest]:
    """The cassettes with a lane that was copied from this one."""
    for other in library.objects("cassette"):
        if other == name:
            continue
        try:
            lanes = open_cassette(library, other).header.lanes
        except StoreError:
            continue
        if any(lane.source == name for lane in lanes.values()):
            yield other


def _journals(library: Library, header: Header) -> Iterator[Path]:
    """The files of trials in progress that hold this very recording: a crash came before they were dropped. Of a capture
    also the misses of every run, which quote recordings.
    """
    key, attempt = str(key_of(header)), header.subject.attempt
    for folder in sorted((library.root / "journal").glob("*/")):
        misses = folder / "misses.json"  # what a program asked, and what comes nearest of what is recorded
        if header.subject.kind == "capture" and misses.is_file() and not misses.is_symlink():
            yield misses
        begun = RunJournal(folder).path_of(key, attempt)
        for path in (begun, begun.with_suffix(DAMAGED)):
            theirs = _header_in(path) if path.is_file() and not path.is_symlink() else None
            if theirs is not None and (theirs.created, theirs.inputs) == (header.created, header.inputs):
                yield path


def _header_in(journal: Path) -> Header | None:
    try:
        payloads = rescue_frames(journal).payloads
        return Header.model_validate_json(payloads[0]) if payloads else None
    except (StoreError, ValueError):
        return None
