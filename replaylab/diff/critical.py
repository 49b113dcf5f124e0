"""Whether the outcome of a task depends on what a violation is about: its rubric names it, or one of its checks looks there."""

from __future__ import annotations

from replaylab.checks.depends import Dependence
from replaylab.checks.prose import names
from replaylab.diff.calls.world import Step
from replaylab.diff.words.observed import escape
from replaylab.schema.scenario import Task
from replaylab.schema.violation import Violation


class Critical:
    """What the rubric of one task depends on, over the calls of one trial."""

    def __init__(self, task: Task | None) -> None:
        self._text = task.rubric.text if task else ""
        self._depends = Dependence(task.rubric.checks if task else ())
        self._places: dict[int, frozenset[str]] = {}

    def depends_on(self, violation: Violation, step: Step) -> bool:
        """A refused call that a check asks for, a value that a check looks at, or a thing that the rubric names."""
        if violation.entity and names(self._text, violation.entity):
            return True
        if violation.kind == "rule_invention" and self._depends.asks_for(step.tool.name, step.arguments):
            return True
        return bool(violation.pointer) and violation.pointer in self._looked_at(step)

    def _looked_at(self, step: Step) -> frozenset[str]:
        """The pointers to all that a check looks at in an answer, and to all that holds it. Once a call: a long answer can
        have thousands of violations.
        """
        known = self._places.get(step.call)
        if known is None:
            places = self._depends.places(step.tool.name, step.arguments, step.observation)
            paths = {place.path[:length] for place in places for length in range(1, len(place.path) + 1)}
            known = frozenset("".join(f"/{escape(str(part))}" for part in path) for path in paths)
            self._places[step.call] = known
        return known
