"""What the views of runs and trials say about faults and failures: exposure, conformance, recovery, and why a trial failed."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.derive.conformance import Conformance
from replaylab.derive.exposure import Exposure, PlannedFault
from replaylab.derive.recovery import Recovered
from replaylab.report.diff_words import counted
from replaylab.report.failure_words import in_words
from replaylab.report.view import RunView, Trial
from replaylab.schema.fault import FaultEvent, FaultPlan

_MET = {
    "cut_short": "the trial ended while it lasted",
    "not_due": "not due: the trial ended before",
    "nothing_to_hit": "it found no call that it can hit",
    "asked_for": "the simulator was asked for it",
}


def plan_line(plan: FaultPlan) -> str:
    """A fault plan in a line."""
    if not plan.count:
        return plan.name
    lasts = "for ever" if plan.persistent else f"of {counted(plan.duration, 'call')}"
    return f"{plan.name}: {plan.count} {lasts}"


def event_line(event: FaultEvent) -> str:
    """The head of a fault: which, what, and how long it still lasts."""
    left = "it never heals" if event.left < 0 else f"{counted(event.left, 'call')} of it left"
    group = f", at {', '.join(event.tools)}" if event.tools else ""
    late = f", {event.delay_s} s late" if event.delay_s else ""
    return f"{event.fault} {event.kind}{group}{late}, {left}"


def exposure_line(exposure: Exposure) -> str:
    """How many faults were planned and delivered, and why others were not."""
    parts = [
        f"{exposure.planned} planned",
        f"{exposure.delivered} delivered at {counted(exposure.calls_hit, 'call')}",
    ]
    if exposure.not_due:
        parts.append(f"{exposure.not_due} not due because the trial ended")
    if exposure.nothing_to_hit:
        parts.append(f"{exposure.nothing_to_hit} found nothing to hit")
    if exposure.budget_s:
        over = ", over it" if exposure.over_budget else ""
        parts.append(f"{exposure.delay_s} s late of a budget of {exposure.budget_s} s{over}")
    return ", ".join(parts)


def conformance_line(reports: list[Conformance]) -> str:
    """What simulators that were asked for faults injected, as far as it can be seen."""
    asked, seen = sum(one.planned for one in reports), sum(one.seen for one in reports)
    calls, hit = sum(one.planned_calls for one in reports), sum(one.seen_calls for one in reports)
    return (
        f"the simulator was asked for {counted(asked, 'fault')} ({counted(calls, 'call')}); {seen} "
        f"({counted(hit, 'call')}) can be seen, stale values aside"
    )


def run_facts(view: RunView) -> Iterator[str]:
    """The lines about faults of a run."""
    if view.conformances:
        yield conformance_line(view.conformances)
    if view.exposure.planned:
        yield exposure_line(view.exposure)


def trial_facts(trial: Trial) -> Iterator[tuple[str, str]]:
    """(name, text) of the lines about the faults and the failure of a trial."""
    for label in trial.failures:
        place = f"call {label.call}" if label.call >= 0 else "no call"
        checks = f", {', '.join(label.checks)}" if label.checks else ""
        yield "failure", f"{label.kind} ({place}{checks}): {in_words(label.reason)}"
    exposure, report = trial.exposure, trial.conformance
    if report is not None:
        yield "exposure", conformance_line([report])
    elif exposure.planned:
        yield "exposure", exposure_line(exposure)
        for fault in exposure.faults:
            if fault.met != "delivered":
                yield "", _undelivered(fault)
    for one in trial.recovery.faults:
        yield "recovery", _recovered(one)


def _undelivered(fault: PlannedFault) -> str:
    return f"fault {fault.fault} {fault.kind}, due at call {fault.call} ({fault.phase}): {_MET[fault.met]}"


def _recovered(one: Recovered) -> str:
    if one.kind == "slow":
        return f"fault {one.fault} slow: the answers were right"
    parts = [
        "seen" if one.seen else "not seen",
        "retried" if one.retried else "not retried",
        f"recovered after {counted(one.to_recover, 'call')}" if one.recovered else "not recovered",
        *(["degraded data in the final answer"] if one.accepted else []),
    ]
    return f"fault {one.fault} {one.kind}: {', '.join(parts)}"
