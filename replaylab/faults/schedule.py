"""When each fault of a plan is due: a pure function of the plan, the task id and the expected length.

No agent, model or clock takes part, so every agent meets the same faults at the same calls, in every process.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from replaylab.canonical import digest
from replaylab.faults.plan import EXPLICIT, IMPLICIT, SEMANTIC
from replaylab.schema.fault import FaultKind, FaultPlan, Phase

# What a schedule was drawn from before there was more; the rest takes part where it says something, so that the
# schedules of old plans stay what they are.
_ALWAYS = frozenset({"name", "explicit", "implicit", "count", "duration", "seed"})
_PHASES: tuple[Phase, ...] = ("early", "middle", "late")


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

    Kinds are dealt out of a drawn order, so that the faults of one trial differ where they can. A plan with several
    sorts of fault deals them in turn; which comes first is drawn. `Due.draw` settles the details of a disturbance (how
    many items stay, which field goes). A targeted fault waits for its call from the start of its part.
    """
    return _laid_out(plan, task_id, expected_calls) if _kinds(plan) else Schedule((), plan.duration)


@lru_cache(maxsize=4096)  # every agent meets the same one, at every trial of the task
def _laid_out(plan: FaultPlan, task_id: str, expected_calls: int) -> Schedule:
    decks = [_shuffled(plan, task_id, kinds) for kinds in _kinds(plan)]
    if draw(plan, task_id, "first") % 2:
        decks.reverse()
    faults = []
    for fault in range(plan.count):
        deck = decks[fault % len(decks)]
        kind = deck[fault // len(decks) % len(deck)]
        start, end = (expected_calls * part // plan.count for part in (fault, fault + 1))
        # The clean calls after it belong to the part too, so that a retry inside it can find the fault healed.
        slack = 0 if plan.targeted else max(0, end - start - plan.duration - plan.spacing)
        call = start + draw(plan, task_id, f"call {fault}") % (slack + 1)
        faults.append(Due(fault, kind, call, draw(plan, task_id, f"details {fault}")))
    return Schedule(tuple(faults), plan.duration)


def phase_of(call: int, expected_calls: int) -> Phase:
    """The third of the expected length that a call lies in; what comes after the expected end is late."""
    return _PHASES[min(2, 3 * call // max(1, expected_calls))]


def _kinds(plan: FaultPlan) -> list[tuple[FaultKind, ...]]:
    sorts: list[tuple[bool, tuple[FaultKind, ...]]] = [
        (plan.explicit, EXPLICIT),
        (plan.implicit, IMPLICIT),
        (plan.semantic, SEMANTIC),
        (plan.slow, ("slow",)),
    ]
    return [kinds for wanted, kinds in sorts if wanted]


def _shuffled(plan: FaultPlan, task_id: str, kinds: tuple[FaultKind, ...]) -> list[FaultKind]:
    return sorted(kinds, key=lambda kind: draw(plan, task_id, f"kind {kind}"))


def draw(plan: FaultPlan, task_id: str, what: str) -> int:
    """A 64-bit number that follows from its arguments alone, in any process and on any machine."""
    given = {key: value for key, value in plan.model_dump(mode="json").items() if key in _ALWAYS}
    named = (
        given | plan.to_json() | {"name": plan.name.partition("@")[0]}
    )  # count and duration take part themselves
    seed = {"v": "schedule/1", "plan": named, "task": task_id, "what": what}
    return int(digest(seed)[:16], 16)
