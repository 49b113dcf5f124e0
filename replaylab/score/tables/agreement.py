"""T4b: whether two simulators put the agents in the same order. The tie rule is named, for it decides the number."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import factorial
from typing import NamedTuple

from replaylab.score.cells import (
    TaskMeans,
    decimal_cell,
    empty,
    number_cell,
    p_cell,
    p_text,
    points,
    task_means,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import ALPHA, FEW_SCENARIOS, Foot, footer
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, slices
from replaylab.score.stats.agreement import Agreement, agreement, share_interval
from replaylab.score.stats.ranks import competition
from replaylab.score.tables.simulators import Rates, compared, rates_of, selector
from replaylab.score.value import Cell, Column, Interval, Layout, Selector, Table

COLUMNS = (
    Column(key="a", title="Simulator A", numeric=False),
    Column(key="b", title="Simulator B", numeric=False),
    Column(key="pairs", title="Pairs of agents"),
    Column(key="concordant", title="Same order"),
    Column(key="discordant", title="Other order"),
    Column(key="tied", title="Tied"),
    Column(key="agreement", title="Agreement", unit="%"),
    Column(key="half", title="Ties as half", unit="%"),
    Column(key="tau_b", title="Kendall tau-b"),
    Column(key="p", title="p"),
)
TIE_RULE = ("Tie rule: a pair of agents with equal rates under either simulator counts as disagreement.",)
HALF_AND_P = (
    "Ties as half: such a pair counts as half an agreement.",
    "p of tau-b, two-sided, by permutation of the agents; not adjusted for the number of simulators.",
)
PAPER = ("a", "b", "agreement")


class _Pair(NamedTuple):
    """Two simulators and the agents that played with both."""

    a: str
    b: str
    agents: tuple[str, ...]
    found: Agreement
    interval: Interval | None
    note: str


def build(study: Study, layout: Layout) -> Table | None:
    """One row a pair of simulators, over the agents that played with both of them."""
    if why_not(study):
        return None
    sliced = slices(study)
    names = compared(sliced)
    rates = rates_of(sliced, names)
    pairs = [pair for a, b in combinations(names, 2) if (pair := _pair(sliced, a, b, rates)).found.pairs]
    keep = [column for column in COLUMNS if layout == "full" or column.key in PAPER]
    rows = tuple(tuple(_row(sliced, pair, layout)[column.key] for column in keep) for pair in pairs)
    rated = list(dict.fromkeys(which for pair in pairs for which in _selectors(sliced, pair)))
    foot = Foot(
        declared=[f"{agent}|{name}" for pair in pairs for agent in pair.agents for name in (pair.a, pair.b)],
        drawn=layout == "full",
        more=TIE_RULE if layout == "paper" else (*TIE_RULE, *HALF_AND_P),
    )
    return Table(
        id="agreement",
        title="Agreement of simulators on the order of agents",
        layout=layout,
        columns=tuple(keep),
        rows=rows,
        notes=footer(sliced, rated, foot, layout),
    )


def why_not(study: Study) -> str:
    """Two agents have to have played with the same two simulators."""
    sliced = slices(study)
    names = compared(sliced)
    if len(names) < 2:
        return f"it takes two simulators under {study.judge} and {study.clean}, and there is {len(names) or 'none'}"
    rates = rates_of(sliced, names)
    for a, b in combinations(names, 2):
        if sum(all(rates[agent, name].value is not None for name in (a, b)) for agent in study.agents) > 1:
            return ""
    return "no two agents played with the same two simulators"


def _pair(sliced: Slices, a: str, b: str, rates: Rates) -> _Pair:
    """What two simulators say, the same in both layouts."""
    return sliced.kept(("agreement", a, b), lambda: _compared(sliced, a, b, rates))


def _compared(sliced: Slices, a: str, b: str, rates: Rates) -> _Pair:
    shared, apart = [], []
    for agent in sliced.study.agents:
        held = [rates[agent, name].value is not None for name in (a, b)]
        if all(held):
            shared.append(agent)
        elif any(held):
            apart.append(agent)
    # Ranks instead of rates: exact fractions decide what is tied, and no float takes part.
    scores = [
        [-rank for rank in competition([rates[one, name].value or 0 for one in shared])] for name in (a, b)
    ]
    found = agreement(scores[0], scores[1], sliced.study.seed)
    interval, note = _interval(sliced, (a, b), shared) if len(shared) > 1 else (None, "")
    only = f"played with one of the two alone: {', '.join(apart)}" if apart else ""
    return _Pair(a, b, tuple(shared), found, interval, "; ".join(part for part in (only, note) if part))


def _interval(sliced: Slices, names: tuple[str, str], agents: list[str]) -> tuple[Interval | None, str]:
    """Both simulators' scenarios drawn at once, over the tasks that all these agents have under both."""
    study = sliced.study
    means: dict[tuple[str, str], TaskMeans] = {
        (agent, name): task_means(sliced.select(selector(sliced, agent, name)), study.denominator)
        for agent in agents
        for name in names
    }
    every = sorted({key for one in means.values() for key in one})
    common = [key for key in every if all(key in one for one in means.values())]
    scenarios = list(dict.fromkeys(scenario for scenario, _ in common))
    if len(scenarios) < 2:
        return None, "no interval: fewer than two scenarios that all agents played with both"
    tables = []
    for name in names:
        sums = {scenario: [0.0] * len(agents) for scenario in scenarios}
        for key in common:
            for number, agent in enumerate(agents):
                sums[key[0]][number] += float(means[agent, name][key])
        tables.append(list(sums.values()))
    interval = share_interval(tables[0], tables[1], study.draws, study.seed)
    notes = [] if len(scenarios) >= FEW_SCENARIOS else [f"{len(scenarios)} scenarios are few: too narrow"]
    if len(common) < len(every):
        notes.append(f"over the {len(common)} of {len(every)} tasks that all agents played with both")
    scaled = interval.model_copy(update={"low": points(interval.low), "high": points(interval.high)})
    return scaled.model_copy(update={"note": "; ".join(notes)}), ""


