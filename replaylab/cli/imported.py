"""What is said of every import of trials: the run, its counts, what was odd and what was left out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from replaylab.cli.output import Output, counted, number_of
from replaylab.errors import UsageError

if TYPE_CHECKING:
    from replaylab.cli.app import App
    from replaylab.interop.transcript import ImportedTranscripts
    from replaylab.interop.transcript.lines import Problem
    from replaylab.schema.base import JsonObject
    from replaylab.schema.run import Run

SHOWN_PROBLEMS = 20
SHOWN_PLACES = 3


def files_of(paths: Sequence[Path], suffixes: Sequence[str]) -> list[Path]:
    """The files that are named, and of each folder those in it that end so, in the order of their names. Raises UsageError
    for a folder that holds none.
    """
    found: dict[Path, None] = {}
    for path in paths:
        inside = (
            sorted(one for one in path.rglob("*") if one.suffix.lower() in suffixes and one.is_file())
            if path.is_dir()
            else [path]
        )
        if not inside:
            raise UsageError(
                "the folder holds no file to import",
                where=str(path),
                fix=f"a file ends in {' or '.join(suffixes)}; another one has to be named itself",
            )
        found |= dict.fromkeys(inside)
    return list(found)


def told_of_run(app: App, done: ImportedTranscripts, notes: Mapping[str, str], part: str) -> JsonObject:
    """Say what an import made, and give the fields of its document. `part` is what was left out with --skip-bad."""
    from replaylab.cli.recorded import ledger_line, programs
    from replaylab.engine.ledger import status_counts
    from replaylab.interop.transcript.importer import MENDED
    from replaylab.report.notice import evidence_notices

    out, run = app.output, done.run
    out.text(f"run {run.name}  {done.run_id}")
    for line in (*evidence_notices(run.evidence), *programs(run)):
        out.prose(line)
    out.text(f"in the library {app.library}")
    counts = status_counts(run)
    out.text(ledger_line(counts))
    if not done.changed:
        out.text("all of it was there already, with the same bytes")
    left_out(out, done.skipped_lines, done.skipped, part)
    for kind, number in done.notes.items():
        out.text(number_of(notes[kind], number))
        _places(out, done.noted.get(kind, ()))
        if kind in MENDED:
            out.text(f"  to do: {MENDED[kind]}")
    return {
        "run": done.run_id,
        "name": run.name,
        "evidence": run.evidence,
        "outcome": run.outcome,
        "transcripts": done.transcripts,
        "changed": done.changed,
        "counts": counts,
        "notes": dict(done.notes),
        "noted": {kind: [one._asdict() for one in places] for kind, places in done.noted.items()},
        "skipped_lines": done.skipped_lines,
        "skipped": [one._asdict() for one in done.skipped],
    }


def _places(out: Output, places: Sequence[Problem]) -> None:
    """Say where something odd is: each place of what is told with its reason, and the first ones of the rest."""
    shown = places[: SHOWN_PROBLEMS if any(one.why for one in places) else SHOWN_PLACES]
    for one in shown:
        out.text(f"  - {one}")
    if len(places) > len(shown):
        out.text(f"  - and {len(places) - len(shown)} more; --json lists all")


def next_of_trials(app: App, run: Run) -> None:
    """Say what to do with a run that was imported: look at a trial, and hold it against the contract."""
    out = app.output
    out.text(f"next: {app.again(f'check {run.name}')}")
    out.text(f"      {app.again(f'show {run.name}')}")


def left_out(out: Output, number: int, problems: Iterable[object], part: str) -> None:
    """Say what --skip-bad left out, and why."""
    if number:
        several = part[:-1] + "ies" if part.endswith("y") else ""
        out.text(f"left out, since they can't be imported: {counted(number, part, several)}")
    for problem in list(problems)[:SHOWN_PROBLEMS]:
        out.text(f"  - {problem}")
