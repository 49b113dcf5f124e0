"""`scripted:careful`, `scripted:hasty`, `scripted:quitter`: agents that follow a task's reference plan.

They differ in habits, which is what fault plans are there to tell apart. None reads the rubric, the twin, the clean
observations or which faults are due: they see what any agent sees, and the plan.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from replaylab.builtin.answer import Answer, Call, json_text
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.index import Index
from replaylab.builtin.steps import Step, offered, steps
from replaylab.catalogue.loader import Found
from replaylab.checks import is_error
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment, Plan, PlannedCall

MAX_RETRIES = 8
MAX_REREADS = 3

_TRANSIENT = re.compile(
    r"\b(HTTP|status)\W{0,3}(408|429|5\d\d)\b|\btime(d )?-?out\b|connection (was )?(refused|reset)"
    r"|service (is )?(temporarily )?unavailable",
    re.IGNORECASE,
)


Again = Callable[[Step, int], bool]
"""Whether to repeat a call after this step, when it was repeated that many times already."""


def careful(asked: Asked, index: Index) -> Answer:
    """Repeats calls that met a transient error and reads again what looks degraded; verifies before it answers."""
    found, plan = _planned(asked, index)

    def again(step: Step, repeated: int) -> bool:
        if is_transient(step.observation):
            return repeated < MAX_RETRIES
        return repeated < MAX_REREADS and _looks_degraded(step, found.environment)

    return _follow(plan, plan.calls, steps(asked), again)


def hasty(asked: Asked, index: Index) -> Answer:
    """Leaves out what only verifies, never repeats a call, and answers whatever came of it."""
    _, plan = _planned(asked, index)
    calls = tuple(call for call in plan.calls if call.purpose == "act")
    return _follow(plan, calls, steps(asked), _never)


def quitter(asked: Asked, index: Index) -> Answer:
    """Gives up at the first error."""
    _, plan = _planned(asked, index)
    done = steps(asked)
    failed = next((step for step in done if is_error(step.observation)), None)
    if failed is not None:
        return f"I could not finish this: {failed.tool} failed, and I stopped there."
    return _follow(plan, plan.calls, done, _never)


def is_transient(observation: Json) -> bool:
    """Whether an observation reports a failure that a later call may not meet."""
    if not is_error(observation):
        return False
    error = observation.get("error")
    text = error if isinstance(error, str) else json_text(observation)
    return (isinstance(error, dict) and "transport" in error) or _TRANSIENT.search(text) is not None


def _looks_degraded(step: Step, environment: Environment) -> bool:
    """Whether a read lacks something that its tool's example output has. A write is never made twice."""
    tool = environment.tool(step.tool)
    if tool is None or tool.effect != "read" or not tool.has_example or is_error(step.observation):
        return False
    return lacks(step.observation, tool.example_output)


def lacks(value: Json, example: Json) -> bool:
    """Whether `value` misses a field or items of `example`, or is empty where that is not."""
    if isinstance(example, dict):
        if not isinstance(value, dict):
            return True
        return any(key not in value or lacks(value[key], part) for key, part in example.items())
    if isinstance(example, list):
        if not isinstance(value, list) or len(value) < len(example):
            return True
        return any(all(lacks(item, one) for one in example) for item in value if example)
    return example not in (None, "") and value in (None, "")


def _never(step: Step, repeated: int) -> bool:
    return False


def _planned(asked: Asked, index: Index) -> tuple[Found, Plan]:
    """The task that the request's instruction and tools belong to, and its plan. Raises Refusal (400)."""
    names = sorted(tool.name for tool in offered(asked))
    found = [
        one
        for text in asked.texts("user")
        for one in index.tasks(text)
        if sorted(tool.name for tool in one.environment.tools) == names
    ]
    if not found:
        raise Refusal(
            "no task of this catalogue has this instruction and these tools",
            param="messages",
            fix="Load the folder of its scenario, or take the model `scripted:explorer`.",
        )
    for one in found:
        if one.task.plan is not None:
            return one, one.task.plan
    raise Refusal(
        f"the task {found[0].task.id} has no reference plan",
        param="model",
        code="no_plan",
        fix="Take the model `scripted:explorer` or a language model as its agent.",
    )


def _follow(plan: Plan, calls: Sequence[PlannedCall], done: Sequence[Step], again: Again) -> Answer:
    """The next call, or the plan's answer after the last. The place in the plan follows from the steps alone."""
    at = repeated = 0
    for step in done:
        if at == len(calls) or (step.tool, step.arguments) != (calls[at].tool, calls[at].arguments):
            continue
        if again(step, repeated):
            repeated += 1
        else:
            at, repeated = at + 1, 0
    return plan.answer if at == len(calls) else Call(calls[at].tool, calls[at].arguments)
