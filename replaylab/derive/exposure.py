"""Exposure: which faults a trial was to meet, which it met, and which never came due because it ended before. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from replaylab.faults.schedule import Due, phase_of, schedule
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Header
from replaylab.schema.fault import FaultEvent, FaultPlan, Phase
from replaylab.schema.trajectory import Trajectory

Met = Literal[
    "delivered",
    "cut_short",  # the trial ended while it lasted
    "not_due",  # the trial ended before it was due
    "nothing_to_hit",  # it was due, and no call after that was one that it can hit
    "asked_for",  # the simulator was asked to inject it; see derive.conformance
]

COUNTS = ("planned", "delivered", "not_due", "nothing_to_hit", "calls_hit")


class PlannedFault(Frozen):
    """A fault of the plan. `call` and `phase` say when it is due, `calls` which tool calls it hit."""

    fault: int
    kind: str
    call: int
    phase: Phase
    met: Met
    calls: tuple[int, ...] = ()


class Exposure(Frozen):
    """What a trial was exposed to. `delay_s` adds up the seconds of slow answers; `budget_s` is 0 where none is set."""

    planned: int
    delivered: int
    not_due: int
    nothing_to_hit: int
    calls_hit: int
    faults: tuple[PlannedFault, ...] = ()
    delay_s: int = 0
    budget_s: int = 0

    @property
    def over_budget(self) -> bool:
        """Whether the answers came too late in all."""
        return 0 < self.budget_s < self.delay_s


def exposure_of(header: Header, trajectory: Trajectory) -> Exposure:
    """The exposure of a trial. A fault counts as delivered once it hit a call, also where the trial cut it short."""
    plan, expected = header.faults, header.task.expected_calls
    calls = len(trajectory.actions)
    events = [action.fault for action in trajectory.actions if action.fault is not None]
    faults = []
    for due in schedule(plan, header.task.id, expected).faults:
        own = [event for event in events if event.fault == due.fault]
        met: Met = "asked_for" if plan.mode == "prompt" else _met(plan, due, own, calls)
        hit = tuple(event.call for event in own)
        kind = own[0].kind if own else due.kind
        phase = phase_of(due.call, expected)
        faults.append(
            PlannedFault(fault=due.fault, kind=kind, call=due.call, phase=phase, met=met, calls=hit)
        )
    return Exposure(
        planned=len(faults),
        delivered=sum(fault.met in ("delivered", "cut_short") for fault in faults),
        not_due=sum(fault.met == "not_due" for fault in faults),
        nothing_to_hit=sum(fault.met == "nothing_to_hit" for fault in faults),
        calls_hit=len(events),
        faults=tuple(faults),
        delay_s=sum(event.delay_s for event in events),
        budget_s=plan.budget_s,
    )


def _met(plan: FaultPlan, due: Due, events: Sequence[FaultEvent], calls: int) -> Met:
    if not events:
        return "not_due" if due.call >= calls else "nothing_to_hit"
    if not plan.bound:  # it is over with its calls, whatever they were
        return "delivered" if events[0].call + events[0].left < calls else "cut_short"
    # It ends with its last hit; one of several tools, or one that never heals, has no end to be complete at.
    return "delivered" if events[-1].left <= 0 or plan.correlated else "cut_short"


def summed(exposures: Sequence[Exposure]) -> Exposure:
    """The counts of several trials together, without the single faults."""
    return Exposure(**{name: sum(getattr(one, name) for one in exposures) for name in COUNTS})
