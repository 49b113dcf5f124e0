"""Stage: one task, its plan, its checks and its twin, to play calls on and judge what comes of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import cached_property
from typing import NamedTuple

from replaylab.catalogue.loader import Found
from replaylab.catalogue.twin import Twin
from replaylab.checks.base import Check
from replaylab.checks.failure import is_error
from replaylab.checks.rubric import parse_checks, passed, run_parsed
from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import PlannedCall
from replaylab.schema.trajectory import Action, CheckResult, Outcome, Trajectory, Turn


class Judged(NamedTuple):
    """What came of a way through a task. `results` has one entry a check, in the rubric's order."""

    outcome: Outcome
    results: tuple[CheckResult, ...]
    trajectory: Trajectory

    @property
    def failed(self) -> frozenset[str]:
        """The ids of the checks that failed."""
        return frozenset(result.id for result in self.results if result.result == "fail")

    @property
    def refused(self) -> tuple[int, ...]:
        """The calls, counted from 0, that the twin refused."""
        return tuple(action.call for action in self.trajectory.actions if is_error(action.observation))


class Stage:
    """A task with a plan. `new_twin` makes a twin at the environment's initial state."""

    def __init__(self, found: Found, new_twin: Callable[[], Twin]) -> None:
        self.found, self._new_twin = found, new_twin
        # Where the twin stands after 0, 1, … calls of the plan, and what these calls returned.
        self._along: list[Twin] = []
        self._shown: list[Json] = []

    @property
    def plan(self) -> tuple[PlannedCall, ...]:
        return self.found.task.plan.calls if self.found.task.plan else ()

    @property
    def answer(self) -> str:
        return self.found.task.plan.answer if self.found.task.plan else ""

    @cached_property
    def checks(self) -> tuple[Check, ...]:
        """The checks of the task. Raises UsageError."""
        return parse_checks(self.found.task.rubric.checks, self.found.environment)

    def twin(self) -> Twin:
        """A twin at the initial state. Raises UsageError."""
        return self._new_twin()

    def judge(self, calls: Sequence[PlannedCall], answer: str, only: Container[str] | None = None) -> Judged:
        """Make the calls on a fresh twin, give the answer, and run the checks (`only` these). Raises UsageError."""
        trajectory = self.play(calls, answer)
        results = run_parsed(self.checks, trajectory, only)
        return Judged(passed(results), results, trajectory)

    def play(self, calls: Sequence[PlannedCall], answer: str) -> Trajectory:
        """What an agent leaves behind that makes these calls and gives this answer. Raises UsageError."""
        observations = self._observe(calls)
        actions = [
            Action(
                call=number,
                id=f"call-{number}",
                tool=one.tool,
                arguments=one.arguments,
                observation=observation,
            )
            for number, (one, observation) in enumerate(zip(calls, observations, strict=True))
        ]
        turns = (*(Turn(actions=(action,)) for action in actions), Turn(text=answer))
        return Trajectory(turns=turns, answer=answer, termination="answered")

    def _observe(self, calls: Sequence[PlannedCall]) -> list[Json]:
        """The observation of each call. Ways that begin like the plan begin where the plan has led before."""
        self._walk_plan()
        shared = 0
        for one, planned in zip(calls, self.plan, strict=False):
            if (one.tool, one.arguments) != (planned.tool, planned.arguments):
                break
            shared += 1
        twin = self._along[shared].fork()
        return self._shown[:shared] + [
            observed(twin, one.tool, one.arguments, self.found.environment.id) for one in calls[shared:]
        ]

    def _walk_plan(self) -> None:
        if self._along:
            return
        along, shown = [self.twin()], []
        for one in self.plan:
            twin = along[-1].fork()
            shown.append(observed(twin, one.tool, one.arguments, self.found.environment.id))
            along.append(twin)
        self._along, self._shown = along, shown


def observed(twin: Twin, tool: str, arguments: JsonObject, environment: str) -> Json:
    """What one call of a twin returns. Raises UsageError where the twin itself breaks."""
    try:
        return twin.call(tool, arguments)
    except Exception as error:
        raise UsageError(
            f"the twin of {environment} broke in {tool}: {type(error).__name__}: {error}",
            where=f"{environment}/twin.py: {tool}",
            fix="raise Refused for what the environment does not allow",
        ) from error
