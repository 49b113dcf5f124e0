"""What tables need to know of one trial: derived from its cassette alone, small enough to keep thirty thousand."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import DigestField, Frozen
from replaylab.schema.cassette import Evidence, ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.finding import Finding
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Outcome, Termination
from replaylab.score.value import Denominator

TrialOutcome = Literal["pass", "fail", "error", "missing", "unjudged"]


class Spent(Frozen):
    """What a role took. `attempts` counts HTTP exchanges, so retries are `attempts - calls`; `wall_ms` adds latencies."""

    calls: int = 0
    attempts: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    wall_ms: float = 0

    @property
    def is_counted(self) -> bool:
        """Whether tokens were counted, or nothing was asked: none for a call that was answered are no measurement."""
        return bool(self.prompt_tokens or self.completion_tokens or not self.calls)

    @property
    def is_timed(self) -> bool:
        """Whether times were taken, or nothing was asked."""
        return bool(self.wall_ms or not self.calls)


class Faulted(Frozen):
    """Exposure and recovery of a trial, counted (see derive.exposure and derive.recovery)."""

    planned: int = 0
    delivered: int = 0
    not_due: int = 0
    nothing_to_hit: int = 0
    calls_hit: int = 0
    met: int = 0
    seen: int = 0
    retried: int = 0
    recovered: int = 0
    accepted: int = 0
    calls_to_recover: int = 0  # added up over the recovered faults


class CassetteFacts(Frozen):
    """One cassette. `stored` is the verdict in its seal, `derived` what its lanes give today: they should agree.

    `votes` are the outcomes of the votes in order; `failures` the kinds of derive.taxonomy. `spent` is by role:
    agent, simulator, verifier. `answered_by` names the models that servers said answered, by role.
    """

    cassette: DigestField
    key: str
    attempt: int
    scenario: ScenarioFacts
    difficulty: int
    faults: FaultPlan
    evidence: Evidence
    players: dict[str, ModelSettings]
    stored: Outcome
    derived: Outcome
    reason: str = ""
    termination: Termination
    votes: tuple[Outcome, ...] = ()
    failures: tuple[str, ...] = ()
    faulted: Faulted = Faulted()
    spent: dict[str, Spent] = Field(default_factory=dict)
    answered_by: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    calls: int = 0  # tool calls of the trajectory
    parser: str = ""
    judged_by: str = "votes"
    mode: str = "run"


class Trial(Frozen):
    """One planned trial of a study. `facts` is None where it is missing.

    `scenario` of a missing trial is known from other trials of its task; where there are none its fields are "?".
    """

    run: str
    key: str
    agent: str
    simulator: str
    verifier: str
    faults: str
    task: str
    trial: int
    outcome: TrialOutcome
    scenario: ScenarioFacts
    facts: CassetteFacts | None = None
    tries: int = 0


class RunRef(Frozen):
    """A run that a study is made of."""

    name: str
    run: DigestField
    created: str
    mode: str
    follows: tuple[DigestField, ...] = ()


class Study(Frozen):
    """Everything that tables are made from: trials of one kind of evidence, in plan order.

    `agents`, `simulators`, `verifiers`, `faults` are in the order of the specs. `sim`, `judge` and `clean` are the
    reference condition: what a table fixes where it does not compare (defaults: the first simulator, the first
    verifier, the plan E0 or else the first). `declared` are denominators that somebody declared for single cells, by
    "agent|column". `findings` hold what is odd: verdicts that no longer follow, duplicates, tied votes.
    """

    runs: tuple[RunRef, ...]
    evidence: Evidence
    trials: tuple[Trial, ...]
    agents: dict[str, ModelSettings]
    simulators: dict[str, ModelSettings]
    verifiers: dict[str, ModelSettings]
    faults: dict[str, FaultPlan]
    sim: str
    judge: str
    clean: str
    denominator: Denominator = "planned"
    declared: dict[str, int] = Field(default_factory=dict)
    seed: int = 1
    draws: int = 9999
    findings: tuple[Finding, ...] = ()
