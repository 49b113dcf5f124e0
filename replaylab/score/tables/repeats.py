"""repeats: how reliable agents are where tasks were played several times."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from statistics import stdev
from typing import NamedTuple

from replaylab.score.cells import (
    decimal_cell,
    empty,
    groups,
    in_points,
    mean,
    number_cell,
    outcomes,
    plural,
    points,
    text_cell,
)
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import Foot, footer
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, count, slices
from replaylab.score.stats.interval import clustered
from replaylab.score.stats.repeats import pass_all, pass_any
from replaylab.score.value import Cell, Column, Layout, Selector, Table

Scored = Mapping[tuple[str, str], tuple[int, int]]
"""By (scenario, task): the trials in the denominator, and how many of them passed."""


class _Agent(NamedTuple):
    """`tasks` are those with k trials or more; `short` counts the others."""

    name: str
    which: Selector
    tasks: Scored
    short: int
    trials: tuple[Trial, ...]


def build(study: Study, layout: Layout) -> Table | None:
    """One row an agent with several trials a task, in spec order; k is the same for all."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    k, agents = _agents(sliced)
    columns = (
        Column(key="agent", title="Agent", numeric=False),
        Column(key="tasks", title="Tasks"),
        Column(key="trials", title="Trials"),
        Column(key="pass_1", title="pass@1", unit="%"),
        Column(key="pass_k", title=f"pass^{k} (all of {k})", unit="%"),
        Column(key="pass_at_k", title=f"pass@{k} (any of {k})", unit="%"),
        Column(key="run_sd", title="SD between repeats", unit="points"),
    )
    return Table(
        id="repeats",
        title="Several trials of a task",
        layout=layout,
        columns=columns,
        rows=tuple(_row(agent, k) for agent in agents),
        notes=footer(sliced, [agent.which for agent in agents], Foot(more=_notes(k)), layout),
    )


def _notes(k: int) -> tuple[str, ...]:
    return (
        f"pass^{k}: the chance that all of {k} trials of a task pass; pass@{k}: that any of them does.",
        "Both are means over tasks of the share of the ways to take so many of a task's trials.",
        "SD between repeats: of the rates of the first trials, the second ones, and so on, on the same tasks.",
        "It is the noise of a single run, and not that of the choice of tasks.",
    )


def why_not(study: Study) -> str:
    """Some agent has to have two trials of a task that count."""
    _, agents = _agents(slices(study))
    return "" if agents else "no task was played twice under the reference condition"


def _agents(sliced: Slices) -> tuple[int, list[_Agent]]:
    """k, the most trials that every agent with repeats has of some task, and those agents."""
    found = []
    for agent in sliced.study.agents:
        which = sliced.reference(agent=agent)
        trials = sliced.select(which)
        scored = _scored(sliced.study, trials)
        if max((n for n, _ in scored.values()), default=0) > 1:
            found.append(_Agent(agent, which, scored, 0, trials))
    k = min((max(n for n, _ in agent.tasks.values()) for agent in found), default=1)
    return k, [_enough(agent, k) for agent in found]


def _enough(agent: _Agent, k: int) -> _Agent:
    tasks = {key: value for key, value in agent.tasks.items() if value[0] >= k}
    return agent._replace(tasks=tasks, short=len(agent.tasks) - len(tasks))


def _scored(study: Study, trials: Sequence[Trial]) -> Scored:
    """An errored or missing trial is in the denominator where trials are planned ones, and passed in no case."""
    counted = {"pass", "fail"} | ({"error", "missing"} if study.denominator == "planned" else set())
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for trial in trials:
        if trial.outcome in counted:
            key = (trial.scenario.id, trial.task)
            n, c = found.get(key, (0, 0))
            found[key] = (n + 1, c + (trial.outcome == "pass"))
    return dict(sorted(found.items()))


def _runs(trials: Sequence[Trial]) -> tuple[tuple[Fraction, ...], int]:
    """The rate of the first trials, of the second ones, and so on, and over how many tasks.

    Only tasks count of which every trial was decided: an error or a missing trial is no noise of the agent.
    """
    numbers = sorted({trial.trial for trial in trials})
    passed: dict[tuple[str, str], dict[int, int]] = {}
    for trial in trials:
        if trial.outcome in ("pass", "fail"):
            passed.setdefault((trial.scenario.id, trial.task), {})[trial.trial] = trial.outcome == "pass"
    whole = [one for one in passed.values() if len(one) == len(numbers)]
    if not whole:
        return (), 0
    return tuple(Fraction(sum(one[number] for one in whole), len(whole)) for number in numbers), len(whole)


def _row(agent: _Agent, k: int) -> tuple[Cell, ...]:
    short = (
        f"{plural(agent.short, 'task')} with fewer than {k} trials that count left out" if agent.short else ""
    )
    trials = sum(n for n, _ in agent.tasks.values())
    return (
        text_cell(agent.name, agent.which),
        number_cell(len(agent.tasks), agent.which, note=short),
        number_cell(trials, agent.which, note=", ".join(outcomes(count(agent.trials)))),
        _chance(agent, lambda n, c: Fraction(c, n)),
        _chance(agent, lambda n, c: pass_all(n, c, k)),
        _chance(agent, lambda n, c: pass_any(n, c, k)),
        _spread(agent),
    )


def _chance(agent: _Agent, of: Callable[[int, int], Fraction]) -> Cell:
    values = {key: of(n, c) for key, (n, c) in agent.tasks.items()}
    middle = mean(values.values())
    if middle is None:
        return empty("no task has so many trials")
    return Cell(
        text=percent(middle, 1),
        value=points(middle),
        interval=in_points(clustered(groups(values))),
        trials=(agent.which,),
    )


def _spread(agent: _Agent) -> Cell:
    rates, tasks = _runs(agent.trials)
    if len(rates) < 2:
        return empty("no task has two trials or more that are all decided")
    note = (
        f"over the {plural(tasks, 'task')} whose trials are all decided" if tasks < len(agent.tasks) else ""
    )
    return decimal_cell(stdev(points(rate) for rate in rates), 1, agent.which, note=note)
