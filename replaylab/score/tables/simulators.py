"""T4: the agents under each simulator, with their ranks."""

from __future__ import annotations

from replaylab.score.cells import Rate, by_value, empty, mark_best, number_cell, rate, rate_cell, text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.slices import Slices, slices
from replaylab.score.stats.ranks import competition
from replaylab.score.value import Cell, Column, Layout, Selector, Table

Rates = dict[tuple[str, str], Rate]
"""Rates by (agent, simulator)."""


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by their rate under the reference simulator; an agent that a simulator never played with has no cell."""
    if why_not(study):
        return None
    sliced = slices(study)
    names = compared(sliced)
    rates = rates_of(sliced, names)
    first = study.sim if study.sim in names else names[0]
    order = by_value(study.agents, {agent: rates[agent, first].value for agent in study.agents})
    order = [agent for agent in order if any(rates[agent, name].counted.planned for name in names)]
    whole = [agent for agent in order if all(rates[agent, name].value is not None for name in names)]
    if whole:
        order = whole if layout == "paper" else [*whole, *(agent for agent in order if agent not in whole)]
    ranked = whole or order
    sides = [_side(sliced, name, order, rates, (layout, ranked)) for name in names]
    columns = [
        Column(key="agent", title="Model" if layout == "paper" else "Agent", numeric=False),
        *(column for name in names for column in _columns(name)),
    ]
    rows = tuple(
        (text_cell(agent, *_all(sliced, agent, names)), *(cell for side in sides for cell in side[number]))
        for number, agent in enumerate(order)
    )
    foot = Foot(
        declared=[f"{agent}|{name}" for agent in order for name in names],
        more=[
            f"Rows are in the order under {first}. CR: completion rate.",
            "Rk: competition rank among the agents that every simulator played with, else among its own; ties share it.",
        ],
    )
    rated = [selector(sliced, agent, name) for agent in order for name in names]
    return Table(
        id="simulators",
        title="Completion rate and rank under each simulator",
        layout=layout,
        columns=tuple(columns),
        rows=rows,
        notes=footer(sliced, rated, foot, layout),
    )


def why_not(study: Study) -> str:
    """Two simulators have to have played under the reference verifier and fault plan."""
    names = compared(slices(study))
    if len(names) > 1:
        return ""
    only = names[0] if names else "no simulator"
    return f"nothing to compare: {only} alone played with agents under {study.judge} and {study.clean}"


def compared(sliced: Slices) -> tuple[str, ...]:
    """The simulators with trials under the reference verifier and fault plan, in spec order."""
    return tuple(name for name in sliced.study.simulators if sliced.select(selector(sliced, "", name)))


def selector(sliced: Slices, agent: str, simulator: str) -> Selector:
    """An agent ("" for all) under a simulator, everything else as in the reference condition."""
    return sliced.reference(agent=agent, simulator=simulator)


def rates_of(sliced: Slices, simulators: tuple[str, ...]) -> Rates:
    """The rate of each agent under each simulator."""
    return {
        (agent, name): rate(sliced, selector(sliced, agent, name), name)
        for agent in sliced.study.agents
        for name in simulators
    }


def _all(sliced: Slices, agent: str, simulators: tuple[str, ...]) -> tuple[Selector, ...]:
    return tuple(selector(sliced, agent, name) for name in simulators)


def _columns(simulator: str) -> tuple[Column, Column]:
    return (
        Column(key=simulator, title=f"{simulator} CR", unit="%"),
        Column(key=f"{simulator}_rank", title=f"{simulator} Rk"),
    )


def _side(
    sliced: Slices, simulator: str, order: list[str], rates: Rates, how: tuple[Layout, list[str]]
) -> list[tuple[Cell, Cell]]:
    """The two cells of each agent under one simulator. `how` is the layout and who is ranked: the same everywhere."""
    layout, ranked = how
    found = {agent: rates[agent, simulator] for agent in order}
    where = {agent: selector(sliced, agent, simulator) for agent in order}
    shown = [rate_cell(found[agent], where[agent], layout=layout) for agent in order]
    values = {agent: value for agent in ranked if (value := found[agent].value) is not None}
    ranks = dict(zip(values, competition(list(values.values())), strict=True))
    peers = tuple(where[agent] for agent in values)
    return [
        (cell, number_cell(ranks[agent], *peers) if agent in ranks else empty(_unranked(found[agent])))
        for agent, cell in zip(order, mark_best(shown, [one.value for one in found.values()]), strict=True)
    ]


def _unranked(found: Rate) -> str:
    return (
        "no rank without a rate"
        if found.value is None
        else "not ranked: other simulators did not play with it"
    )
