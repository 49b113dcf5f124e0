"""fault_effects: what each fault plan costs each agent, task by task, and whether E2 is harder than E3."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.score.cells import empty, text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import (
    Compared,
    adjust,
    adjusted_cell,
    compare,
    difference_cell,
    discordant_cell,
    family_of,
    mcnemar_cell,
    p_of,
    testable_cell,
)
from replaylab.score.slices import Slices, slices
from replaylab.score.tables import faults
from replaylab.score.value import Cell, Column, Layout, Table

_COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="pair", title="Pair", numeric=False),
    Column(key="difference", title="Difference", unit="points"),
    Column(key="p", title="p"),
    Column(key="p_holm", title="p (Holm)"),
    Column(key="mcnemar", title="McNemar p"),
    Column(key="discordant", title="Discordant"),
    Column(key="testable", title="Testable", numeric=False),
)


def build(study: Study, layout: Layout) -> Table | None:
    """Agents in spec order, each with the clean plan against the others and with E3 against E2."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    named = [(agent, pair) for agent in study.agents for pair in pairs_of(study)]
    compared = adjust([_compare(sliced, agent, pair) for agent, pair in named])
    rows = [_row(sliced, agent, pair, one) for (agent, pair), one in zip(named, compared, strict=True)]
    played = [one for one in compared if one.found is not None]
    rated = dict.fromkeys(side for one in played for side in (one.a, one.b))
    foot = Foot(
        family=family_of(played, "every agent and pair of plans in this table"), each="plans", more=_notes()
    )
    return Table(
        id="fault_effects",
        title="What faults cost, on the same tasks",
        layout=layout,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=footer(sliced, list(rated), foot),
    )


def why_not(study: Study) -> str:
    """Needs what the table of fault plans needs, and an agent that played one task under two plans."""
    missing = faults.why_not(study)
    if missing:
        return missing
    sliced = slices(study)
    if any(_compare(sliced, agent, pair).tasks for agent in study.agents for pair in pairs_of(study)):
        return ""
    return "no agent has the same task under two fault plans"


def pairs_of(study: Study) -> tuple[tuple[str, str], ...]:
    """The clean plan and each other one that has trials, in spec order; then E3 and E2 where there are both."""
    plans = faults.plans_of(study, "full")
    others = [plan for plan in plans.shown if plan != plans.clean]
    mixed = [("E3", "E2")] if {"E3", "E2"} <= set(others) else []
    return (*[(plans.clean, plan) for plan in others], *mixed)


def _compare(sliced: Slices, agent: str, pair: tuple[str, str]) -> Compared:
    first, second = (sliced.reference(agent=agent, faults=plan) for plan in pair)
    return compare(sliced, first, second)


def _row(sliced: Slices, agent: str, pair: tuple[str, str], one: Compared) -> tuple[Cell, ...]:
    names = (
        text_cell(agent, sliced.reference(agent=agent, faults="")),
        text_cell("-".join(pair), one.a, one.b),
    )
    absent = [plan for plan, side in zip(pair, (one.a, one.b), strict=True) if not sliced.select(side)]
    if absent:
        return (*names, *[empty(f"no trials under {', '.join(absent)}") for _ in _COLUMNS[2:]])
    return (
        *names,
        difference_cell(one),
        p_of(one),
        adjusted_cell(one),
        mcnemar_cell(one),
        discordant_cell(one),
        testable_cell(one),
    )


def _notes() -> Sequence[str]:
    return (
        (
            "Difference: first minus second plan, in points; above 0 the second is harder. p: sign flips of scenarios. "
            "McNemar: exact, and blind to scenarios. Discordant: tasks that went better under the first v under the second."
        ),
    )
