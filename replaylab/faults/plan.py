"""The four named fault plans: E0 clean, E1 explicit, E2 implicit, E3 mixed."""

from __future__ import annotations

import difflib
from typing import get_args

from replaylab.errors import UsageError
from replaylab.schema.fault import Explicit, FaultPlan, Implicit
from replaylab.schema.scenario import Task

EXPLICIT: tuple[Explicit, ...] = get_args(Explicit)
IMPLICIT: tuple[Implicit, ...] = get_args(Implicit)

_NAMED = {"E0": (False, False), "E1": (True, False), "E2": (False, True), "E3": (True, True)}


def named(name: str, count: int = 2, duration: int = 2, seed: int = 0) -> FaultPlan:
    """The plan of that name with the published defaults: two faults of two tool calls each. E0 has none.

    Raises UsageError for an unknown name, naming the closest.
    """
    if name not in _NAMED:
        closest = difflib.get_close_matches(name.upper(), _NAMED, n=1, cutoff=0.4)
        raise UsageError(
            f"there is no fault plan {name[:80]!r}",
            closest="".join(closest),
            fix=f"one of {', '.join(_NAMED)}",
        )
    explicit, implicit = _NAMED[name]
    if not (explicit or implicit):
        return FaultPlan(name=name, seed=seed)
    if count < 0 or duration < 1:
        raise UsageError(
            f"a fault plan needs a count of 0 or more and a duration of 1 or more, not {count} and {duration}"
        )
    return FaultPlan(
        name=name, explicit=explicit, implicit=implicit, count=count, duration=duration, seed=seed
    )


def expected_calls(task: Task) -> int:
    """The length that a schedule is laid over: that of the reference plan, or the task's own estimate."""
    return len(task.plan.calls) if task.plan else task.expected_calls
