"""`scripted:careful`, `scripted:hasty`, `scripted:quitter`: agents that follow a task's reference plan.

They differ in habits, which is what fault plans are there to tell apart. None reads the rubric, the twin, the clean
observations or which faults are due: they see what any agent sees, and the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replaylab.builtin.answer import Answer, Call
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.doubt import is_doubtful, is_transient
from replaylab.builtin.index import Index
from replaylab.builtin.steps import Step, offered, steps
from replaylab.catalogue.loader import Found
from replaylab.checks import is_error
from replaylab.schema.scenario import Plan, PlannedCall

MAX_RETRIES = 8
MAX_REREADS = 2

Again = Callable[[PlannedCall, Sequence[Step], int], bool]
"""Whether to repeat a call: the call, all steps up to this one, how many times it was repeated already."""


def careful(asked: Asked, index: Index) -> Answer:
    """Repeats calls that met a transient error and reads again what looks degraded; verifies before it answers."""
    found, plan = _planned(asked, index)

    def again(call: PlannedCall, past: Sequence[Step], repeated: int) -> bool:
        if is_transient(past[-1].observation):
            return repeated < MAX_RETRIES
        return repeated < MAX_REREADS and is_doubtful(call, past, found.environment)

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


def _never(call: PlannedCall, past: Sequence[Step], repeated: int) -> bool:
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
    for number, step in enumerate(done, start=1):
        if at == len(calls) or (step.tool, step.arguments) != (calls[at].tool, calls[at].arguments):
            continue
        if again(calls[at], done[:number], repeated):
            repeated += 1
        else:
            at, repeated = at + 1, 0
    return plan.answer if at == len(calls) else Call(calls[at].tool, calls[at].arguments)
