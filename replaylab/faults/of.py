"""Which injector delivers the faults of a trial."""

from __future__ import annotations

from replaylab.faults.bound import BoundInjector
from replaylab.faults.inject import Injector
from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Environment, Task

_NONE = FaultPlan()


def injector_of(plan: FaultPlan, task: Task, environment: Environment) -> Injector | BoundInjector:
    """The injector of a plan, fresh for one trial; one that does nothing where the simulator is asked to inject."""
    if plan.mode == "prompt":
        return Injector(_NONE, task.id, task.expected_calls)
    if plan.bound:
        return BoundInjector(plan, task, environment)
    return Injector(plan, task.id, task.expected_calls)
