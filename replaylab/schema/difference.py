"""Where simulators part: the same question put to several, what each said, and which of them broke its contract."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.canonical import digest
from replaylab.schema.base import Frozen, Json, JsonObject
from replaylab.schema.violation import Coverage, Violation, spelled

Manner = Literal["lockstep/recorded", "lockstep/own", "aligned"]
DifferenceKind = Literal[
    "acceptance",  # one carried the call out, another refused it
    "entities",  # they show other entities of a collection that the contract knows
    "value",  # a value that the state or the contract backs differs
    "open",  # they differ in what the contract leaves open
]


class Answer(Frozen):
    """What one simulator said to a call. `observation` is the clean one; `by` is who really answered.

    `violations` are the ids of those found in it. `same_again` is how many of its `repeats` further answers to the very
    same question said the same under the contract (0 of 0: nobody asked again).
    """

    simulator: str
    path: str
    observation: Json
    by: Literal["simulator", "faults", "engine"] = "simulator"
    refused: bool = False
    violations: tuple[str, ...] = ()
    repeats: int = 0
    same_again: int = 0


class Difference(Frozen):
    """One way in which the answers to a call differ. `values` has what each simulator shows, by its alias.

    `blamed` are the simulators of which a violation explains it; nobody is blamed where the contract is silent.
    `minority` are those that stand against a majority of three or more. `noise` is set where a simulator's own repeats
    differ in the same way, so that the difference says nothing of simulators.
    """

    kind: DifferenceKind
    pointer: str = ""
    contract: str = ""
    values: dict[str, Json] = Field(default_factory=dict)
    blamed: tuple[str, ...] = ()
    minority: tuple[str, ...] = ()
    noise: bool = False
    message: str = ""


class Row(Frozen):
    """One call of the comparison: in lockstep the same one for all, in an alignment None where a side has no such call.

    `answers` follow the order of `TrialDiff.simulators`. `parted` marks calls after the first divergence of an
    alignment: their histories differ, so the answers are held against the contract only and never against each other.
    """

    row: int
    tool: str
    arguments: JsonObject
    calls: tuple[int | None, ...]
    answers: tuple[Answer | None, ...]
    differences: tuple[Difference, ...] = ()
    parted: bool = False

    @property
    def id(self) -> str:
        """A stable name for links."""
        paths = [spelled(one.path) for one in self.answers if one]
        return digest({"v": "row/1", "paths": paths})[:12]


class TrialDiff(Frozen):
    """Several simulators on one trial. `first` is the row of the first difference that counts, None where there is none.

    `keys` are the trials' TrialKeys, one a simulator; `verdicts` what was judged of each ("none" in lockstep).
    `notices` say what a reader must know: nobody recorded this, a program played. `evidence` is how the least of the
    simulators' lanes came about.
    """

    task: str
    scenario: str
    environment: str
    industry: str
    faults: str
    manner: Manner
    simulators: tuple[str, ...]
    keys: tuple[str, ...]
    cassettes: tuple[str, ...]
    verdicts: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    first: int | None = None
    violations: tuple[Violation, ...] = ()
    candidates: tuple[Violation, ...] = ()
    faults_found: tuple[Violation, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    evidence: Literal["recorded", "imported", "authored", "copied"] = "recorded"
    notices: tuple[str, ...] = ()


class DiffReport(Frozen):
    """What `replaylab diff --sim A --sim B` found. `evidence` says how the lanes came about, by how many trials."""

    simulators: tuple[str, ...]
    runs: dict[str, str] = Field(default_factory=dict)
    trials: tuple[TrialDiff, ...] = ()
    skipped: dict[str, int] = Field(default_factory=dict)
    evidence: dict[str, int] = Field(default_factory=dict)
    notices: tuple[str, ...] = ()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """Those of all trials."""
        return tuple(one for trial in self.trials for one in trial.violations)
