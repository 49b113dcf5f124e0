"""FaultPlan: which observations are disturbed, how, and for how long."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, Json

Explicit = Literal["http_500", "timeout", "refused", "unavailable"]
Implicit = Literal["truncated", "missing_fields", "empty_fields", "stale"]
FaultKind = Literal[
    "http_500", "timeout", "refused", "unavailable", "truncated", "missing_fields", "empty_fields", "stale"
]


class FaultPlan(Frozen):
    """`count` faults of `duration` tool calls each, spaced over the expected length of the reference plan.

    The schedule follows from the plan, the task id and the seed alone: it is the same for every agent.
    """

    name: str = "E0"
    explicit: bool = False
    implicit: bool = False
    count: int = Field(default=0, ge=0, le=999)
    duration: int = Field(default=2, ge=1)
    seed: int = 0


class FaultEvent(Frozen):
    """A fault that was delivered. `call` counts tool calls of the trial from 0; `left` is the calls still to come."""

    fault: int
    kind: FaultKind
    call: int
    tool: str
    left: int
    clean: Json = None
    delivered: Json = None
