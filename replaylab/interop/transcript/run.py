"""The run of some transcripts: its spec, its ledger, and the cassettes."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.engine.ledger import make_run
from replaylab.engine.plan import keys
from replaylab.interop.transcript.lines import TranscriptsRefused
from replaylab.interop.transcript.meaning import Transcript
from replaylab.interop.transcript.trial import Origin, key_of, make_cassette
from replaylab.roles.prompts import prompts_of
from replaylab.schema.cassette import Engine, Limits
from replaylab.schema.model import NOBODY
from replaylab.schema.run import LedgerEntry, PlannedTask, Run, RunSpec, Try

MAX_LEDGER = 1_000_000  # trials of one run


def make_run_of(
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
