"""ranks: how often each agent has which rank when scenarios are drawn anew. A picture, not a test."""

from __future__ import annotations

from fractions import Fraction

from replaylab.score.cells import decimal_cell, means_of, number_cell, points, text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import pairwise
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, slices
from replaylab.score.stats.bootstrap import Floats, rank_distribution
from replaylab.score.value import Cell, Column, Layout, Selector, Table


def build(study: Study, layout: Layout) -> Table | None:
    """Agents in rank order, with the share of resamples in which they have each rank."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    ranked = pairwise(sliced)
    shares = _shares(sliced, ranked.agents)
    behind = sliced.reference()
    rows = []
    for place, agent in enumerate(ranked.agents):
        own = [float(share) for share in shares[place]]
        middle = sum(Fraction(share) * rank for rank, share in enumerate(own, start=1))
        rows.append(
            (
                text_cell(agent, sliced.reference(agent=agent)),
                number_cell(ranked.ranks[agent], behind),
                decimal_cell(middle, 2, behind),
                *[_share(share, behind) for share in (own[0], *own)],
            )
        )
    rated = [sliced.reference(agent=agent) for agent in ranked.agents]
    more = [
        (
            "Shares of resamples by competition rank: ties share the best. They show how the order could have come out, and "
            "test nothing; the rank intervals of the overall table do."
        )
    ]
    return Table(
        id="ranks",
        title="Ranks when scenarios are drawn anew",
        layout=layout,
        columns=_columns(len(ranked.agents)),
        rows=tuple(rows),
        notes=footer(sliced, rated, Foot(drawn=True, more=more)),
    )


def why_not(study: Study) -> str:
    """Needs two agents to rank and two scenarios to draw from."""
    sliced = slices(study)
    ranked = pairwise(sliced)
    if len(ranked.agents) < 2:
        return "fewer than two agents have a rate under the reference condition"
    if len(_scenarios(sliced, ranked.agents)) < 2:
        return "one scenario alone: drawing scenarios anew changes nothing, so ranks are not testable"
    return ""


def _scenarios(sliced: Slices, agents: tuple[str, ...]) -> list[str]:
    wheres = [sliced.reference(agent=agent) for agent in agents]
    return sorted({trial.scenario.id for which in wheres for trial in sliced.select(which)})


def _shares(sliced: Slices, agents: tuple[str, ...]) -> Floats:
    """Agents x ranks, from passes and tasks by scenario."""
    scenarios = _scenarios(sliced, agents)
    k = [[Fraction(0)] * len(agents) for _ in scenarios]
    n = [[0] * len(agents) for _ in scenarios]
    for column, agent in enumerate(agents):
        for (scenario, _), value in means_of(sliced, sliced.reference(agent=agent)).items():
            line = scenarios.index(scenario)
            k[line][column] += value
            n[line][column] += 1
    passed = [[float(value) for value in line] for line in k]
    return rank_distribution(passed, n, sliced.study.draws, sliced.study.seed)


def _share(share: float, behind: Selector) -> Cell:
    return Cell(text=percent(Fraction(share), 1), value=points(share), trials=(behind,))


def _columns(agents: int) -> tuple[Column, ...]:
    return (
        Column(key="agent", title="Agent", numeric=False),
        Column(key="rank", title="Rank"),
        Column(key="mean_rank", title="Mean rank"),
        Column(key="p_first", title="First", unit="%"),
        *[Column(key=f"r{rank}", title=f"Rank {rank}", unit="%") for rank in range(1, agents + 1)],
    )
