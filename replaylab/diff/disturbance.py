"""Faults that a simulator was asked for in its prompt: what heals within its duration is a possible fault, no violation."""

from __future__ import annotations

from collections.abc import Sequence, Set

from replaylab.canonical import canonical
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.calls.world import Step
from replaylab.schema.fault import FaultPlan
from replaylab.schema.violation import Violation

_OPEN = frozenset({"no_reason", "untrue_reason"})  # refusals that an open fault may be
_FAULTS = {"stale": "stale", "no_reason": "transport", "untrue_reason": "transport"}


def transport_fault(look: Look, refusal: Refusal) -> Violation | None:
    """A failure of the line that nobody injected: reported, and no violation, since a service may fail."""
    if not refusal.is_transport:
        return None
    return look.violation(
        kind="possible_fault",
        subkind="transport",
        pointer=refusal.pointer,
        observed=refusal.text,
        confidence=0.9,
        message=f"{look.step.tool.name} failed on the line: {refusal.text!r}",
    )


def excused(found: Sequence[Violation], steps: Sequence[Step], plan: FaultPlan | None) -> list[Violation]:
    """The violations, with those that a prompted fault explains turned into possible faults.

    A hidden fault cuts lists short, or shows what was. It explains an omission or a stale value as long as no more than
    `duration` equal calls in a row show it; what lasts longer has not healed. An open one explains a refusal that gives
    no reason, or none that holds.
    """
    if plan is None or plan.mode != "prompt":
        return list(found)
    return [_as_fault(one) if _is_explained(one, found, steps, plan) else one for one in found]


def _is_explained(one: Violation, found: Sequence[Violation], steps: Sequence[Step], plan: FaultPlan) -> bool:
    """An open fault may be a refusal that says nothing true; a hidden one cuts short or shows what was."""
    duration = plan.duration
    if plan.explicit and one.subkind in _OPEN:
        same = [step.call for step in steps if _alike(step, steps[one.call])]
        wrong = {v.call for v in found if v.subkind in _OPEN}
        return _streak(one, same, wrong) <= duration
    if not plan.implicit:
        return False
    if (one.kind != "omission" or one.subkind == "denial") and one.subkind != "stale":
        return False
    same = [step.call for step in steps if _alike(step, steps[one.call])]
    wrong = {v.call for v in found if v.kind == one.kind and v.entity == one.entity and v.subkind != "denial"}
    return _streak(one, same, wrong) <= duration


def _streak(one: Violation, same: Sequence[int], wrong: Set[int]) -> int:
    """How many equal calls in a row have been wrong, up to this one."""
    streak = 0
    for call in same[: same.index(one.call) + 1]:
        streak = streak + 1 if call in wrong else 0
    return streak


def _alike(one: Step, other: Step) -> bool:
    return one.tool.name == other.tool.name and canonical(one.arguments) == canonical(other.arguments)


def _as_fault(one: Violation) -> Violation:
    return one.model_copy(
        update={
            "kind": "possible_fault",
            "subkind": _FAULTS.get(one.subkind, "truncated"),
            "message": f"{one.message}; faults were asked for in the prompt, and this may be one",
        }
    )
