"""fault_ablation (T5): more faults, and faults that last longer, everything else alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.score.cells import (
    ALL,
    Rate,
    by_value,
    empty,
    fraction_cell,
    number_cell,
    plural,
    rate,
    rate_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import Compared, adjust, adjusted_cell, compare, difference_cell, family_of, p_of
from replaylab.score.series import Axis, fault_axes, same_plans
from replaylab.score.slices import Slices, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="plan", title="Fault plan", numeric=False),
    Column(key="axis", title="Axis", numeric=False),
    Column(key="count", title="Faults"),
    Column(key="duration", title="Duration", unit="calls"),
    Column(key="k_n", title="Passed"),
    Column(key="rate", title="Rate", unit="%"),
    Column(key="difference", title="Against the first", unit="points"),
    Column(key="p", title="p"),
    Column(key="p_holm", title="p (Holm)"),
)
PAPER = ("agent", "plan", "axis", "count", "duration", "rate")


class _Point(NamedTuple):
    """An agent under a plan of an axis. `compared` is it minus the axis' first plan that the agent has."""

    axis: Axis
    agent: str
    plan: str
    which: Selector
    rate: Rate
    compared: Compared | None


def build(study: Study, layout: Layout) -> Table | None:
    """By axis, agents by their rate under the reference condition, and their plans by rising count or duration."""
    if why_not(study):
        return None
    sliced = slices(study)
    points = _points(sliced)
    compared = adjust([point.compared for point in points if point.compared])
    adjusted = iter(compared)
    points = [point._replace(compared=next(adjusted)) if point.compared else point for point in points]
    columns = [column for column in COLUMNS if layout == "full" or column.key in PAPER]
    flags = _flags(sliced)
    rows = tuple(
        tuple(_cells(sliced, point, flags, layout)[column.key] for column in columns) for point in points
    )
    foot = Foot(
        declared=[f"{point.agent}|{point.plan}" for point in points],
        family=family_of(compared, "each plan against the first of its axis") if layout == "full" else None,
        more=[*flags.values(), *_alone(sliced)],
    )
    return Table(
        id="fault_ablation",
        title="Fault count and duration",
        layout=layout,
        columns=tuple(columns),
        rows=rows,
        notes=footer(sliced, list(dict.fromkeys(point.which for point in points)), foot, layout),
    )


def why_not(study: Study) -> str:
    """Some agent has to have played under two plans that differ in count or in duration alone."""
    axes = fault_axes(study.faults)
    if not axes:
        return "no two fault plans differ in the number of faults alone, or in their duration alone"
    sliced = slices(study)
    if any(_agents(sliced, axis) for axis in axes):
        return ""
    return f"no agent played under two plans of {', '.join('/'.join(axis.plans) for axis in axes)}"


def _selector(sliced: Slices, agent: str, plan: str) -> Selector:
    return sliced.reference(agent=agent, faults=plan)


def _played(sliced: Slices, axis: Axis, agent: str) -> list[str]:
    return [plan for plan in axis.plans if sliced.select(_selector(sliced, agent, plan))]


def _agents(sliced: Slices, axis: Axis) -> list[str]:
    """The agents with two plans of the axis or more, best first under the reference condition."""
    values = {agent: rate(sliced, sliced.reference(agent=agent), ALL).value for agent in sliced.study.agents}
    return [agent for agent in by_value(values, values) if len(_played(sliced, axis, agent)) > 1]


def _points(sliced: Slices) -> list[_Point]:
    return [
        point
        for axis in fault_axes(sliced.study.faults)
        for agent in _agents(sliced, axis)
        for point in _along(sliced, axis, agent)
    ]


def _along(sliced: Slices, axis: Axis, agent: str) -> Iterator[_Point]:
    """A plan that the agent lacks stands there without a number."""
    first = _played(sliced, axis, agent)[0]
    for plan in axis.plans:
        which = _selector(sliced, agent, plan)
        found = rate(sliced, which, plan)
        compares = plan != first and found.value is not None
        compared = compare(sliced, which, _selector(sliced, agent, first)) if compares else None
        yield _Point(axis, agent, plan, which, found, compared)


def _alone(sliced: Slices) -> list[str]:
    """The agents that have one plan of an axis only, and so are not in the table."""
    notes = []
    for axis in fault_axes(sliced.study.faults):
        alone = [agent for agent in sliced.study.agents if len(_played(sliced, axis, agent)) == 1]
        if alone:
            notes.append(
                f"With one plan of the axis only ({axis.axis}), and so not shown: {', '.join(alone)}."
            )
    return notes


def _flags(sliced: Slices) -> dict[str, str]:
    """What is wrong with plans of an axis, by name."""
    found: dict[str, list[str]] = {}
    for axis in fault_axes(sliced.study.faults):
        runs = {plan: names for plan in axis.plans if (names := _runs(sliced, plan))}
        for plan in runs:
            told = found.setdefault(plan, [])
            told += [flag for flag in _odd(sliced, plan, runs) if flag not in told]
    return {plan: " ".join(told) for plan, told in found.items() if told}


def _odd(sliced: Slices, plan: str, runs: dict[str, set[str]]) -> Iterator[str]:
    """A condition that was run twice, one that was not run together with its axis, and one of mixed settings."""
    again = [other for other in same_plans(sliced.study.faults, plan) if other in runs]
    if again:
        yield f"{plan} and {', '.join(again)} are one condition, run again: they differ by chance alone."
    elif len(runs) > 1 and all(runs[plan].isdisjoint(runs[other]) for other in runs if other != plan):
        yield (
            f"{plan} is of another run ({', '.join(sorted(runs[plan]))}) than the other plans of its axis: whatever else "
            "differs between the runs is in the difference."
        )
    wanted = sliced.study.faults[plan]
    other = sum(
        trial.facts is not None and trial.facts.faults.model_copy(update={"name": plan}) != wanted
        for trial in sliced.select(_selector(sliced, "", plan))
    )
    if other:
        yield f"{plan}: {plural(other, 'trial')} recorded with other settings of the plan than those shown."


def _runs(sliced: Slices, plan: str) -> set[str]:
    """The names of the runs that its trials are of."""
    names = {one.run: one.name for one in sliced.study.runs}
    return {names.get(trial.run, trial.run) for trial in sliced.select(_selector(sliced, "", plan))}


def _cells(sliced: Slices, point: _Point, flags: dict[str, str], layout: Layout) -> dict[str, Cell]:
    plan = sliced.study.faults[point.plan]
    first = _played(sliced, point.axis, point.agent)[0]
    why = "the first of its axis" if point.plan == first else "no rate to compare"
    return {
        "agent": text_cell(point.agent, point.which),
        "plan": text_cell(point.plan, point.which).model_copy(update={"note": flags.get(point.plan, "")}),
        "axis": text_cell(point.axis.axis),
        "count": number_cell(plan.count),
        "duration": number_cell(plan.duration),
        "k_n": fraction_cell(point.rate, point.which),
        "rate": rate_cell(point.rate, point.which, layout=layout),
        "difference": difference_cell(point.compared) if point.compared else empty(why),
        "p": p_of(point.compared) if point.compared else empty(why),
        "p_holm": adjusted_cell(point.compared) if point.compared else empty(why),
    }
