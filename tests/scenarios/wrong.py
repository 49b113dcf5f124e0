"""Wrong ways through a task, made out of its plan, and the checks that catch them."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.schema.scenario import PlannedCall
from tests.scenarios.play import SHIPPED, answer_of, failed, plan_of

Calls = list[PlannedCall]


def plan(task: str) -> Calls:
    return plan_of(SHIPPED.task(task))


def caught(task: str, calls: Sequence[PlannedCall], answer: str | None = None) -> set[str]:
    """The ids of the checks that fail; the answer is the plan's where none is given."""
    return failed(task, calls, answer_of(SHIPPED.task(task)) if answer is None else answer)


def at(task: str, tool: str, **arguments: object) -> int:
    """The number of the plan's first call of that tool with those arguments."""
    wanted = arguments.items()
    return next(
        number
        for number, one in enumerate(plan(task))
        if one.tool == tool and wanted <= one.arguments.items()
    )


def changed(task: str, number: int, **arguments: object) -> Calls:
    """The plan with other arguments in one call."""
    calls = plan(task)
    calls[number] = calls[number].model_copy(update={"arguments": {**calls[number].arguments, **arguments}})
    return calls


def moved(task: str, number: int, to: int) -> Calls:
    """The plan with one call at another place."""
    calls = plan(task)
    calls.insert(to, calls.pop(number))
    return calls


def added(task: str, to: int, *calls: PlannedCall) -> Calls:
    """The plan with more calls put in before call `to`."""
    return [*plan(task)[:to], *calls, *plan(task)[to:]]


def without(task: str, *numbers: int) -> Calls:
    return [one for number, one in enumerate(plan(task)) if number not in numbers]
