"""What came of each candidate: made, failed because, repaired how, kept or dropped. Derived from cassettes, no second truth."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, JsonObject

HISTORY_FORMAT = "replaylab.synthesis/1"
Happened = Literal["made", "failed", "repaired", "passed", "tried", "dropped", "passed over", "kept"]
Reason = Literal[
    "",
    "no answer",  # the generator gave nothing usable
    "static",  # a rule of `scenarios check` or of ours is broken, and the repairs did not mend it
    "duplicate",
    "passes anything",  # judges let an agent through that did nothing
    "unsolvable",  # with its plan
    "undecided",  # every trial ended in an error
    "always solved",
    "never solved",
    "no environment",  # what it would stand in was dropped
]


class Event(Frozen):
    """One thing that happened to a candidate. `rules` are the kinds of findings; `cassettes` is where it is recorded."""

    what: Happened
    part: str = ""
    round: int = 0
    why: str = ""
    rules: tuple[str, ...] = ()
    cassettes: tuple[str, ...] = ()


class Tally(Frozen):
    """How trials ended. Errors are neither passed nor failed."""

    passed: int = 0
    failed: int = 0
    error: int = 0

    @property
    def decided(self) -> int:
        return self.passed + self.failed

    @property
    def rate(self) -> float | None:
        """The share that passed of those that were decided; None where none was."""
        return self.passed / self.decided if self.decided else None

    def plus(self, other: Tally) -> Tally:
        return Tally(
            passed=self.passed + other.passed,
            failed=self.failed + other.failed,
            error=self.error + other.error,
        )


class Agreement(Frozen):
    """How far proposed checks go with the votes.

    `kept` contradict no trial that passed and fail at least one that failed; `contradict` and `idle` are the others.
    `alike` of `of` trials get the same verdict from the kept checks together as from the votes. `circular`: the votes
    were a program's that runs these checks, so agreement says nothing.
    """

    proposed: int = 0
    kept: tuple[str, ...] = ()
    contradict: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    alike: int = 0
    of: int = 0
    circular: bool = False


class TaskHistory(Frozen):
    """One candidate task. `plan_tools` and `similar` say how it is built and how like the nearest other one it is."""

    id: str
    level: int
    status: Literal["kept", "passed over", "dropped"]
    reason: Reason = ""
    events: tuple[Event, ...] = ()
    with_plan: Tally = Tally()
    alone: dict[str, Tally] = Field(default_factory=dict)
    plan_tools: tuple[str, ...] = ()
    similar: float = 0
    similar_to: str = ""
    agreement: Agreement | None = None

    @property
    def rate(self) -> float | None:
        """The share of autonomous trials that passed, over all agents."""
        total = Tally()
        for one in self.alone.values():
            total = total.plus(one)
        return total.rate

    @property
    def written(self) -> bool:
        return bool(self.plan_tools)

    @property
    def repaired(self) -> bool:
        return any(event.round and event.what in ("made", "repaired") for event in self.events)


class InstanceHistory(Frozen):
    """One environment with the tasks that stand in it. `set` is public or held-out."""

    id: str
    scenario: str
    number: int
    subtopic: str
    set: str
    status: Literal["kept", "dropped"]
    reason: Reason = ""
    events: tuple[Event, ...] = ()
    tools: tuple[str, ...] = ()
    state_shape: tuple[str, ...] = ()
    tasks: tuple[TaskHistory, ...] = ()
    proposed_twin: JsonObject | None = None


class ScenarioHistory(Frozen):
    """One scenario of the order."""

    id: str
    name: str
    status: Literal["kept", "dropped"]
    reason: Reason = ""
    events: tuple[Event, ...] = ()
    instances: tuple[InstanceHistory, ...] = ()


class History(Frozen):
    """Everything that a synthesis came to. `made_on` is the day of its first recorded call."""

    format: str = HISTORY_FORMAT
    name: str
    order: JsonObject
    players: dict[str, str]
    canary: str
    made_on: str = ""
    scenarios: tuple[ScenarioHistory, ...] = ()

    @property
    def instances(self) -> tuple[InstanceHistory, ...]:
        return tuple(one for scenario in self.scenarios for one in scenario.instances)

    @property
    def tasks(self) -> tuple[TaskHistory, ...]:
        return tuple(task for instance in self.instances for task in instance.tasks)

    @property
    def kept(self) -> tuple[TaskHistory, ...]:
        return tuple(task for task in self.tasks if task.status == "kept")
