"""Stability across generators: the same scenarios made by two of them, and how much is alike. Out of two histories.

Nothing here says which generator is better. Where both give the same kind of task, results on their tasks can be expected
to agree; where they don't, a benchmark made by one of them measures that generator too.
"""

from __future__ import annotations

from itertools import combinations
from statistics import mean
from typing import NamedTuple

from replaylab.errors import UsageError
from replaylab.synthesis.history import History, InstanceHistory, Tally, TaskHistory


class Alike(NamedTuple):
    """One scenario in both: shares from 0 to 1, None where a side has nothing.

    `tools`: names that both have. `state`: paths of the states. `plans`: the mean over tasks of the nearest plan of the
    other side, by its row of tools. `levels`: kept levels that both have.
    """

    scenario: str
    kept: tuple[int, int]
    tools: float | None
    state: float | None
    plans: float | None
    levels: float | None
    rates: tuple[float | None, float | None]


class Ranked(NamedTuple):
    """An agent's rate on the tasks of each side, over all written tasks that were tried."""

    agent: str
    rates: tuple[float | None, float | None]
    tried: tuple[int, int]


class Stability(NamedTuple):
    """What two syntheses have in common. `pairs` are pairs of agents that both sides order, `agree` those in one way."""

    names: tuple[str, str]
    generators: tuple[str, str]
    scenarios: tuple[Alike, ...]
    agents: tuple[Ranked, ...]
    pairs: int
    agree: int


def compare(one: History, other: History) -> Stability:
    """Hold two syntheses of the same scenarios against each other. Raises UsageError where they share none."""
    mine = {scenario.id: scenario for scenario in one.scenarios}
    shared = [(mine[theirs.id], theirs) for theirs in other.scenarios if theirs.id in mine]
    if not shared:
        raise UsageError(
            f"{one.name} and {other.name} have no scenario in common",
            fix="synthesise the same scenarios with another --generator, then compare",
        )
    scenarios = tuple(_alike(a.id, list(a.instances), list(b.instances)) for a, b in shared)
    names = {a.id for a, _ in shared}
    agents = _ranked(_tasks(one, names), _tasks(other, names))
    pairs, agree = _order(agents)
    generators = (one.order["generator"]["alias"], other.order["generator"]["alias"])
    return Stability((one.name, other.name), generators, scenarios, agents, pairs, agree)


def _tasks(history: History, scenarios: set[str]) -> list[TaskHistory]:
    return [
        task
        for scenario in history.scenarios
        if scenario.id in scenarios
        for instance in scenario.instances
        for task in instance.tasks
    ]


def _alike(name: str, mine: list[InstanceHistory], theirs: list[InstanceHistory]) -> Alike:
    kept = [[task for one in side for task in one.tasks if task.status == "kept"] for side in (mine, theirs)]
    levels = [sorted(task.level for task in side) for side in kept]
    return Alike(
        scenario=name,
        kept=(len(kept[0]), len(kept[1])),
        tools=_share({t for one in mine for t in one.tools}, {t for one in theirs for t in one.tools}),
        state=_share(
            {p for one in mine for p in one.state_shape}, {p for one in theirs for p in one.state_shape}
        ),
        plans=_plans([task.plan_tools for task in kept[0]], [task.plan_tools for task in kept[1]]),
        levels=_multi_share(levels[0], levels[1]),
        rates=(_mean_rate(kept[0]), _mean_rate(kept[1])),
    )


def _share(one: set[str], other: set[str]) -> float | None:
    return round(len(one & other) / len(one | other), 4) if one and other else None


def _multi_share(one: list[int], other: list[int]) -> float | None:
    if not one or not other:
        return None
    both = sum(min(one.count(level), other.count(level)) for level in set(one))
    return round(both / max(len(one), len(other)), 4)


def _plans(mine: list[tuple[str, ...]], theirs: list[tuple[str, ...]]) -> float | None:
    if not mine or not theirs:
        return None
    best = [max(_common(one, other) for other in theirs) for one in mine]
    best += [max(_common(one, other) for other in mine) for one in theirs]
    return round(mean(best), 4)


def _common(one: tuple[str, ...], other: tuple[str, ...]) -> float:
    row = [0] * (len(other) + 1)
    for step in one:
        corner = 0
        for place, their in enumerate(other, start=1):
            corner, row[place] = row[place], corner + 1 if step == their else max(row[place], row[place - 1])
    return row[-1] / max(len(one), len(other))


def _mean_rate(tasks: list[TaskHistory]) -> float | None:
    rates = [task.rate for task in tasks if task.rate is not None]
    return round(mean(rates), 4) if rates else None


def _ranked(mine: list[TaskHistory], theirs: list[TaskHistory]) -> tuple[Ranked, ...]:
    totals = [_totals(side) for side in (mine, theirs)]
    names = [name for name in totals[0] if name in totals[1]]
    return tuple(
        Ranked(
            name,
            (totals[0][name].rate, totals[1][name].rate),
            (totals[0][name].decided, totals[1][name].decided),
        )
        for name in sorted(names)
    )


def _totals(tasks: list[TaskHistory]) -> dict[str, Tally]:
    totals: dict[str, Tally] = {}
    for task in tasks:
        for name, one in task.alone.items():
            totals[name] = totals.get(name, Tally()).plus(one)
    return totals


def _order(agents: tuple[Ranked, ...]) -> tuple[int, int]:
    """Pairs of agents that each side puts in an order, and those that both put in the same. A tie is no order."""
    pairs = agree = 0
    for one, other in combinations(agents, 2):
        signs = []
        for side in (0, 1):
            first, second = one.rates[side], other.rates[side]
            signs.append(0 if first is None or second is None else (first > second) - (first < second))
        if all(signs):
            pairs += 1
            agree += signs[0] == signs[1]
    return pairs, agree
