"""Plays calls on a task's twin and judges them by its checks, for tests."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.catalogue.loader import Catalogue, Found, shipped
from replaylab.catalogue.twin import Twin, load_twin
from replaylab.checks import passed, run_checks
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import PlannedCall
from replaylab.schema.trajectory import Action, CheckResult, Outcome, Trajectory, Turn

SHIPPED = Catalogue.load([shipped()])
TASKS = [task.id for task in SHIPPED.tasks]
ENVIRONMENTS = [environment.id for environment in SHIPPED.environments]


def twin_of(environment: str) -> Twin:
    return load_twin(SHIPPED.folder_of(environment), SHIPPED.environment(environment), trusted=[shipped()])


def plan_of(found: Found) -> list[PlannedCall]:
    assert found.task.plan is not None
    return list(found.task.plan.calls)


def answer_of(found: Found) -> str:
    assert found.task.plan is not None
    return found.task.plan.answer


def call(tool: str, **arguments: object) -> PlannedCall:
    return PlannedCall(tool=tool, arguments=arguments)


def play(task: str, calls: Sequence[PlannedCall], answer: str) -> Trajectory:
    """What an agent that makes these calls and gives this answer would leave behind."""
    twin = twin_of(SHIPPED.task(task).environment.id)
    actions = [
        Action(
            call=number,
            id=f"call-{number}",
            tool=one.tool,
            arguments=one.arguments,
            observation=twin.call(one.tool, one.arguments),
        )
        for number, one in enumerate(calls)
    ]
    turns = (*(Turn(actions=(action,)) for action in actions), Turn(text=answer))
    return Trajectory(turns=turns, answer=answer, termination="answered")


def judge(task: str, calls: Sequence[PlannedCall], answer: str) -> tuple[Outcome, tuple[CheckResult, ...]]:
    found = SHIPPED.task(task)
    results = run_checks(found.task.rubric.checks, play(task, calls, answer), found.environment)
    return passed(results), results


def failed(task: str, calls: Sequence[PlannedCall], answer: str) -> set[str]:
    """The ids of the checks that say fail."""
    return {result.id for result in judge(task, calls, answer)[1] if result.result == "fail"}


def observe(environment: str, *calls: PlannedCall) -> JsonObject:
    """The last observation of a fresh twin."""
    twin = twin_of(environment)
    observation: JsonObject = {}
    for one in calls:
        observation = twin.call(one.tool, one.arguments)
    return observation
