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
    sides = [_side(sliced, name, order, rates, layout) for name in names]
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
            "Rk: competition rank among the agents that the simulator played with; ties share the best rank.",
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
    sliced: Slices, simulator: str, order: list[str], rates: Rates, layout: Layout
) -> list[tuple[Cell, Cell]]:
    """The two cells of each agent under one simulator."""
    found = [rates[agent, simulator] for agent in order]
    where = [selector(sliced, agent, simulator) for agent in order]
    shown = [rate_cell(one, which, layout=layout) for one, which in zip(found, where, strict=True)]
    ranks = iter(competition([one.value for one in found if one.value is not None]))
    peers = tuple(which for one, which in zip(found, where, strict=True) if one.value is not None)
    return [
        (cell, empty("no rank without a rate") if one.value is None else number_cell(next(ranks), *peers))
        for cell, one in zip(mark_best(shown, [one.value for one in found]), found, strict=True)
    ]
