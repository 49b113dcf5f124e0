"""Faults that a simulator was asked for in its prompt: what heals within its duration is a possible fault, no violation."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.canonical import canonical
from replaylab.diff.looking import Look
from replaylab.diff.refusal import Refusal
from replaylab.diff.world import Step
from replaylab.schema.fault import FaultPlan
from replaylab.schema.violation import Violation


def transport_fault(look: Look, refusal: Refusal) -> Violation | None:
    """A failure of the line that nobody injected: reported, and no violation, since a service may fail."""
    if not refusal.is_transport:
        return None
    return Violation(
        kind="possible_fault",
        subkind="transport",
        call=look.step.call,
        tool=look.step.tool.name,
        pointer=refusal.pointer,
        observed=refusal.text,
        confidence=0.9,
        message=f"{look.step.tool.name} failed on the line: {refusal.text!r}",
    )


def excused(found: Sequence[Violation], steps: Sequence[Step], plan: FaultPlan | None) -> list[Violation]:
    """The violations, with those that a prompted fault explains turned into possible faults.

    A hidden fault cuts lists short, or shows what was. It explains an omission or a stale value as long as no more than `duration` equal calls in a row
    show it; what lasts longer has not healed.
    """
    if plan is None or plan.mode != "prompt" or not plan.implicit:
        return list(found)
    return [_as_fault(one) if _is_explained(one, found, steps, plan.duration) else one for one in found]


def _is_explained(one: Violation, found: Sequence[Violation], steps: Sequence[Step], duration: int) -> bool:
    if (one.kind != "omission" or one.subkind == "denial") and one.subkind != "stale":
        return False
    same = [step.call for step in steps if _alike(step, steps[one.call])]
    wrong = {v.call for v in found if v.kind == one.kind and v.entity == one.entity and v.subkind != "denial"}
    streak = 0
    for call in same:
        streak = streak + 1 if call in wrong else 0
        if call == one.call:
            return streak <= duration
    return False


def _alike(one: Step, other: Step) -> bool:
    return one.tool.name == other.tool.name and canonical(one.arguments) == canonical(other.arguments)


def _as_fault(one: Violation) -> Violation:
    return one.model_copy(
        update={
            "kind": "possible_fault",
            "subkind": "stale" if one.subkind == "stale" else "truncated",
            "message": f"{one.message}; faults were asked for in the prompt, and this may be one",
        }
    )
