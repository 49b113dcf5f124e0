"""Two slices on the same tasks, many such pairs in one family, and the cells that show them. Pure.

The test is the sign flip of scenarios; McNemar stands beside it and ignores scenarios.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations
from math import log2
from typing import NamedTuple

from replaylab.score.cells import (
    by_value,
    empty,
    groups,
    in_points,
    mean,
    means_of,
    p_cell,
    p_text,
    points,
    rate,
)
from replaylab.score.footer import ALPHA, FEWEST, Family
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices
from replaylab.score.stats.many import holm
from replaylab.score.stats.omnibus import cochran_q
from replaylab.score.stats.paired import Paired, paired
from replaylab.score.stats.ranks import competition, rank_intervals
from replaylab.score.value import Cell, Selector


class Compared(NamedTuple):
    """First minus second over the `tasks` that both have; `alone` are tasks that only one of them has.

    `found` is None without a task in common. `adjusted` is set by `adjust`, and only where the pair is testable.
    """

    a: Selector
    b: Selector
    tasks: int
    scenarios: int
    alone: int
    difference: Fraction | None
    found: Paired | None
    adjusted: float | None = None

    @property
    def testable(self) -> bool:
        return self.found is not None and self.found.testable

    @property
    def why_not(self) -> str:
        """Why it is not testable, "" where it is."""
        if self.found is None:
            return "no task in common"
        if self.found.testable:
            return ""
        least, few = self.found.smallest_p, 1 - round(log2(self.found.smallest_p))
        differ = "at most 1 scenario differs" if few == 1 else f"only {few} scenarios differ"
        return f"{differ} of {self.scenarios}: smallest attainable p {p_text(least)}; {FEWEST} would have to"


class Pairwise(NamedTuple):
    """All pairs of agents under the reference condition. `agents` are those with a rate, best first, ties by name.

    `q` and `q_p` are Cochran's over the `tasks` that all of them have. `ranks` are competition ranks, `intervals` the
    ranks that each may have after Holm.
    """

    agents: tuple[str, ...]
    compared: tuple[Compared, ...]
    tasks: int
    q: float
    q_p: float
    ranks: dict[str, int]
    intervals: dict[str, tuple[int, int]]


def compare(slices: Slices, a: Selector, b: Selector) -> Compared:
    """Compares two slices, task by task; each task's trials are averaged first."""
    return slices.kept(("compare", a, b), lambda: _compare(slices, a, b))


def _compare(slices: Slices, a: Selector, b: Selector) -> Compared:
    left, right = means_of(slices, a), means_of(slices, b)
    shared = [key for key in left if key in right]
    mine, theirs = ({key: side[key] for key in shared} for side in (left, right))
    alone = len(left) + len(right) - 2 * len(shared)
    scenarios = len({scenario for scenario, _ in shared})
    if not shared:
        return Compared(a, b, 0, 0, alone, None, None)
    difference = mean(mine[key] - theirs[key] for key in shared)
    found = paired(groups(mine), groups(theirs), slices.study.seed)
    return Compared(a, b, len(shared), scenarios, alone, difference, found)


def adjust(compared: Sequence[Compared]) -> tuple[Compared, ...]:
    """The pairs with p adjusted by Holm over those that are testable: no outcome of the others could count."""
    tested = [one.found.p for one in compared if one.found is not None and one.testable]
    adjusted = iter(holm(tested))
    return tuple(one._replace(adjusted=next(adjusted)) if one.testable else one for one in compared)


def family_of(compared: Sequence[Compared], of: str) -> Family:
    """What the footer says of these tests."""
    tests = sum(one.testable for one in compared)
    return Family(tests=tests, of=of, untestable=len(compared) - tests)


def pairwise(slices: Slices) -> Pairwise:
    """Every pair of agents, in rank order, under the reference condition."""
    return slices.kept("pairwise", lambda: _pairwise(slices))


def _pairwise(slices: Slices) -> Pairwise:
    study = slices.study
    where = {agent: slices.reference(agent=agent) for agent in study.agents}
    values = {agent: rate(slices, which, "all").value for agent, which in where.items()}
    agents = [agent for agent in by_value(values, values) if values[agent] is not None]
    names = list(combinations(agents, 2))
    compared = adjust([compare(slices, where[a], where[b]) for a, b in names])
    decided = {
        pair: (one.found.difference, one.adjusted)
        for pair, one in zip(names, compared, strict=True)
        if one.found is not None and one.adjusted is not None
    }
    sides = [means_of(slices, where[agent]) for agent in agents]
    shared = [key for key in sides[0] if all(key in side for side in sides)] if sides else []
    q, q_p = cochran_q([[float(side[key]) for side in sides] for key in shared])
    ranks = competition([value for agent in agents if (value := values[agent]) is not None])
    return Pairwise(
        agents=tuple(agents),
        compared=compared,
        tasks=len(shared),
        q=q,
        q_p=q_p,
        ranks=dict(zip(agents, ranks, strict=True)),
        intervals=rank_intervals(agents, decided, ALPHA),
    )


def cochran_note(found: Pairwise) -> str:
    """The omnibus test that stands before any pair."""
    if len(found.agents) < 2 or not found.tasks:
        return "Cochran Q: nothing to compare."
    verdict = "they differ" if found.q_p <= ALPHA else "no difference shown, so read no pair as one"
    return (
        f"Cochran Q of {len(found.agents)} agents on the {found.tasks} tasks that all have: {found.q:.4g}, "
        f"p = {p_text(found.q_p)} ({verdict}; clusters ignored)."
    )


def difference_cell(one: Compared, digits: int = 1) -> Cell:
    """First minus second in points, with its interval."""
    if one.found is None or one.difference is None:
        return empty(one.why_not)
    remarks = (
        [f"over the {one.tasks} tasks that both have; {one.alone} that only one has left out"]
        if one.alone
        else []
    )
    if one.found.interval.note:
        remarks.append(f"interval: {one.found.interval.note}")
    return Cell(
        text=percent(one.difference, digits),
        value=points(one.difference),
        interval=in_points(one.found.interval),
        trials=(one.a, one.b),
        note="; ".join(remarks),
    )


def p_of(one: Compared) -> Cell:
    """The p of the sign flips, or that there can be none."""
    if one.found is None or not one.testable:
        return _not_testable(one)
    note = "exact" if one.found.exact else "sign vectors drawn"
    return p_cell(one.found.p, note)


def adjusted_cell(one: Compared) -> Cell:
    """The p adjusted by Holm."""
    return _not_testable(one) if one.adjusted is None else p_cell(one.adjusted)


def mcnemar_cell(one: Compared) -> Cell:
    """McNemar's exact p."""
    return empty(one.why_not) if one.found is None else p_cell(one.found.mcnemar.exact, "scenarios ignored")


def mid_p_cell(one: Compared) -> Cell:
    """McNemar's mid-p."""
    return empty(one.why_not) if one.found is None else p_cell(one.found.mcnemar.mid, "scenarios ignored")


def discordant_cell(one: Compared) -> Cell:
    """The tasks that one side does better than the other: "12 v 5"."""
    if one.found is None:
        return empty(one.why_not)
    text = f"{one.found.only_a} v {one.found.only_b}"
    return Cell(text=text, value=one.found.only_a + one.found.only_b, trials=(one.a, one.b))


def testable_cell(one: Compared) -> Cell:
    """Whether any outcome could have reached p = 0.05."""
    return Cell(text="yes" if one.testable else "not testable", value=one.testable, note=one.why_not)


def _not_testable(one: Compared) -> Cell:
    return Cell(text="not testable", note=one.why_not)
