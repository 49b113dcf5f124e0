"""FaultPlan: which observations are disturbed, how, and for how long."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, Json

Explicit = Literal["http_500", "timeout", "refused", "unavailable"]
Implicit = Literal["truncated", "missing_fields", "empty_fields", "stale"]
Semantic = Literal["wrong_unit", "yesterday"]
Phase = Literal["early", "middle", "late"]
FaultKind = Literal[
    "http_500",
    "timeout",
    "refused",
    "unavailable",
    "truncated",
    "missing_fields",
    "empty_fields",
    "stale",
    "wrong_unit",
    "yesterday",
    "slow",
]
FOREVER = -1  # `FaultEvent.left` of a fault that never heals


class FaultPlan(Frozen):
    """`count` faults of `duration` tool calls each, spaced over the expected length of the reference plan.

    The schedule follows from the plan, the task id and the seed alone: it is the same for every agent. `explicit`,
    `implicit`, `semantic` and `slow` say what may go wrong; `persistent`, `correlated` and `targeted` say for how long,
    at how many tools at once, and at which calls. `mode` is `prompt` where the simulator is asked to inject the faults
    and the harness injects none. `delay_s` and `budget_s` are seconds: how late a slow answer is, and how much
    lateness a trial can bear in all.
    """

    name: str = "E0"
    explicit: bool = False
    implicit: bool = False
    count: int = Field(default=0, ge=0, le=999)
    duration: int = Field(default=2, ge=1)
    seed: int = 0
    semantic: bool = False
    slow: bool = False
    persistent: bool = False
    correlated: bool = False
    targeted: bool = False
    spacing: int = Field(default=1, ge=1)
    delay_s: int = Field(default=0, ge=0)
    budget_s: int = Field(default=0, ge=0)
    mode: Literal["harness", "prompt"] = "harness"

    @property
    def bound(self) -> bool:
        """Whether its faults stick to tools; those of E1 to E3 strike whatever is called while they last."""
        return self.semantic or self.slow or self.persistent or self.correlated or self.targeted


class FaultEvent(Frozen):
    """A fault that was delivered. `call` counts tool calls of the trial from 0; `left` is the calls still to come.

    `left` is -1 (`FOREVER`) for a fault that never heals. `tools` are those that a fault of several tools strikes.
    `delay_s` is how late a slow answer was, in seconds: a value, nobody waited. `phase` is set in labels alone.
    """

    fault: int
    kind: FaultKind
    call: int
    tool: str
    left: int
    clean: Json = None
    delivered: Json = None
    tools: tuple[str, ...] = ()
    delay_s: int = 0
    phase: Phase | None = None
