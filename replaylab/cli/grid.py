"""What `record` takes where nothing is named: a small spread of everything, or with `--all` the whole grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from replaylab.catalogue.loader import Catalogue
from replaylab.cli.config import BUILT_IN
from replaylab.engine.plan import PlannedTrial
from replaylab.schema.scenario import Task

SIMULATORS = ("twin", "example")
FAULTS = ("E0", "E1", "E2", "E3")
VERIFIERS = ("rubric",)


class Grid(NamedTuple):
    """The models and fault plans to take for what is not named, and whether all tasks are."""

    agents: Sequence[str]
    simulators: Sequence[str]
    faults: Sequence[str]
    all_tasks: bool = True


ONE = Grid(("scripted:careful",), ("twin",), ("E0",))
SPREAD = Grid(
    ("scripted:careful", "scripted:stubborn", "scripted:quitter"), SIMULATORS, FAULTS, all_tasks=False
)
WHOLE = Grid(tuple(name for name, (role, _) in BUILT_IN.items() if role == "agent"), SIMULATORS, FAULTS)


def grid_for(named: Mapping[str, bool], *, everything: bool) -> Grid:
    """`named` says of each axis whether it was; a spread is only for those who named none."""
    if everything:
        return WHOLE
    return ONE if any(named.values()) else SPREAD


def tasks_of(catalogue: Catalogue, grid: Grid) -> list[str]:
    """All tasks; or of each industry the one whose plan is shortest, so that a spread stays small."""
    tasks = [task.id for task in catalogue.tasks]
    if grid.all_tasks:
        return tasks
    shortest: dict[str, Task] = {}
    for scenario in catalogue.scenarios:
        for task in scenario.tasks:
            best = shortest.get(scenario.industry)
            if task.plan is not None and (best is None or _length(task) < _length(best)):
                shortest[scenario.industry] = task
    return [task.id for task in shortest.values()] or tasks


def _length(task: Task) -> int:
    return len(task.plan.calls) if task.plan is not None else 0


def estimated_calls(planned: Sequence[PlannedTrial]) -> int:
    """About how many calls of models the trials take: two a step of the plan, the answer, the votes."""
    return sum(2 * trial.header.task.expected_calls + 1 + trial.header.limits.votes for trial in planned)
