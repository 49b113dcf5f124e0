"""overall: the completion rate of each agent under the reference condition, and the ranks that it may have."""

from __future__ import annotations

from replaylab.score.cells import (
    ALL,
    Rate,
    by_value,
    empty,
    fraction_cell,
    mark_best,
    number_cell,
    outcomes,
    rate,
    rate_cell,
    share_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import Pairwise, cochran_note, family_of, pairwise
from replaylab.score.slices import Slices, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

_COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="k_n", title="Passed"),
    Column(key="rate", title="Rate", unit="%"),
    Column(key="rank", title="Rank"),
    Column(key="rank_interval", title="Rank interval"),
    Column(key="error", title="Error"),
    Column(key="missing", title="Missing"),
    Column(key="worst", title="Worst case", unit="%"),
    Column(key="best", title="Best case", unit="%"),
)


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by falling rate, ties by name; one without a trial under the condition comes last, with empty cells."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    where = {agent: sliced.reference(agent=agent) for agent in study.agents}
    found = {agent: rate(sliced, which, ALL) for agent, which in where.items()}
    names = by_value(found, {agent: one.value for agent, one in found.items()})
    ranked = pairwise(sliced)
    rates = mark_best(
        [rate_cell(found[name], where[name]) for name in names], [found[name].value for name in names]
    )
    rows = [
        (
            text_cell(name, where[name]),
            fraction_cell(found[name], where[name]),
            cell,
            *_ranks(ranked, name, sliced),
            *_apart(found[name], where[name]),
        )
        for name, cell in zip(names, rates, strict=True)
    ]
    foot = Foot(
        declared=[f"{name}|{ALL}" for name in names],
        family=family_of(ranked.compared, "every pair of agents") if ranked.compared else None,
        more=_notes(ranked),
    )
    return Table(
        id="overall",
        title="Completion rate by agent",
        layout=layout,
        columns=_COLUMNS,
        rows=tuple(rows),
        notes=footer(sliced, list(where.values()), foot),
    )


def why_not(study: Study) -> str:
    """Needs one agent with a rate under the reference condition."""
    if pairwise(slices(study)).agents:
        return ""
    return f"no agent has a judged trial with {study.sim}, {study.judge} and {study.clean}"


def _ranks(ranked: Pairwise, name: str, sliced: Slices) -> tuple[Cell, Cell]:
    if name not in ranked.ranks:
        return empty("no rate, so no rank"), empty("no rate, so no rank")
    low, high = ranked.intervals[name]
    behind = sliced.reference()
    text = str(low) if low == high else f"{low}–{high}"
    return (
        number_cell(ranked.ranks[name], behind),
        Cell(text=text, value=[low, high], trials=(behind,)),
    )


def _apart(found: Rate, which: Selector) -> list[Cell]:
    """What is neither passed nor failed, and what it could change."""
    if found.worst is None:
        return [empty("; ".join(outcomes(found.counted)) or "no trials") for _ in range(4)]
    return [
        number_cell(found.counted.error, which.model_copy(update={"outcome": "error"})),
        number_cell(found.counted.missing, which.model_copy(update={"outcome": "missing"})),
        share_cell(found.worst, which),
        share_cell(found.best, which),
    ]


def _notes(ranked: Pairwise) -> list[str]:
    agents = len(ranked.agents)
    if agents < 2:
        return ["One agent: there is nothing to rank."]
    return [
        cochran_note(ranked),
        (
            "Rank: competition ranks, ties share the best. Rank interval: 1 + agents significantly better, to "
            f"{agents} - agents significantly worse (sign flips of scenarios, Holm, 5 %)."
        ),
    ]
