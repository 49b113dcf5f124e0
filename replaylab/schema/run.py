"""Run: a sealed object that says what was planned and which cassettes hold it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import DigestField, Frozen
from replaylab.schema.cassette import Evidence, Limits
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings, played_by
from replaylab.schema.trajectory import JudgedBy, Outcome

RUN_FORMAT = "replaylab.run/1"


class PlannedTask(Frozen):
    """A task of the plan and the digest over its environment and itself."""

    task: str
    content: DigestField


class RunSpec(Frozen):
    """What a run is: the cross product of agents, simulators, verifiers, fault plans, tasks and trials.

    `counts_try` is the rule for which try of a trial counts: the last one that did not end in an error, else the last.
    """

    agents: tuple[ModelSettings, ...]
    simulators: tuple[ModelSettings, ...]
    verifiers: tuple[ModelSettings, ...]
    faults: tuple[FaultPlan, ...]
    tasks: tuple[PlannedTask, ...]
    trials: int = Field(default=1, ge=1, le=10_000)
    limits: Limits = Limits()
    prompts: dict[str, DigestField] = Field(default_factory=dict)
    mode: Literal["run", "rejudge", "lockstep/recorded", "lockstep/own", "capture"] = "run"
    swapped: DigestField | None = None
    counts_try: Literal["last_without_error"] = "last_without_error"
    judged_by: JudgedBy = "votes"


class Try(Frozen):
    """One recorded try of a trial: its cassette, and what that cassette's seal says."""

    cassette: DigestField
    outcome: DigestField
    verdict: Outcome
    termination: str


class LedgerEntry(Frozen):
    """`key` is the text of a `callpath.TrialKey`. `status` is `error` when the try that counts has no verdict."""

    key: str
    status: Literal["recorded", "error", "missing"]
    tries: tuple[Try, ...] = ()

    @property
    def counting(self) -> Try | None:
        """The try that counts under `last_without_error`."""
        good = [one for one in self.tries if one.verdict != "error"] or list(self.tries)
        return good[-1] if good else None


class Run(Frozen):
    """The whole run. `follows` names the run objects it continues: one for a resumed run, several for a merged one.

    `evidence` says what its trials are: a run that nobody recorded is taken by no command that is not told to.
    """

    format: str
    name: str
    created: str
    follows: tuple[DigestField, ...] = ()
    spec: RunSpec
    shard: str = ""
    ledger: tuple[LedgerEntry, ...]
    outcome: DigestField
    origin: dict[str, int] = Field(default_factory=dict)
    evidence: Evidence = "recorded"

    @property
    def holds_trials(self) -> bool:
        """Whether it is about trials, and not about what a program outside asked."""
        return self.spec.mode != "capture"

    @property
    def players(self) -> dict[str, str]:
        """Who played, by alias: llm, program, human, own or unknown. In lockstep no verifier did, nor where nobody votes or checks.

        Nobody played a role where a program outside was recorded.
        """
        if not self.holds_trials:
            return {}
        spec = self.spec
        nobody = spec.judged_by == "votes" and not spec.limits.votes
        verifiers = () if nobody or spec.mode.startswith("lockstep/") else spec.verifiers
        return {one.alias: played_by(one) for one in (*spec.agents, *spec.simulators, *verifiers)}
