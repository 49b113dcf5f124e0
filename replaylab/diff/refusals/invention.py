"""Rule invention: a refusal that nothing in the contract licenses."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal
from replaylab.diff.refusals.borne import is_borne_out
from replaylab.diff.refusals.disproof import Disproof, disproof_of, is_well_formed
from replaylab.diff.refusals.licence import licence_for
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.reasonless import says_nothing, unexplained
from replaylab.diff.refusals.untrue import untrue_part
from replaylab.schema.violation import THRESHOLD, Violation

_UNTRUE = 0.75


def inventions(look: Look, refusal: Refusal) -> Iterator[Violation]:
    """The refusal as a violation, where no licence bears it out, or where what it says does not hold."""
    if refusal.is_transport:
        return
    reason = Reason(look, refusal)
    found = _found(reason)
    if found is None:
        return
    subkind, untrue = found
    clause = look.contract.open_clause
    yield look.violation(
        kind="rule_invention",
        subkind=subkind,
        pointer=refusal.pointer,
        contract=clause.pointer if clause else "",
        expected=None,
        observed=refusal.text,
        quote=clause.text if clause else "",
        licence="open_clause" if clause else "none",
        confidence=untrue.confidence if untrue else _confidence(reason),
        message=_message(look, reason, subkind, untrue),
    )


def _found(reason: Reason) -> tuple[str, Disproof | None] | None:
    """The sub-kind of an invention, with what disproves its reason; None where the refusal is licensed."""
    if not reason.refusal.reasons or says_nothing(reason):
        against = untrue_part(reason) if is_well_formed(reason.look.step) else ""
        if against:
            return "untrue_reason", Disproof(against, _UNTRUE)
        bare = None if is_borne_out(reason) else unexplained(reason)
        return ("no_reason", bare) if bare else None
    untrue = disproof_of(reason)
    if untrue and untrue.confidence >= THRESHOLD:
        return "untrue_reason", untrue
    if licence_for(reason) is None and not is_borne_out(reason):
        return _subkind(reason), None
    return ("untrue_reason", untrue) if untrue else None


def _subkind(reason: Reason) -> str:
    if reason.needs_a_clock or reason.loose_spans:
        return "ungrounded_input"
    if reason.loose_numbers or reason.loose_caps:
        return "mutated_threshold" if reason.coverage(reason.of_state | reason.of_tool) >= 0.6 else "no_rule"
    return "no_rule" if reason.lays_down_a_rule else "outside_licence"


def _confidence(reason: Reason) -> float:
    sure = 0.45
    if reason.lays_down_a_rule or reason.sets_a_condition:
        sure += 0.2
    if reason.is_loose:
        sure += 0.25
    novel = 1 - reason.coverage(reason.of_state | reason.of_tool)
    return round(min(0.95, sure + 0.2 * novel), 2)


def _message(look: Look, reason: Reason, subkind: str, untrue: Disproof | None) -> str:
    loose = [*reason.loose_numbers, *reason.loose_caps, *reason.loose_spans]
    untold = "it needs to know what time it is, and the contract has no clock"
    if not reason.needs_a_clock:
        untold = f"it rests on {', '.join(loose)}, and no known times lie so far apart"
    what = {
        "ungrounded_input": untold,
        "mutated_threshold": f"it rests on {', '.join(loose)}, which stands nowhere",
        "no_rule": "no sentence of the contract says so",
        "outside_licence": "neither state nor contract bears it out",
        "untrue_reason": untrue.message if untrue else "",
        "no_reason": untrue.message if untrue else "",
    }[subkind]
    return f"{look.step.tool.name} refuses with {reason.text!r}: {what}"
