"""Injector: delivers the faults of E1 to E3 in one trial. A deterministic state machine without I/O."""

from __future__ import annotations

from replaylab.canonical import canonical
from replaylab.checks.failure import is_error
from replaylab.faults.disturb import broken, disturb
from replaylab.faults.plan import IMPLICIT
from replaylab.faults.schedule import Due, schedule
from replaylab.schema.base import Json, JsonObject, copied
from replaylab.schema.fault import FaultEvent, FaultPlan, Implicit
from replaylab.schema.scenario import Tool


class Injector:
    """One per trial. Ask `explicit` before a call is executed and `implicit` after it, in call order.

    A fault starts at the call that it is due at, or at the first one after that it can hit: any call for an explicit
    fault; for an implicit one a read whose observation is no error and can be disturbed. From there it lasts
    `duration` tool calls, whatever they are: each call inside fails (explicit), or each read inside that can be
    disturbed is (implicit; writes and errors stay as they are). Then it has healed. Faults never overlap, and at least
    `spacing` calls between two of them are left alone, so that a retry after the duration finds the clean value.

    An implicit fault keeps its kind where that can change the observation, else the next kind in turn takes its place.
    """

    def __init__(self, plan: FaultPlan, task_id: str, expected_calls: int) -> None:
        due, self._duration = schedule(plan, task_id, expected_calls)
        self._spacing = plan.spacing
        self._pending = list(due)
        self._active: Due | None = None
        self._start = 0
        self._free = 0
        self._seen: dict[tuple[str, bytes], list[Json]] = {}

    @property
    def pending(self) -> tuple[Due, ...]:
        """The faults that have not started: after the trial's end, those that were never delivered."""
        return tuple(self._pending)

    def explicit(self, call: int, tool: Tool, arguments: JsonObject | None = None) -> FaultEvent | None:
        """The fault that this call meets instead of being executed, or None. `call` counts from 0.

        Whatever is called is hit, so `arguments` say nothing.
        """
        due = self._current(call) or self._next(call, explicit=True)
        if due is None or not due.explicit:
            return None
        self._begin(due, call)
        return self._event(due, due.kind, call, tool, clean=None, delivered=broken(due.kind))

    def implicit(self, call: int, tool: Tool, arguments: JsonObject, clean: Json) -> FaultEvent | None:
        """The fault that disturbs what this call returned, or None. `clean` is never changed."""
        if tool.effect != "read" or is_error(clean) or not self._may_disturb():
            return None
        earlier = self._seen.setdefault((tool.name, canonical(arguments)), [])
        due = self._current(call) or self._next(call, explicit=False)
        event = None
        if due is not None and not due.explicit:
            event = self._disturbed(due, call, tool, clean, earlier)
        if due is not None and event is not None:
            self._begin(due, call)
        earlier.append(copied(clean))
        return event

    def _may_disturb(self) -> bool:
        """Whether an implicit fault lasts or is still to come. Without one nothing needs to be remembered."""
        if self._active is not None and not self._active.explicit:
            return True
        return any(not due.explicit for due in self._pending)

    def _disturbed(
        self, due: Due, call: int, tool: Tool, clean: Json, earlier: list[Json]
    ) -> FaultEvent | None:
        for kind in _in_turn(due):
            delivered = disturb(kind, clean, earlier, due.draw)
            if delivered is not None:
                return self._event(due, kind, call, tool, clean=copied(clean), delivered=delivered)
        return None

    def _current(self, call: int) -> Due | None:
        """The fault that is active at this call."""
        if self._active is not None and call >= self._start + self._duration:
            self._active = None
        return self._active

    def _next(self, call: int, *, explicit: bool) -> Due | None:
        if call < self._free:
            return None
        for due in self._pending:
            if due.call <= call and due.explicit == explicit:
                return due
        return None

    def _begin(self, due: Due, call: int) -> None:
        if self._active is None:
            self._pending.remove(due)
            self._active, self._start = due, call
            self._free = call + self._duration + self._spacing

    def _event(
        self, due: Due, kind: str, call: int, tool: Tool, *, clean: Json, delivered: Json
    ) -> FaultEvent:
        start = self._start if self._active is not None else call
        return FaultEvent.model_validate(
            {
                "fault": due.fault,
                "kind": kind,
                "call": call,
                "tool": tool.name,
                "left": start + self._duration - 1 - call,
                "clean": clean,
                "delivered": delivered,
            }
        )


def _in_turn(due: Due) -> tuple[Implicit, ...]:
    at = next(place for place, kind in enumerate(IMPLICIT) if kind == due.kind)
    return IMPLICIT[at:] + IMPLICIT[:at]
