"""The funnel: how many candidates were left after each stage, and why the others were not. Out of a history alone."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from replaylab.synthesis.history import History, InstanceHistory, ScenarioHistory, TaskHistory


class Stage(NamedTuple):
    """One stage: how many tasks got through it, out of how many planned, and how many of them had been repaired."""

    name: str
    left: int
    lost: int
    repaired: int


class Lost(NamedTuple):
    """A reason for which candidates were dropped: how many, and the rules that were broken most."""

    reason: str
    number: int
    rules: tuple[tuple[str, int], ...]


class Funnel(NamedTuple):
    """What came of all candidates of a synthesis. `most_alike` is the greatest similarity of two that were left."""

    planned: int
    stages: tuple[Stage, ...]
    lost: tuple[Lost, ...]
    most_alike: float
    threshold: float
    shapes: int


_AFTER = {
    "written": {"no environment", "no answer"},
    "proved": {"static"},
    "not a duplicate": {"duplicate"},
    "solvable": {"passes anything", "unsolvable"},
    "judged": {"undecided"},
    "neither always nor never solved": {"always solved", "never solved"},
}


def funnel(history: History) -> Funnel:
    """The stages in their order. A task that is dropped for a reason is lost at the stage of that reason."""
    levels = int(history.order.get("levels", 4))
    planned = len(history.order["sources"]) * int(history.order.get("instances", 1)) * levels
    tasks = list(history.tasks)
    absent = planned - len(tasks)  # environments that were dropped never had any
    stages, left = [], planned
    for name, reasons in _AFTER.items():
        lost = sum(1 for task in tasks if task.status == "dropped" and task.reason in reasons)
        lost += absent if name == "written" else 0
        left -= lost
        passed = [task for task in tasks if _reached(task, name)]
        stages.append(Stage(name, left, lost, sum(task.repaired for task in passed)))
    kept = history.kept
    stages.append(
        Stage("kept: the level solved least", len(kept), left - len(kept), sum(t.repaired for t in kept))
    )
    standing = [task for task in tasks if task.status != "dropped"]
    return Funnel(
        planned,
        tuple(stages),
        tuple(_lost(history)),
        max((task.similar for task in standing), default=0.0),
        float(history.order.get("alike", 0.9)),
        len({task.plan_tools for task in kept}),
    )


def _reached(task: TaskHistory, stage: str) -> bool:
    """Whether a task got through a stage."""
    if task.status != "dropped":
        return True
    names = list(_AFTER)
    dropped_at = next(place for place, name in enumerate(names) if task.reason in _AFTER[name])
    return names.index(stage) < dropped_at


def _lost(history: History) -> list[Lost]:
    found: list[Lost] = []
    found += _grouped(
        [one for one in history.instances if one.status == "dropped" and not one.tasks], "environment: "
    )
    found += _grouped([task for task in history.tasks if task.status == "dropped"], "")
    scenarios = [one for one in history.scenarios if one.status == "dropped"]
    for reason, count in sorted(Counter(one.reason for one in scenarios).items()):
        rules = Counter(rule for one in scenarios if one.reason == reason for rule in _rules_of(one))
        found.insert(0, Lost(f"scenario: {reason}", count, tuple(_most(rules))))
    return found


def _rules_of(scenario: ScenarioHistory) -> list[str]:
    """Every rule that was broken; of one that never came, what the last answer was."""
    if scenario.reason == "no answer" and scenario.events:
        return [scenario.events[-1].why]
    return [rule for event in scenario.events for rule in event.rules]


def _grouped(dropped: list[TaskHistory] | list[InstanceHistory], prefix: str) -> list[Lost]:
    by_reason: dict[str, list[TaskHistory | InstanceHistory]] = {}
    for one in dropped:
        by_reason.setdefault(one.reason, []).append(one)
    return [
        Lost(f"{prefix}{reason}", len(group), tuple(_most(Counter(_last_rules(group)))))
        for reason, group in sorted(by_reason.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    ]


def _last_rules(group: list[TaskHistory | InstanceHistory]) -> list[str]:
    """The rules that each was dropped for, in the end."""
    rules: list[str] = []
    for one in group:
        told = [event for event in one.events if event.rules]
        if told:
            rules += told[-1].rules
        elif one.reason in ("no answer", "undecided") and one.events:
            rules.append(one.events[-1].why)
    return rules


def _most(rules: Counter[str], limit: int = 4) -> list[tuple[str, int]]:
    return sorted(rules.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


def mended(history: History) -> dict[str, tuple[int, int]]:
    """For each rule that was ever broken: how often it was, and how many of those candidates stood in the end."""
    broken: dict[str, list[bool]] = {}
    for task in history.tasks:
        rules = {rule for event in task.events if event.what == "failed" for rule in event.rules}
        for rule in rules:
            broken.setdefault(rule, []).append(task.status != "dropped")
    return {rule: (len(ends), sum(ends)) for rule, ends in sorted(broken.items())}
