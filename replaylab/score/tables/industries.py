"""industries (T2): completion rates of agents by industry, with the average over all tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from replaylab.score.cells import (
    ALL,
    Rate,
    by_value,
    empty,
    mark_best,
    mean,
    number_cell,
    p_text,
    plural,
    rate,
    rate_cell,
    share_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import ALPHA, Foot, footer
from replaylab.score.industries import abbreviation, in_order, title
from replaylab.score.slices import UNKNOWN, Slices, extent, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

Rates = Mapping[tuple[str, str], Rate]
"""By (agent, full name of the industry), or (agent, "") for all tasks."""


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by falling pooled rate, ties by name; in the full layout the macro mean and a row with numbers of tasks."""
    if why_not(study):
        return None
    sliced = slices(study)
    names = industries_of(sliced)
    found = rates_of(sliced, names)
    agents = by_value(study.agents, {agent: found[agent, ""].value for agent in study.agents})
    full = layout == "full"
    columns = [_average(sliced, agents, found, layout)]
    if full:
        columns.append([_macro(sliced, agent, names, found) for agent in agents])
    columns += [_column(sliced, agents, name, found, layout) for name in names]
    rows = [
        (text_cell(agent, sliced.reference(agent=agent)), *[column[number] for column in columns])
        for number, agent in enumerate(agents)
    ]
    if full:
        rows.append(_tasks(sliced, names))
    return Table(
        id="industries",
        title="Completion rate by agent and industry",
        layout=layout,
        columns=_columns(names, full=full),
        rows=tuple(rows),
        notes=_notes(sliced, agents, names, layout),
    )


def why_not(study: Study) -> str:
    """Needs a rated agent; one industry alone would repeat the overall table."""
    sliced = slices(study)
    if not any(rate(sliced, sliced.reference(agent=agent), ALL).value is not None for agent in study.agents):
        return f"no agent has a judged trial with {study.sim}, {study.judge} and {study.clean}"
    return ""


def industries_of(sliced: Slices) -> tuple[str, ...]:
    """The industries with tasks under the reference condition, in the order of tables."""
    return in_order(trial.scenario.industry for trial in sliced.select(sliced.reference()))


def rates_of(sliced: Slices, names: Sequence[str]) -> Rates:
    """The rate of every agent over all tasks and in every industry, under the reference condition."""
    found = {}
    for agent in sliced.study.agents:
        found[agent, ""] = rate(sliced, sliced.reference(agent=agent), ALL)
        for name in names:
            which = sliced.reference(agent=agent, industry=name)
            found[agent, name] = rate(sliced, which, abbreviation(name))
    return found


def column_keys(names: Sequence[str]) -> dict[str, str]:
    """The key of each industry's column: its abbreviation, or where another column has that, something longer."""
    keys: dict[str, str] = {}
    for name in names:
        key = abbreviation(name)
        taken = key in ("agent", "avg", "macro") or key in keys.values()
        keys[name] = f"industry {name}" if taken else key
    return keys


def _columns(names: Sequence[str], *, full: bool) -> tuple[Column, ...]:
    macro = [Column(key="macro", title="Macro", unit="%")] if full else []
    return (
        Column(key="agent", title="Agent" if full else "Model", numeric=False),
        Column(key="avg", title="Avg", unit="%"),
        *macro,
        *[Column(key=key, title=title(name), unit="%") for name, key in column_keys(names).items()],
    )


def _average(sliced: Slices, agents: Sequence[str], found: Rates, layout: Layout) -> list[Cell]:
    cells = [rate_cell(found[agent, ""], sliced.reference(agent=agent), 1, layout) for agent in agents]
    return mark_best(cells, [found[agent, ""].value for agent in agents])


def _column(sliced: Slices, agents: Sequence[str], name: str, found: Rates, layout: Layout) -> list[Cell]:
    digits = 1 if layout == "full" else 0
    cells = [
        rate_cell(found[agent, name], sliced.reference(agent=agent, industry=name), digits, layout)
        for agent in agents
    ]
    return mark_best(cells, [found[agent, name].value for agent in agents])


def _macro(sliced: Slices, agent: str, names: Sequence[str], found: Rates) -> Cell:
    """The mean of the industries' rates: a small industry weighs as much as a large one."""
    known = [name for name in names if name != UNKNOWN]
    values: list[Fraction] = [value for name in known if (value := found[agent, name].value) is not None]
    if not values:
        return empty("no judged trials of a known industry")
    remarks = [f"mean of {len(values)} of {len(known)} industries"] if len(values) < len(known) else []
    if UNKNOWN in names and (lost := found[agent, UNKNOWN].counted.planned):
        remarks.append(f"without {plural(lost, 'trial')} of no known industry")
    return share_cell(mean(values), sliced.reference(agent=agent), note="; ".join(remarks))


def _tasks(sliced: Slices, names: Sequence[str]) -> tuple[Cell, ...]:
    def tasks(which: Selector) -> Cell:
        return number_cell(extent(sliced.select(which)).tasks, which)

    everything = sliced.reference()
    return (
        text_cell("tasks", everything),
        tasks(everything),
        Cell(text=""),
        *[tasks(sliced.reference(industry=name)) for name in names],
    )


def _notes(sliced: Slices, agents: Sequence[str], names: Sequence[str], layout: Layout) -> tuple[str, ...]:
    more = ["Avg: passed over all tasks, so that an industry weighs by its number of tasks."]
    if layout == "full":
        more += ["Macro: mean of the industries' rates.", *descriptive_notes(sliced, names)]
    columns = [ALL, *map(abbreviation, names)]
    foot = Foot(declared=[f"{agent}|{column}" for agent in agents for column in columns], more=more)
    return footer(sliced, [sliced.reference(agent=agent) for agent in agents], foot, layout)


def descriptive_notes(sliced: Slices, names: Sequence[str]) -> list[str]:
    """What industry slices are too small for."""
    notes = ["Industries are descriptive: no test is made agent by agent within one."]
    small = []
    for name in names:
        scenarios = extent(sliced.select(sliced.reference(industry=name))).scenarios
        least = min(2.0 ** (1 - scenarios), 1.0)
        if least > ALPHA:
            small.append(f"{title(name)} ({plural(scenarios, 'scenario')}, p >= {p_text(least)})")
    if small:
        notes.append(f"Not testable, too few scenarios for any p below {ALPHA}: {', '.join(small)}.")
    return notes
