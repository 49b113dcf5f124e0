"""Whether the outcome of a task depends on what a violation is about: its rubric names it, or one of its checks looks there."""

from __future__ import annotations

from replaylab.checks.depends import Dependence
from replaylab.checks.prose import names
from replaylab.diff.observed import escape
from replaylab.diff.world import Step
from replaylab.schema.scenario import Task
from replaylab.schema.violation import Violation


class Critical:
    """What the rubric of one task depends on."""

    def __init__(self, task: Task | None) -> None:
        self._text = task.rubric.text if task else ""
        self._depends = Dependence(task.rubric.checks if task else ())

    def depends_on(self, violation: Violation, step: Step) -> bool:
        """A refused call that a check asks for, a value that a check looks at, or a thing that the rubric names."""
        if violation.entity and names(self._text, violation.entity):
            return True
        if violation.kind == "rule_invention" and self._depends.asks_for(step.tool.name, step.arguments):
            return True
        places = self._depends.places(step.tool.name, step.arguments, step.observation)
        pointers = ["".join(f"/{escape(str(part))}" for part in place.path) for place in places]
        return any(_is_within(pointer, violation.pointer) for pointer in pointers)


def _is_within(pointer: str, outer: str) -> bool:
    return bool(outer) and (pointer == outer or pointer.startswith(f"{outer}/"))
