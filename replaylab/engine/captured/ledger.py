"""The run object of a capture, and what a killed recording left in the journal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from replaylab.cassette.indexing import sync_index
from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.header import KIND, MAIN, capture_spec, lane_and_part
from replaylab.engine.captured.journal import read_header, rescue_part
from replaylab.engine.captured.live import put_part
from replaylab.engine.journal import DAMAGED, RunJournal
from replaylab.engine.ledger import make_run
from replaylab.engine.plan import keys
from replaylab.errors import UsageError
from replaylab.schema.callpath import TrialKey
from replaylab.schema.cassette import Evidence, Header, evidence_of, key_of
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.store.library import Library

Sealed = tuple[TrialKey, Try]


def captured_run(library: Library, name: str) -> tuple[str, Run] | None:
    """The capture of that very name; None where there is none. Raises UsageError where the name is another run's."""
    found = library.named(name)
    if found is not None and found[1].holds_trials:
        raise UsageError(
            f"the run {name!r} holds trials and no capture",
            where=str(library.root),
            fix="capture under another name: --run NAME",
        )
    return found


def write_run(
    library: Library,
    name: str,
    sealed: Sequence[Sealed],
    *,
    before: tuple[str, Run] | None,
    extends: Run | None,
    created: str,
    evidence: Evidence,
) -> tuple[str, Run]:
    """The run object of these parts, and of those of the run that they extend; its reference and the index follow."""
    tries = {entry.key: entry.tries for entry in (extends.ledger if extends else ())}
    tries |= {str(key): (one,) for key, one in sealed}
    tasks = sorted((TrialKey.parse(key).task for key in tries), key=_place)
    spec = capture_spec(tasks)
    ledger = tuple(LedgerEntry(key=key, status="recorded", tries=tries[key]) for key in map(str, keys(spec)))
    if extends is not None and extends.evidence != "recorded":
        evidence = extends.evidence  # a run is what the least of its parts is
    run = make_run(
        name,
        spec,
        ledger,
        created=created,
        follows=(before[0],) if before else (),
        evidence=evidence,
    )
    run_id = library.put_run(run)
    library.set_ref(name, run_id)
    return run_id, run


def _place(task: str) -> tuple[bool, str, int]:
    lane, part = lane_and_part(task)
    return lane != MAIN, lane, part


def recover(library: Library, name: str, journal: RunJournal, created: str) -> list[str]:
    """Seal what a killed recording left in the journal and make its run object. The lines that say so, and what is lost.

    Whoever calls it holds the run's lock. A damaged file gives what is whole in it, and is kept under another name.
    """
    before = captured_run(library, name)
    found: list[tuple[Header, Try]] = [
        (open_cassette(library, one.sealed.cassette).header, one.sealed) for one in journal.sealed()
    ]
    begun = {path: read_header(path) for path in journal.files()}
    if any(
        header.subject.kind != KIND for header in (*(one for one, _ in found), *filter(None, begun.values()))
    ):
        raise UsageError(
            f"the run {name!r} has trials in progress and is no capture",
            where=str(journal.folder),
            fix="capture under another name: --run NAME",
        )
    notes: list[str] = []
    for path, header in begun.items():
        if header is None:
            path.unlink(missing_ok=True)
            continue
        if key_of(header) not in {
            key_of(one) for one, _ in found
        }:  # else it was sealed, and only not dropped
            rescue = rescue_part(path, created)
            if rescue.cassette is not None:
                sealed = put_part(library, rescue.cassette)
                journal.note_sealed(str(key_of(header)), sealed, "")
                found.append((header, sealed))
            if rescue.damaged:
                kept = path.with_suffix(DAMAGED)
                path.replace(kept)
                notes.append(f"{rescue.lost}; the file is kept as {kept}")
            elif rescue.lost:
                notes.append(rescue.lost)
        path.unlink(missing_ok=True)
    known = {one for entry in (before[1].ledger if before else ()) for one in entry.tries}
    new = [one for one in found if one[1] not in known]  # a crash came after the run object
    if new:
        write_run(
            library,
            name,
            [(key_of(header), sealed) for header, sealed in new],
            before=before,
            extends=_extended(library, (header for header, _ in new)),
            created=created,
            evidence=evidence_of(new[0][0]),
        )
        sync_index(library)
    journal.clear_sealed()
    if new:
        parts = "1 part" if len(new) == 1 else f"{len(new)} parts"
        notes.insert(0, f"a recording of this run was cut off: what it had is sealed now ({parts})")
    return notes


def _extended(library: Library, headers: Iterable[Header]) -> Run | None:
    names = {header.capture.extends for header in headers if header.capture}
    name = next(iter(sorted(filter(None, names))), None)
    return library.read_run(name) if name and library.has(name, "run") else None
