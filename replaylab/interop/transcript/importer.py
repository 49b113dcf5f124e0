"""Imports files of transcripts as one run: all lines or none, the same bytes each time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import Digest, digest
from replaylab.cassette.indexing import sync_index
from replaylab.catalogue.loader import Catalogue
from replaylab.engine.ledger import make_run
from replaylab.engine.plan import keys
from replaylab.errors import UsageError
from replaylab.interop.transcript.lines import Problem, Raw, Redact, Wrong, read_lines
from replaylab.interop.transcript.meaning import Meaning, Transcript
from replaylab.interop.transcript.trial import NOBODY, Origin, key_of, make_cassette
from replaylab.roles.prompts import prompts_of
from replaylab.schema.cassette import Engine, Limits
from replaylab.schema.run import LedgerEntry, PlannedTask, Run, RunSpec, Try
from replaylab.store.library import Library

SHOWN = 20
MAX_LEDGER = 1_000_000
NOTES = {
    "engine_answered": "calls of unknown tools or with arguments that are no JSON object: replaylab's engine answers "
    "those itself, so what came back is kept in a label and not shown to the check",
    "wrapped_observation": 'observations that are no JSON which the tool can return: they stand as {"observation": …}',
    "double_encoded": "arguments that were encoded twice: read as the object inside",
    "unknown_field": "fields that nobody knows: kept in a label of their trial",
    "said_twice": "lines that repeat another one with the same number of its trial: counted once",
}


class TranscriptsRefused(UsageError):
    """Nothing was imported. `problems` has all that is wrong, `what` the first of it."""

    def __init__(
        self, what: str, problems: Sequence[Problem] = (), *, where: str = "", fix: str = ""
    ) -> None:
        super().__init__(what, where=where, fix=fix)
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ImportedTranscripts:
    """What an import made. `notes` counts what is odd, by the names of `NOTES`; `skipped` is what --skip-bad left out."""

    run_id: Digest
    run: Run
    transcripts: int
    changed: bool
    notes: Mapping[str, int] = field(default_factory=dict)
    skipped: tuple[Problem, ...] = ()
    skipped_lines: int = 0


@dataclass(frozen=True)
class Reading:
    """How files are read: where names of environments lead, what takes secrets out, and what to do with odd lines."""

    catalogue: Callable[[], Catalogue]
    redact: Redact
    skip_bad: bool = False
    keep_unknown: bool = False


def import_transcripts(
    library: Library, name: str, paths: Mapping[str, Path], reading: Reading
) -> ImportedTranscripts:
    """Import `paths` (files by the name that messages use) as the run `name`.

    Nothing is written unless every line is good, or the bad ones are skipped on purpose. A run of that name with the
    same content is left alone. Raises TranscriptsRefused otherwise, and for what contradicts itself.
    """
    found, problems = read_transcripts(paths, reading)
    bad = len({problem.where for problem in problems})
    if problems and not reading.skip_bad:
        raise _refused(problems, bad)
    if not found:
        raise TranscriptsRefused(
            "there is no transcript to import",
            problems,
            where=", ".join(paths),
            fix="give one JSON object a line",
        )
    numbered, twice = number(found)
    notes = Counter(note for one in numbered for note in one.notes)
    notes += Counter({"said_twice": twice})
    run, made = make_imported(name, numbered)
    run = run.model_copy(update={"origin": {"transcripts": len(numbered), "skipped": bad}})
    run_id, changed = _write(library, run, made)
    return ImportedTranscripts(
        run_id,
        run,
        len(numbered),
        changed,
        {key: notes[key] for key in NOTES if notes[key]},
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


def number(found: Iterable[Transcript]) -> tuple[list[Transcript], int]:
    """The transcripts with a number each, and how many lines said the same again.

    Those without a number take the free ones in their order. Raises TranscriptsRefused for two different ones of one
    number, and for one name that stands for different things.
    """
    transcripts = list(found)
    _one_thing_each(transcripts)
    taken: dict[str, Transcript] = {}
    numbered: list[Transcript | None] = []
    twice = 0
    for one in transcripts:
        key = str(key_of(one))
        before = taken.get(key) if one.trial is not None else None
        if before is not None:
            if _said(before) != _said(one):
                raise _conflict(
                    f"the trial {key} is another one at {before.where}", one, "give each its own `trial`"
                )
            twice += 1
            continue
        if one.trial is not None:
            taken[key] = one
        numbered.append(one)
    free: Counter[str] = Counter()
    done = []
    for one in filter(None, numbered):
        done.append(one if one.trial is not None else _first_free(one, free, taken))
    return done, twice


def _first_free(one: Transcript, free: Counter[str], taken: dict[str, Transcript]) -> Transcript:
    base = str(key_of(one.at(0)))
    while str(key_of(one.at(free[base]))) in taken:
        free[base] += 1
    fresh = one.at(free[base])
    taken[str(key_of(fresh))] = fresh
    return fresh


def make_imported(
    name: str, found: Sequence[Transcript], how: Origin = "imported", engine: Engine | None = None
) -> tuple[Run, list[tuple[bytes, Try]]]:
    """The run of these transcripts, each with its number, and the bytes of their cassettes in the same order."""
    spec = _spec(found)
    planned = [str(key) for key in keys(spec)]
    made = [make_cassette(one, spec, how, engine) for one in found]
    tries = {str(key_of(one)): tried for one, (_, tried) in zip(found, made, strict=True)}
    ledger = tuple(_entry(key, tries.get(key)) for key in planned)
    created = max(one.created for one in found)
    return make_run(name, spec, ledger, created=created, follows=(), evidence=how), made


def run_name(path: Path) -> str:
    """A name for the run of a file: the file's own, in characters that a run's name can have."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", path.name.split(".")[0]).strip("-._")[:80]
    return plain or "imported"


