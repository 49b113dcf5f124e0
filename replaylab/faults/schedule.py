"""When each fault of a plan is due: a pure function of the plan, the task id and the expected length.

No agent, model or clock takes part, so every agent meets the same faults at the same calls, in every process.
"""

from __future__ import annotations

from typing import NamedTuple

from replaylab.canonical import digest
from replaylab.faults.plan import EXPLICIT, IMPLICIT
from replaylab.schema.fault import FaultKind, FaultPlan


class Due(NamedTuple):
    """A fault that is due at tool call `call`, counted from 0. It starts there or at the next call that it can hit."""

    fault: int
    kind: FaultKind
    call: int
    draw: int

    @property
    def explicit(self) -> bool:
        return self.kind in EXPLICIT


class Schedule(NamedTuple):
    """The faults of one trial in the order in which they are due."""

    faults: tuple[Due, ...]
    duration: int


def schedule(plan: FaultPlan, task_id: str, expected_calls: int) -> Schedule:
    """Lay the plan's faults over `expected_calls`: one in each of `count` equal parts, at a drawn place in its part.

    Kinds are dealt out of a drawn order, so that the faults of one trial differ where they can. A plan with both
    explicit and implicit faults alternates; which comes first is drawn. `Due.draw` settles the details of a
    disturbance (how many items stay, which field goes).
    """
    if not (plan.explicit or plan.implicit):
        return Schedule((), plan.duration)
    explicit = _shuffled(plan, task_id, EXPLICIT) if plan.explicit else []
    implicit = _shuffled(plan, task_id, IMPLICIT) if plan.implicit else []
    decks = [deck for deck in (explicit, implicit) if deck]
    if _draw(plan, task_id, "first") % 2:
        decks.reverse()
    faults = []
    for fault in range(plan.count):
        deck = decks[fault % len(decks)]
        kind = deck[fault // len(decks) % len(deck)]
        start, end = (expected_calls * part // plan.count for part in (fault, fault + 1))
        # One call more than the duration, so that a retry inside the part can find the fault healed.
        slack = max(0, end - start - plan.duration - 1)
        call = start + _draw(plan, task_id, f"call {fault}") % (slack + 1)
        faults.append(Due(fault, kind, call, _draw(plan, task_id, f"details {fault}")))
    return Schedule(tuple(faults), plan.duration)


def _shuffled(plan: FaultPlan, task_id: str, kinds: tuple[FaultKind, ...]) -> list[FaultKind]:
    return sorted(kinds, key=lambda kind: _draw(plan, task_id, f"kind {kind}"))


def _draw(plan: FaultPlan, task_id: str, what: str) -> int:
    """A 64-bit number that follows from its arguments alone, in any process and on any machine."""
    seed = {"v": "schedule/1", "plan": plan.model_dump(mode="json"), "task": task_id, "what": what}
    return int(digest(seed)[:16], 16)
