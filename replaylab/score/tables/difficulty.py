"""difficulty: how hard each industry was, over all agents. Which agents were averaged is written below."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from replaylab.score.cells import (
    Rate,
    by_value,
    declared_for,
    empty,
    mean,
    number_cell,
    plural,
    rate_cell,
    rate_of,
    share_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.industries import abbreviation, in_order
from replaylab.score.slices import Slices, extent, slices
from replaylab.score.tables.industries import descriptive_notes, industries_of, rates_of
from replaylab.score.value import Cell, Column, Layout, Selector, Table


class _Industry(NamedTuple):
    """`pooled` is over all trials of `agents`, `mean` the mean of their rates."""

    which: Selector
    agents: tuple[str, ...]
    pooled: Rate
    mean: Fraction | None
    declared: bool


def build(study: Study, layout: Layout) -> Table | None:
    """Industries by falling mean rate: the easiest first; ties by name."""
    if why_not(study):
        return None
    sliced = slices(study)
    names = industries_of(sliced)
    found = _found(sliced, names)
    order = by_value(in_order(names), {name: found[name].mean for name in names})
    full = layout == "full"
    rows = [_row(sliced, name, found[name], full=full) for name in order]
    keys = [("rate", "Pooled", "%")] if full else []
    keys += [("mean", "Mean of agents" if full else "Avg", "%")]
    keys += [(key, key.title(), "") for key in ("agents", "tasks", "scenarios")] if full else []
    return Table(
        id="difficulty",
        title="Difficulty by industry",
        layout=layout,
        columns=(
            Column(key="industry", title="Industry", numeric=False),
            *[Column(key=key, title=title, unit=unit) for key, title, unit in keys],
        ),
        rows=tuple(rows),
        notes=_notes(sliced, names, found, layout),
    )


def why_not(study: Study) -> str:
    """Needs an industry in which somebody was judged."""
    sliced = slices(study)
    found = _found(sliced, industries_of(sliced))
    if any(one.mean is not None for one in found.values()):
        return ""
    return f"no agent has a judged trial with {study.sim}, {study.judge} and {study.clean}"


def _found(sliced: Slices, names: Sequence[str]) -> dict[str, _Industry]:
    study, rates = sliced.study, rates_of(sliced, names)
    found = {}
    for name in names:
        key, which = abbreviation(name), sliced.reference(industry=name)
        agents = tuple(agent for agent in study.agents if rates[agent, name].value is not None)
        own = [rates[agent, name] for agent in agents]
        pooled = rate_of(study, sliced.select(which))
        declared = any(declared_for(study, agent, key) for agent in agents)
        if declared:
            passed, whole = sum(one.passed for one in own), sum(one.whole for one in own)
            pooled = pooled._replace(passed=passed, whole=whole, value=Fraction(passed, whole), interval=None)
        middle = mean(one.value for one in own if one.value is not None)
        found[name] = _Industry(which, agents, pooled, middle, declared)
    return found


def _row(sliced: Slices, name: str, found: _Industry, *, full: bool) -> tuple[Cell, ...]:
    label = text_cell(name, found.which)
    missing = [agent for agent in sliced.study.agents if agent not in found.agents]
    note = f"without {', '.join(missing)}" if missing else ""
    middle = (
        empty("no agent was judged") if found.mean is None else share_cell(found.mean, found.which, note=note)
    )
    if not full:
        return (label, middle)
    pooled = rate_cell(found.pooled, found.which)
    if found.declared:
        pooled = pooled.model_copy(
            update={
                "note": "; ".join([*filter(None, [pooled.note]), "declared denominators, so no interval"])
            }
        )
    size = extent(sliced.select(found.which))
    return (
        label,
        pooled,
        middle,
        number_cell(len(found.agents), found.which),
        number_cell(size.tasks, found.which),
        number_cell(size.scenarios, found.which),
    )


def _notes(
    sliced: Slices, names: Sequence[str], found: dict[str, _Industry], layout: Layout
) -> tuple[str, ...]:
    averaged = [agent for agent in sliced.study.agents if any(agent in one.agents for one in found.values())]
    more = [f"Averaged over {plural(len(averaged), 'agent')}: {', '.join(averaged)}."]
    if layout == "full":
        more.append(
            "Pooled: passed over all trials. Mean: mean of the agents' rates, by which the rows are sorted."
        )
        more += descriptive_notes(sliced, names)
    declared = [f"{agent}|{abbreviation(name)}" for agent in averaged for name in names]
    foot = Foot(declared=declared, compares=False, more=more)
    return footer(sliced, [sliced.reference(agent=agent) for agent in averaged], foot, layout)
