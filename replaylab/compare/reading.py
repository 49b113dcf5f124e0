"""What the simulators of some runs answered, trial by trial, with the contract check of each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import NamedTuple

from replaylab.cassette.stored import open_cassette
from replaylab.derive.answers import Answers
from replaylab.derive.verdict import derive
from replaylab.diff.trial import LANE, check_trajectory
from replaylab.schema.cassette import Evidence, Header, Provenance, ScenarioFacts, key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Outcome, Trajectory
from replaylab.schema.violation import CheckReport
from replaylab.score.facts import Spent
from replaylab.store.library import Library
from replaylab.store.processes import in_processes

FEW = 100  # cassettes; below this, starting processes costs more than it saves
AT_ONCE = 8
Progress = Callable[[int, int], None]


class Answered(NamedTuple):
    """What the simulator of one trial answered. `evidence` is that of its lane, whatever the other lanes are.

    `source` names the cassette that the lane was copied from, "" where it was recorded here. `latencies` are the
    milliseconds of its answers, `broke` whether it gave none that could be used and so ended the trial.
    """

    cassette: str
    key: str
    scenario: ScenarioFacts
    environment: str
    task: str
    faults: str
    mode: str
    simulator: ModelSettings
    evidence: Evidence
    source: str
    report: CheckReport
    verdict: Outcome
    spent: Spent
    latencies: tuple[float, ...]
    broke: bool


def answered(
    library: Library,
    names: Iterable[str],
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> dict[str, Answered]:
    """The answers in these cassettes, by cassette in the order given. Nothing depends on `jobs`, a number of processes."""
    wanted = list(dict.fromkeys(names))
    work = partial(_answered, library)
    several = jobs > 1 and len(wanted) >= FEW
    found = in_processes(work, wanted, jobs, at_once=AT_ONCE) if several else map(work, wanted)
    by_name = {}
    for done, one in enumerate(found, start=1):
        by_name[one.cassette] = one
        progress(done, len(wanted))
    return by_name


def counting(library: Library, runs: Sequence[str] = ()) -> dict[str, str]:
    """The cassettes that count in these runs, each with its trial key; of every run of the library for none."""
    found: dict[str, str] = {}
    for name in runs or library.refs():
        for entry in library.run(name)[1].ledger:
            if entry.counting is not None:
                found.setdefault(entry.counting.cassette, entry.key)
    return found


def _answered(library: Library, name: str) -> Answered:
    cassette = open_cassette(library, name)
    header, answers = cassette.header, Answers()
    trajectory, verdict = derive(header, cassette.lanes, answers)
    lane = cassette.lanes.get(LANE, ())
    origin = header.lanes.get(LANE, Provenance())
    return Answered(
        cassette=name,
        key=str(key_of(header)),
        scenario=header.scenario,
        environment=header.environment.id,
        task=header.task.id,
        faults=header.faults.name,
        mode=header.mode,
        simulator=header.players[LANE],
        evidence=origin.how if origin.how in ("authored", "imported") else "recorded",
        source=origin.source or "",
        report=_checked(header, trajectory, lane),
        verdict=verdict.outcome,
        spent=_spent(lane, answers),
        latencies=tuple(row.final.latency_ms for row in lane if row.final.status),
        broke=trajectory.termination == "simulator_error",
    )


def _checked(header: Header, trajectory: Trajectory, lane: Sequence[Interaction]) -> CheckReport:
    return check_trajectory(header, trajectory, lane)


def _spent(lane: Sequence[Interaction], answers: Answers) -> Spent:
    read = [answers.of(row) for row in lane]
    usages = [one.usage for one in read if one is not None and one.usage is not None]
    return Spent(
        calls=len(lane),
        attempts=sum(len(row.attempts) for row in lane),
        prompt_tokens=sum(usage.prompt_tokens for usage in usages),
        completion_tokens=sum(usage.completion_tokens for usage in usages),
        cached_tokens=sum(usage.cached_tokens for usage in usages),
        wall_ms=round(sum(one.latency_ms for row in lane for one in row.attempts), 3),
    )
