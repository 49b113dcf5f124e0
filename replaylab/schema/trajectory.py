"""Trajectory and Verdict: what is derived from a cassette."""

from __future__ import annotations

from typing import Literal

from replaylab.schema.base import Frozen, Json, JsonObject
from replaylab.schema.fault import FaultEvent

Termination = Literal[
    "answered",  # a turn without a tool call
    "step_limit",
    "agent_error",
    "simulator_error",
    "lockstep",  # recorded actions were put to another simulator; nobody judged
]
JudgedBy = Literal["votes", "checks", "both"]
Outcome = Literal["pass", "fail", "error", "none"]  # none: nobody was asked to judge (lockstep)


class Action(Frozen):
    """One tool call and what the agent was shown for it.

    `call` counts from 0 over the trial. `arguments` is None when the text `raw_arguments` is not a JSON object.
    `by` says who answered: the simulator, the fault plan (explicit faults come before the call is executed), or the
    engine (an unknown tool, malformed arguments). `clean` is what the simulator said where a fault changed it.
    """

    call: int
    id: str
    tool: str
    arguments: JsonObject | None
    raw_arguments: str = ""
    observation: Json
    by: Literal["simulator", "faults", "engine"] = "simulator"
    fault: FaultEvent | None = None

    @property
    def clean(self) -> Json:
        """What the environment really said: the observation before any implicit fault."""
        return self.fault.clean if self.fault and self.by == "simulator" else self.observation


class Turn(Frozen):
    """One answer of the agent and the actions in it, in call order."""

    text: str = ""
    reasoning: str = ""
    finish_reason: str = ""
    actions: tuple[Action, ...] = ()


class Trajectory(Frozen):
    """The turns of a trial. `answer` is the text of the last turn when it holds no tool call, else ""."""

    turns: tuple[Turn, ...]
    answer: str
    termination: Termination
    error: str = ""

    @property
    def actions(self) -> tuple[Action, ...]:
        return tuple([action for turn in self.turns for action in turn.actions])


class CheckResult(Frozen):
    """One check of a rubric. `call` is the tool call that decided it, -1 for none; `judge` checks are `open`."""

    id: str
    result: Literal["pass", "fail", "open"]
    reason: str = ""
    call: int = -1


class Vote(Frozen):
    """One judge's answer: `error` when it gave no valid one within the allowed askings."""

    vote: int
    outcome: Outcome
    reason: str = ""
    asked: int = 1
    checks: tuple[CheckResult, ...] = ()


class Verdict(Frozen):
    """`outcome` is the majority of valid votes; a tie, no valid vote or a broken trial is `error`, never `fail`.

    `checks` are those of the task's rubric where they take part in the outcome: `judged_by` is `checks` or `both`.
    """

    outcome: Outcome
    votes: tuple[Vote, ...] = ()
    reason: str = ""
    checks: tuple[CheckResult, ...] = ()