def _said(one: Transcript) -> str:
    return digest([one.content(), [list(step) for step in one.steps], one.answer, one.created, one.kept])


def _one_thing_each(found: Sequence[Transcript]) -> None:
    """Raise TranscriptsRefused where a task, an agent or a simulator of one name is two different ones."""
    first: dict[tuple[str, str], tuple[str, Transcript]] = {}
    for one in found:
        for what, name, content in (
            ("task", one.task.id, one.content()),
            ("agent", one.agent.alias, digest(one.agent.to_json())),
            ("simulator", one.simulator.alias, digest(one.simulator.to_json())),
        ):
            seen, before = first.setdefault((what, name), (content, one))
            if seen != content:
                part = _difference(before, one) if what == "task" else "its settings"
                raise _conflict(
                    f"the {what} {name!r} is not the same as at {before.where}: {part} differ",
                    one,
                    f"give the {what} another name, or the same content",
                )


def _difference(before: Transcript, one: Transcript) -> str:
    """The first part of a task's content that differs."""
    for part in ("scenario", "environment", "task"):
        old, new = getattr(before, part).to_json(), getattr(one, part).to_json()
        for key in sorted(old.keys() | new.keys()):
            if old.get(key) != new.get(key):
                return f"{part}.{key}"
    return "its parts"


def _spec(found: Sequence[Transcript]) -> RunSpec:
    faults = list({one.faults.name: one.faults for one in found}.values())
    spec = RunSpec(
        agents=tuple({one.agent.alias: one.agent for one in found}.values()),
        simulators=tuple({one.simulator.alias: one.simulator for one in found}.values()),
        verifiers=(NOBODY,),
        faults=tuple(faults),
        tasks=tuple(
            PlannedTask(task=task, content=content)
            for task, content in {one.task.id: one.content() for one in found}.items()
        ),
        trials=max(one.trial or 0 for one in found) + 1,
        limits=Limits(votes=0),
        prompts={name: prompt.digest for name, prompt in prompts_of(faults).items()},
    )
    size = len(spec.agents) * len(spec.simulators) * len(faults) * len(spec.tasks) * spec.trials
    if size > MAX_LEDGER:
        raise TranscriptsRefused(
            f"as one run that would be {size:,} trials, nearly all of them missing",
            fix="number trials from 0, and import what does not belong together as runs of their own",
        )
    return spec


def _entry(key: str, tried: Try | None) -> LedgerEntry:
    if tried is None:
        return LedgerEntry(key=key, status="missing")
    status = "error" if tried.verdict == "error" else "recorded"
    return LedgerEntry(key=key, status=status, tries=(tried,))


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


def _conflict(what: str, one: Transcript, fix: str) -> TranscriptsRefused:
    return TranscriptsRefused(f"{what}; nothing was written", where=one.where, fix=fix)


def _refused(problems: Sequence[Problem], bad: int) -> TranscriptsRefused:
    shown = "\n".join(f"  - {problem}" for problem in problems[:SHOWN])
    more = f"\n  - and {len(problems) - SHOWN} more" if len(problems) > SHOWN else ""
    lines = "1 line" if bad == 1 else f"{bad} lines"
    return TranscriptsRefused(
        f"{lines} can't be imported; nothing was written\n{shown}{more}",
        problems,
        where=problems[0].where,
        fix="mend them, or leave them out with --skip-bad",
    )
