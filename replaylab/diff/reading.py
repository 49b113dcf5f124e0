"""The contract check of a run's trials, from its cassettes: read in several processes, and kept in the index."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from replaylab.canonical import dumps
from replaylab.cassette.codec import Cassette
from replaylab.cassette.derived import Deriving, Progress, derived_values
from replaylab.derive.answers import Answers
from replaylab.derive.trajectory import trajectory_of
from replaylab.diff.trial import LANE, answered, check_trajectory, past_of
from replaylab.diff.version import detector_version
from replaylab.errors import StoreError
from replaylab.schema.base import Frozen
from replaylab.schema.callpath import TrialKey
from replaylab.schema.cassette import Header, key_of
from replaylab.schema.model import played_by
from replaylab.schema.run import Run
from replaylab.schema.trajectory import Outcome, Termination
from replaylab.schema.violation import CheckReport
from replaylab.store.library import Library

KIND = "check/1"
Evidence = Literal["recorded", "imported", "authored", "copied"]


class CheckedTrial(Frozen):
    """One recorded trial and what the check found in it. `address` is the text of its TrialKey.

    `evidence` says how the simulator's lane came about, and `player` who the simulator is. `calls` are the calls that
    it answered, and `verdict` is the seal's.
    """

    address: str
    cassette: str
    scenario: str
    industry: str
    environment: str
    task: str
    faults: str
    mode: str
    evidence: Evidence
    player: str
    verdict: Outcome
    termination: Termination
    calls: int
    report: CheckReport

    @property
    def key(self) -> TrialKey:
        return TrialKey.parse(self.address)

    @property
    def simulator(self) -> str:
        """The alias of who was checked."""
        return self.key.condition.simulator


def _quiet(done: int, planned: int) -> None:
    """Nobody is shown."""


def checked(
    library: Library,
    run: Run,
    *,
    jobs: int = 1,
    progress: Progress = _quiet,
) -> list[CheckedTrial]:
    """Every try that counts of a run, checked against the contract of its environment, in the order of the ledger.

    Missing trials have none. Of a run in lockstep the simulator that was put the calls is checked. Raises StoreError
    for a cassette that is missing, damaged, or holds no trial.
    """
    return checked_cassettes(library, counting(run), jobs=jobs, progress=progress)


def counting(run: Run) -> list[str]:
    """The cassettes that count, in the order of the ledger."""
    return [entry.counting.cassette for entry in run.ledger if entry.counting]


def checked_cassettes(
    library: Library, names: Iterable[str], *, jobs: int = 1, progress: Progress = _quiet
) -> list[CheckedTrial]:
    """The same of any cassettes that hold trials."""
    listed = list(names)
    how = Deriving(KIND, detector_version(), _text_of, _fits)
    found = derived_values(library, listed, how, jobs=jobs, progress=progress).by_name
    return [CheckedTrial.model_validate_json(found[name]) for name in listed]


def check_cassette(cassette: Cassette) -> CheckedTrial:
    """The contract check of one cassette. Raises StoreError for one that holds no trial."""
    header = cassette.header
    if not header.subject.is_trial:
        raise StoreError(
            f"the cassette holds no trial: its subject is of kind {header.subject.kind!r}",
            where=cassette.where,
            fix="name a run that `replaylab runs` lists",
        )
    read = Answers()
    trajectory = trajectory_of(header, cassette.lanes, read)
    past = past_of(header, cassette.lanes, read)
    return CheckedTrial(
        address=str(key_of(header)),
        cassette=cassette.name,
        scenario=header.scenario.id,
        industry=header.scenario.industry,
        environment=header.environment.id,
        task=header.task.id,
        faults=header.faults.name,
        mode=header.mode,
        evidence=evidence_of(header),
        player=played_by(header.players["simulator"]),
        verdict=cassette.seal.verdict,
        termination=cassette.seal.termination,
        calls=len(answered(trajectory)),
        report=check_trajectory(header, trajectory, cassette.lanes.get(LANE, ()), past=past),
    )


def evidence_of(header: Header, lane: str = LANE) -> Evidence:
    """How a lane came about; one that the header does not list was recorded."""
    return header.lanes[lane].how if lane in header.lanes else "recorded"


def _text_of(cassette: Cassette) -> str:
    return dumps(check_cassette(cassette).to_json()).decode()


def _fits(name: str, text: str) -> bool:
    try:
        return CheckedTrial.model_validate_json(text).cassette == name
    except ValueError:
        return False
