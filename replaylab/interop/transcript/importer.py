"""Imports files of transcripts as one run: all lines or none, the same bytes each time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import Digest
from replaylab.cassette.indexing import sync_index
from replaylab.catalogue.loader import Catalogue
from replaylab.interop.transcript.lines import Problem, Raw, Redact, TranscriptsRefused, Wrong, read_lines
from replaylab.interop.transcript.meaning import Meaning, Transcript
from replaylab.interop.transcript.numbering import number
from replaylab.interop.transcript.run import Progress, make_run_of
from replaylab.schema.run import Run, Try
from replaylab.store.library import Library

SHOWN = 20
NOTES = {
    "engine_answered": "calls of an unknown tool or with arguments that are no JSON object: replaylab's engine answers "
    "such a call itself, so what came back is kept in a label and not shown to the check",
    "wrapped_observation": 'observations that are no JSON which the tool can return: they stand as {"observation": …}',
    "double_encoded": "arguments that were encoded twice: read as the object inside",
    "unknown_field": "fields that nobody knows: kept in a label of their trial",
    "said_twice": "lines that repeat another one with the same number of its trial: counted once",
}
# What can be done about a note, where something can.
MENDED = {
    "engine_answered": "if it is a slip of the file, mend it there and import it as another run (--run NAME); if the agent "
    "did call that, nothing is to be done",
}


@dataclass(frozen=True)
class ImportedTranscripts:
    """What an import made. `notes` counts what is odd, by the names of `NOTES`, and `noted` says where, as far as that is
    known; `skipped` is what --skip-bad left out.
    """

    run_id: Digest
    run: Run
    transcripts: int
    changed: bool
    notes: Mapping[str, int] = field(default_factory=dict)
    noted: Mapping[str, tuple[Problem, ...]] = field(default_factory=dict)
    skipped: tuple[Problem, ...] = ()
    skipped_lines: int = 0


@dataclass(frozen=True)
class Reading:
    """How files are read: where names of environments lead, what takes secrets out, and what to do with odd lines."""

    catalogue: Callable[[], Catalogue]
    redact: Redact
    skip_bad: bool = False
    keep_unknown: bool = False
    progress: Progress = lambda done, planned: None  # told of each cassette that is made


def import_transcripts(
    library: Library, name: str, paths: Mapping[str, Path], reading: Reading
) -> ImportedTranscripts:
    """Import `paths` (files by the name that messages use) as the run `name`.

    Nothing is written unless every line is good, or the bad ones are skipped on purpose. A run of that name with the
    same content is left alone. Raises TranscriptsRefused otherwise, and for what contradicts itself.
    """
    found, problems = read_transcripts(paths, reading)
    return land(library, name, (found, problems), reading, Source(", ".join(paths)))


@dataclass(frozen=True)
class Source:
    """What messages call the files: where they are, what one part of them is, and what there has to be.

    `notes` are the odd things that are counted, `odd` those that were counted before anything became a transcript.
    """

    where: str
    part: str = "line"
    whole: str = "transcript"
    wanted: str = "give one JSON object a line"
    notes: Mapping[str, str] = field(default_factory=lambda: NOTES)
    odd: Mapping[str, int] = field(default_factory=dict)


def land(
    library: Library,
    name: str,
    read: tuple[Sequence[Transcript], Sequence[Problem]],
    reading: Reading,
    source: Source,
) -> ImportedTranscripts:
    """Write what was read as the run `name`, whatever format it came from. Raises TranscriptsRefused."""
    found, problems = read
    bad = len({problem.where for problem in problems})
    if problems and not reading.skip_bad:
        raise refused(problems, counted(bad, source.part))
    if not found:
        raise TranscriptsRefused(
            f"there is no {source.whole} to import", problems, where=source.where, fix=source.wanted
        )
    numbered, twice = number(found)
    notes = Counter(note for one in numbered for note in one.notes)
    notes += Counter({"said_twice": twice}) + Counter(source.odd)
    run, made = make_run_of(name, numbered, progress=reading.progress)
    run = run.model_copy(update={"origin": {"transcripts": len(numbered), "skipped": bad}})
    run_id, changed = _write(library, run, made)
    return ImportedTranscripts(
        run_id,
        run,
        len(numbered),
        changed,
        {key: notes[key] for key in source.notes if notes[key]},
        {
            key: tuple(place for one in numbered for place in one.noted(key))
            for key in source.notes
            if notes[key]
        },
        tuple(problems),
        bad,
    )


def read_transcripts(paths: Mapping[str, Path], reading: Reading) -> tuple[list[Transcript], list[Problem]]:
    """All good lines in the order of the files, and what is wrong with the others."""
    meaning = Meaning(reading.catalogue, reading.redact, reading.keep_unknown)
    found: list[Transcript] = []
    problems: list[Problem] = []
    for raw in read_lines(paths, reading.redact, keep_unknown=reading.keep_unknown):
        if not isinstance(raw, Raw):
            problems += raw
            continue
        try:
            found.append(meaning.read(raw))
        except Wrong as wrong:
            problems += [Problem(raw.where, *one) for one in wrong.problems]
    return found, problems


def _write(library: Library, run: Run, made: Sequence[tuple[bytes, Try]]) -> tuple[Digest, bool]:
    with library.lock(run.name):
        existing = library.named(run.name)
        if existing is not None and existing[1].model_copy(update={"origin": run.origin}) != run:
            raise TranscriptsRefused(
                f"the run {run.name!r} holds something else: {_other(existing[1], run)}",
                where=str(library.root),
                fix="import under another name: --run NAME",
            )
        for data, _ in made:
            library.put(data, "cassette")
        if existing is not None:
            return existing[0], False
        run_id = library.put_run(run)
        library.set_ref(run.name, run_id)
    sync_index(library)
    return run_id, True


def _other(before: Run, now: Run) -> str:
    """The first thing in which two runs of one name differ."""
    if before.evidence != now.evidence:
        return f"it is {before.evidence}"
    old, new = ({entry.key: entry.tries for entry in run.ledger} for run in (before, now))
    for key in sorted(old.keys() | new.keys()):
        if key not in new:
            return f"the trial {key}, which is not in these files"
        if key not in old:
            return f"no trial {key}"
        if [one.outcome for one in old[key]] != [one.outcome for one in new[key]]:
            return f"another trial {key}"
    return "the same trials with other times or notes, or made by another version"


def counted(number: int, what: str) -> str:
    """One line, two lines; one trajectory, two trajectories."""
    several = what[:-1] + "ies" if what.endswith("y") else what + "s"
    return f"{number} {what if number == 1 else several}"


def refused(problems: Sequence[Problem], bad: str) -> TranscriptsRefused:
    """The error that nothing was written, with the first problems; `bad` says how many parts have any."""
    shown = "\n".join(f"  - {problem}" for problem in problems[:SHOWN])
    more = f"\n  - and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
    return TranscriptsRefused(
        f"{bad} can't be imported; nothing was written\n{shown}{more}",
        problems,
        where=problems[0].where,
        fix="mend them, or leave them out with --skip-bad",
    )
