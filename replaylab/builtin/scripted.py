"""`scripted:careful`, `scripted:hasty` and the others: agents that follow a task's reference plan.

They differ in habits, which is what fault plans and constraints are there to tell apart. None reads the rubric, the
twin, the clean observations or which faults are due: they see what any agent sees, and the plan.
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
LONG = 12  # calls in a plan of which a forgetful agent loses the end, and a hasty one checks nothing

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


def stubborn(asked: Asked, index: Index) -> Answer:
    """Repeats calls that met a transient error, and takes every reading as it comes."""
    _, plan = _planned(asked, index)
    return _follow(plan, plan.calls, steps(asked), _after_a_transient_error)


def forgetful(asked: Asked, index: Index) -> Answer:
    """Repeats calls that met a transient error; in a long plan it leaves out the last write, and says it did it."""
    found, plan = _planned(asked, index)
    calls = list(plan.calls)
    writes = [place for place, call in enumerate(calls) if _writes(found, call)]
    if len(calls) >= LONG and writes:
        del calls[writes[-1]]
    return _follow(plan, calls, steps(asked), _after_a_transient_error)


def greedy(asked: Asked, index: Index) -> Answer:
    """Makes each write before the look that the plan puts right before it; repeats nothing."""
    found, plan = _planned(asked, index)
    calls = list(plan.calls)
    for place in range(1, len(calls)):
        if _writes(found, calls[place]) and not _writes(found, calls[place - 1]):
            calls[place - 1], calls[place] = calls[place], calls[place - 1]
    return _follow(plan, calls, steps(asked), _never)


def hasty(asked: Asked, index: Index) -> Answer:
    """Looks back once at the end, after long work not at all; tries a broken call once more, and answers in any case."""
    found, plan = _planned(asked, index)
    last = max((place for place, call in enumerate(plan.calls) if _writes(found, call)), default=-1)
    back = (place for place, call in enumerate(plan.calls) if place > last and call.purpose == "verify")
    kept = next(back, None) if len(plan.calls) < LONG else None
    calls = [call for place, call in enumerate(plan.calls) if call.purpose == "act" or place == kept]
    return _follow(plan, calls, steps(asked), _once_more)


def quitter(asked: Asked, index: Index) -> Answer:
    """Gives up at the first error."""
    _, plan = _planned(asked, index)
    done = steps(asked)
    failed = next((step for step in done if is_error(step.observation)), None)
    if failed is not None:
        return f"I could not finish this: {failed.tool} failed, and I stopped there."
    return _follow(plan, plan.calls, done, _never)


def _after_a_transient_error(call: PlannedCall, past: Sequence[Step], repeated: int) -> bool:
    return repeated < MAX_RETRIES and is_transient(past[-1].observation)


def _once_more(call: PlannedCall, past: Sequence[Step], repeated: int) -> bool:
    return repeated < 1 and is_transient(past[-1].observation)


def _writes(found: Found, call: PlannedCall) -> bool:
    tool = found.environment.tool(call.tool)
    return tool is not None and tool.effect == "write"


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
