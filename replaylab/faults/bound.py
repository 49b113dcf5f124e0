"""BoundInjector: delivers the faults beyond the published ones, which stick to tools. Deterministic, without I/O."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from replaylab.canonical import canonical
from replaylab.checks.depends import Dependence
from replaylab.checks.failure import is_error
from replaylab.faults.disturb import broken, disturb
from replaylab.faults.mistake import mistaken
from replaylab.faults.plan import IMPLICIT, SEMANTIC
from replaylab.faults.schedule import Due, draw, schedule
from replaylab.schema.base import Json, JsonObject, copied
from replaylab.schema.fault import FOREVER, FaultEvent, FaultKind, FaultPlan
from replaylab.schema.scenario import Environment, Task, Tool

Kind = TypeVar("Kind", bound=str)


@dataclass
class _Strike:
    """A fault that has started: how often it still hits each of its tools, or FOREVER, and the call before which."""

    due: Due
    left: dict[str, int]
    until: float

    def takes(self, call: int) -> set[str]:
        """The tools that it would hit at this call."""
        return {name for name, more in self.left.items() if more and call < self.until}


@dataclass(frozen=True)
class _Seen:
    """A call and what it cleanly returned; for an explicit fault there is nothing yet."""

    call: int
    tool: Tool
    arguments: JsonObject
    clean: Json = None


class BoundInjector:
    """One per trial. Ask `explicit` before a call is executed and `implicit` after it, in call order.

    A fault starts at the call that it is due at, or at the first one after that it can hit; a targeted one, at the
    first one that a check depends on too. From there it sticks to the tool of that call (a correlated one to a drawn
    group of tools) and hits each of its tools `duration` times, a persistent one for ever; other tools work. A
    correlated one is over at the latest after `duration` calls for each tool of the environment. Before a
    tool that has healed is hit by another fault it works once, so that a retry after the duration finds the clean
    value. `spacing` calls at least lie between a hit and the start of the next fault, save after a persistent one's.
    """

    def __init__(self, plan: FaultPlan, task: Task, environment: Environment) -> None:
        self._plan, self._environment = plan, environment
        self._pending = list(schedule(plan, task.id, task.expected_calls).faults)
        asked = plan.targeted or plan.semantic
        self._depends = Dependence(task.rubric.checks if asked else ())
        self._order = sorted(environment.tools, key=lambda tool: draw(plan, task.id, f"tool {tool.name}"))
        self._active: list[_Strike] = []
        self._resting: set[str] = set()
        self._free = 0
        self._seen: dict[tuple[str, bytes], list[Json]] = {}

    @property
    def pending(self) -> tuple[Due, ...]:
        """The faults that have not started."""
        return tuple(self._pending)

    def explicit(self, call: int, tool: Tool, arguments: JsonObject) -> FaultEvent | None:
        """The fault that this call meets instead of being executed, or None. `call` counts from 0."""
        now = _Seen(call, tool, arguments)
        strike = self._striking(now) or self._starting(now, explicit=True)
        if strike is None or not strike.due.explicit:
            return None
        return self._hit(strike, now, strike.due.kind, broken(strike.due.kind))

    def implicit(self, call: int, tool: Tool, arguments: JsonObject, clean: Json) -> FaultEvent | None:
        """The fault that disturbs what this call returned, or None. `clean` is never changed."""
        now = _Seen(call, tool, arguments, clean)
        event = None if is_error(clean) else self._disturbed(now)
        if event is None:
            self._resting.discard(tool.name)
        if tool.effect == "read" and not is_error(clean):
            self._seen.setdefault((tool.name, canonical(arguments)), []).append(copied(clean))
        return event

    def _disturbed(self, now: _Seen) -> FaultEvent | None:
        strike = self._striking(now)
        waiting = [strike.due] if strike else [due for due in self._startable(now) if not due.explicit]
        for due in waiting:
            kind, delivered = self._wrong(due, now)
            if kind is not None:
                return self._hit(strike or self._start(due, now), now, kind, delivered)
        return None

    def _wrong(self, due: Due, now: _Seen) -> tuple[FaultKind | None, Json]:
        """The kind that can change this observation, in turn from the planned one, and what it makes of it."""
        earlier = self._seen.get((now.tool.name, canonical(now.arguments)), [])
        if due.kind == "slow":
            return "slow", self._late(now.clean, due)
        if now.tool.effect != "read":
            return None, None
        for kind in _turned(SEMANTIC, due.kind):
            places = self._depends.places(now.tool.name, now.arguments, now.clean)
            others = [*reversed(earlier), self._environment.initial_state]
            wrong = mistaken(kind, now.clean, places, others, due.draw)
            if wrong is not None:
                return kind, wrong
        for other in _turned(IMPLICIT, due.kind):
            less = disturb(other, now.clean, earlier, due.draw)
            if less is not None:
                return other, less
        return None, None

    def _late(self, clean: Json, due: Due) -> Json:
        """The right answer; an object also says how long it took, under a name that it does not use."""
        if not isinstance(clean, dict) or "timing" in clean:
            return copied(clean)
        return {
            **copied(clean),
            "timing": {"took_s": self._plan.delay_s, "budget_s": self._plan.budget_s},
        }

    def _striking(self, now: _Seen) -> _Strike | None:
        return next((strike for strike in self._active if now.tool.name in strike.takes(now.call)), None)

    def _starting(self, now: _Seen, *, explicit: bool) -> _Strike | None:
        due = next((due for due in self._startable(now) if due.explicit == explicit), None)
        return self._start(due, now) if due else None

    def _startable(self, now: _Seen) -> list[Due]:
        """The faults that may begin at this call, as far as can be said before it is executed."""
        if now.call < self._free:
            return []
        if self._plan.targeted and not self._depends.asks_for(now.tool.name, now.arguments):
            return []
        taken = self._resting.union(*(strike.takes(now.call) for strike in self._active))
        due = [due for due in self._pending if due.call <= now.call]
        groups = [self._tools(one, now.tool) for one in due]
        return [
            one
            for one, tools in zip(due, groups, strict=True)
            if now.tool.name in tools and not taken.intersection(tools)
        ]

    def _tools(self, due: Due, tool: Tool) -> tuple[str, ...]:
        """The tools that a fault sticks to when it starts at a call of `tool`."""
        if not self._plan.correlated:
            return (tool.name,)
        fit = [one.name for one in self._order if due.explicit or due.kind == "slow" or one.effect == "read"]
        first = due.draw % len(fit) if fit else 0
        size = max(2, len(self._environment.tools) // 2)
        return tuple([*fit[first:], *fit[:first]][:size])

    def _start(self, due: Due, now: _Seen) -> _Strike:
        left = FOREVER if self._plan.persistent else self._plan.duration
        ends = self._plan.correlated and not self._plan.persistent
        until = now.call + left * len(self._environment.tools) if ends else math.inf
        strike = _Strike(due, dict.fromkeys(self._tools(due, now.tool), left), until)
        self._pending.remove(due)
        self._active.append(strike)
        if left == FOREVER:
            self._free = now.call + 1 + self._plan.spacing
        return strike

    def _hit(self, strike: _Strike, now: _Seen, kind: FaultKind, delivered: Json) -> FaultEvent:
        name = now.tool.name
        if strike.left[name] != FOREVER:
            strike.left[name] -= 1
            self._free = now.call + 1 + self._plan.spacing
            if not strike.left[name]:
                self._resting.add(name)
        return FaultEvent(
            fault=strike.due.fault,
            kind=kind,
            call=now.call,
            tool=name,
            left=strike.left[name],
            clean=copied(now.clean),
            delivered=delivered,
            tools=tuple(strike.left) if self._plan.correlated else (),
            delay_s=self._plan.delay_s if kind == "slow" else 0,
        )


def _turned(kinds: Sequence[Kind], first: str) -> list[Kind]:
    """The kinds from the planned one on; none where it is of another sort."""
    at = next((place for place, kind in enumerate(kinds) if kind == first), None)
    return [] if at is None else [*kinds[at:], *kinds[:at]]
