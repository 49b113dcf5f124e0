"""Which tasks are dropped after they were tried, and which level of an instance is kept. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from replaylab.synthesis.history import Reason, Tally, TaskHistory


def unsolved(with_plan: Tally) -> Reason:
    """Why a task is dropped after its plan was carried out, "" where it is solvable: once is enough."""
    if with_plan.passed:
        return ""
    return "unsolvable" if with_plan.failed else "undecided"


def too_plain(total: Tally) -> Reason:
    """Why a task is dropped after agents tried it alone, "" where some pass and some fail."""
    if not total.decided:
        return "undecided"
    if not total.failed:
        return "always solved"
    return "" if total.passed else "never solved"


def chosen(tasks: Sequence[TaskHistory]) -> str:
    """The id of the task with the lowest success rate above 0 and below 1, of the lower level among equals; "" for none."""
    rated = [
        (Fraction(total.passed, total.decided), task.level, task.id)
        for task in tasks
        if task.status != "dropped" and (total := total_of(task)).passed and total.failed
    ]
    return min(rated)[2] if rated else ""


def total_of(task: TaskHistory) -> Tally:
    """All autonomous trials of a task."""
    total = Tally()
    for one in task.alone.values():
        total = total.plus(one)
    return total
