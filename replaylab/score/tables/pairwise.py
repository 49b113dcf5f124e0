"""pairwise (T6): every pair of agents on the same tasks, after the question whether any differ at all."""

from __future__ import annotations

from replaylab.score.cells import text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import ALPHA, Foot, footer
from replaylab.score.pairs import (
    Compared,
    Pairwise,
    adjusted_cell,
    cochran_note,
    difference_cell,
    discordant_cell,
    family_of,
    mcnemar_cell,
    mid_p_cell,
    p_of,
    pairwise,
)
from replaylab.score.slices import slices
from replaylab.score.value import Cell, Column, Layout, Table

COLUMNS = (
    Column(key="a", title="Agent A", numeric=False),
    Column(key="b", title="Agent B", numeric=False),
    Column(key="difference", title="A - B", unit="points"),
    Column(key="p", title="p"),
    Column(key="p_holm", title="p (Holm)"),
    Column(key="mcnemar", title="McNemar exact p"),
    Column(key="mid_p", title="McNemar mid-p"),
    Column(key="discordant", title="A alone v B alone"),
    Column(key="supported", title="Supported", numeric=False),
)

NOTES = (
    "p: sign flips of scenario totals.",
    "McNemar takes tasks of one scenario for independent, so it stands beside and decides nothing.",
    f"Supported: adjusted p < {ALPHA}. Everything else is no claim, and no proof of equality either.",
)


def build(study: Study, layout: Layout) -> Table | None:
    """Pairs in the order of ranks, the better agent first."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    found = pairwise(sliced)
    foot = Foot(family=family_of(found.compared, "every pair of agents"), more=[cochran_note(found), *NOTES])
    rated = [sliced.reference(agent=agent) for agent in found.agents]
    return Table(
        id="pairwise",
        title="Agents compared pair by pair",
        layout=layout,
        columns=COLUMNS,
        rows=tuple(_row(found, one) for one in found.compared),
        notes=footer(sliced, rated, foot, layout),
    )


def why_not(study: Study) -> str:
    """Two agents have to have a rate under the reference condition."""
    agents = pairwise(slices(study)).agents
    if len(agents) > 1:
        return ""
    return (
        f"it takes two agents under the reference condition, and there is {agents[0] if agents else 'none'}"
    )


def _row(found: Pairwise, one: Compared) -> tuple[Cell, ...]:
    return (
        text_cell(one.a.agent, one.a),
        text_cell(one.b.agent, one.b),
        difference_cell(one),
        p_of(one),
        adjusted_cell(one),
        mcnemar_cell(one),
        mid_p_cell(one),
        discordant_cell(one),
        _supported(found, one),
    )


def _supported(found: Pairwise, one: Compared) -> Cell:
    """Whether "A is better than B" (or worse) can be said."""
    if one.adjusted is None:
        return Cell(text="not testable", value=None, note=one.why_not)
    if one.adjusted >= ALPHA:
        return Cell(text="no", value=False)
    all_alike = "Cochran Q shows no difference among all agents" if found.q_p >= ALPHA else ""
    return Cell(text="yes", value=True, note=all_alike)