def _selectors(sliced: Slices, pair: _Pair) -> tuple[Selector, ...]:
    return tuple(selector(sliced, agent, name) for name in (pair.a, pair.b) for agent in pair.agents)


def _row(sliced: Slices, pair: _Pair, layout: Layout) -> dict[str, Cell]:
    found, which = pair.found, _selectors(sliced, pair)
    return {
        "a": text_cell(pair.a),
        "b": text_cell(pair.b),
        "pairs": number_cell(found.pairs, *which, note=pair.note),
        "concordant": number_cell(found.concordant, *which),
        "discordant": number_cell(found.discordant, *which),
        "tied": number_cell(found.tied, *which),
        "agreement": _share(Fraction(found.concordant, found.pairs), which).model_copy(
            update={"interval": pair.interval if layout == "full" else None, "note": pair.note}
        ),
        "half": _share(Fraction(2 * found.concordant + found.tied, 2 * found.pairs), which),
        "tau_b": decimal_cell(found.tau_b, 3, *which, note=found.p_method),
        "p": _p(found, len(pair.agents)),
    }


def _share(share: Fraction, which: tuple[Selector, ...]) -> Cell:
    return Cell(text=percent(share, 1), value=points(share), trials=which)


def _p(found: Agreement, agents: int) -> Cell:
    """The p of tau-b, unless even the same order everywhere would be no news among so few agents."""
    if found.p is None:
        return empty(found.p_method)
    smallest = 2 / factorial(agents)
    if smallest > ALPHA:
        why = f"with {agents} agents the smallest attainable p is {p_text(smallest)}"
        return Cell(text="not testable", value=found.p, note=why)
    return p_cell(found.p, found.p_method)
