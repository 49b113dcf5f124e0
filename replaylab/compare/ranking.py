"""Which simulator keeps its contract best, as far as that can be known: ranks over the tasks that two simulators share.

A rank stands on the calls that could be checked. Too few of them, or too few scenarios, and there is none. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from replaylab.compare.cards import By, Card, Who, card, copied, grouped, names_of, violating
from replaylab.compare.reading import Answered
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Evidence
from replaylab.score.footer import ALPHA, FEWEST
from replaylab.score.money import Prices
from replaylab.score.stats.many import holm
from replaylab.score.stats.paired import Paired, paired
from replaylab.score.stats.ranks import competition, rank_intervals
from replaylab.score.value import Interval

LEAST_CALLS = 30  # where none of fewer breaks the contract, one in ten still may
LEAST_SHARE = Fraction(1, 20)  # of its calls; what stands in all the others is not known
LEAST_SCENARIOS = 2  # a single one says nothing of how much another may differ
SEED = 1


class Held(Frozen):
    """Two simulators on the tasks that both were asked in: the first one's share of breaking calls minus the second's.

    The share of a task is that of its calls, and each task counts once. `p` is of sign flips of scenarios, `adjusted`
    by Holm over the pairs that are testable; None where no outcome could have reached 0.05.
    """

    a: str
    b: str
    evidence: Evidence
    tasks: int
    scenarios: int
    alone: int
    difference: float | None = None
    interval: Interval | None = None
    p: float | None = None
    adjusted: float | None = None
    testable: bool = False
    why_not: str = ""


class Ranking(Frozen):
    """The cards, best first within each kind of evidence, and every pair of those that have a rank."""

    cards: tuple[Card, ...]
    pairs: tuple[Held, ...]
    copied: int = 0


def rank(answers: Sequence[Answered], prices: Prices | None = None) -> Ranking:
    """Rank the simulators of these trials. Nothing depends on the order of the trials."""
    groups = grouped(answers)
    names = names_of(groups)
    cards: list[Card] = []
    pairs: list[Held] = []
    for evidence in dict.fromkeys(who[0] for who in groups):
        mine = {who: trials for who, trials in groups.items() if who[0] == evidence}
        made = {who: card(names[who], trials, prices or {}) for who, trials in mine.items()}
        compared = _pairs(mine, made)
        cards += _ranked(list(made.values()), compared)
        pairs += compared
    return Ranking(cards=tuple(cards), pairs=tuple(pairs), copied=copied(answers))


def why_unranked(one: Card) -> str:
    """Why a simulator can't be ranked, "" where it can."""
    if not one.calls:
        return "it answered no call"
    if not one.checkable:
        return f"none of its {one.calls} calls could be checked, so finding nothing says nothing"
    if one.checkable < LEAST_CALLS:
        return f"{one.checkable} of its {one.calls} calls could be checked, and a rank needs {LEAST_CALLS}"
    if Fraction(one.checkable, one.calls) < LEAST_SHARE:
        return f"{one.checkable} of its {one.calls} calls could be checked, and a rank needs one in {1 / LEAST_SHARE}"
    if one.share.scenarios < LEAST_SCENARIOS:
        return "its checked calls are all of one scenario, and a rank needs two"
    return ""


def _ranked(cards: Sequence[Card], compared: Sequence[Held]) -> list[Card]:
    unranked = {one.name: why_unranked(one) for one in cards}
    able = [one for one in cards if not unranked[one.name]]
    ranks = competition([one.share.value or Fraction(0) for one in able], high_first=False)
    # A rank interval takes the greater for the better, and here the lesser is.
    decided = {
        (one.a, one.b): (-one.difference, one.adjusted)
        for one in compared
        if one.difference is not None and one.adjusted is not None
    }
    bounds = rank_intervals([one.name for one in able], decided, ALPHA)
    first = [
        one.model_copy(update={"rank": place, "ranks": bounds[one.name]})
        for one, place in zip(able, ranks, strict=True)
    ]
    rest = [one.model_copy(update={"unranked": unranked[one.name]}) for one in cards if unranked[one.name]]
    return [
        *sorted(first, key=lambda one: (one.rank or 0, one.name)),
        *sorted(rest, key=lambda one: one.name),
    ]


def _pairs(groups: Mapping[Who, Sequence[Answered]], made: Mapping[Who, Card]) -> list[Held]:
    able = [who for who in groups if not why_unranked(made[who])]
    tasks = {who: violating(groups[who], by_task=True) for who in able}
    found = [_pair(made[a], made[b], tasks[a], tasks[b]) for a, b in combinations(able, 2)]
    tested = [one.p for one in found if one.testable and one.p is not None]
    adjusted = iter(holm(tested))
    return [one.model_copy(update={"adjusted": next(adjusted)}) if one.testable else one for one in found]


def _pair(a: Card, b: Card, mine: By, theirs: By) -> Held:
    first, second = ({task for task, (_, n) in one.items() if n} for one in (mine, theirs))
    shared = sorted(first & second)
    values = {"a": a.name, "b": b.name, "evidence": a.evidence, "tasks": len(shared)}
    scenarios = len({task[0] for task in shared})
    alone = len(first ^ second)
    if not shared:
        why = "no task in which both have a call that could be checked"
        return Held.model_validate(values | {"scenarios": 0, "alone": alone, "why_not": why})
    found = paired(_groups(mine, shared), _groups(theirs, shared), SEED)
    difference = sum(Fraction(*mine[task]) - Fraction(*theirs[task]) for task in shared) / len(shared)
    return Held.model_validate(
        values
        | {
            "scenarios": scenarios,
            "alone": alone,
            "difference": float(difference),
            "interval": found.interval,
            "p": found.p if found.testable else None,
            "testable": found.testable,
            "why_not": _why_not(found, scenarios),
        }
    )


def _groups(by_task: By, tasks: Sequence[tuple[str, ...]]) -> list[list[float]]:
    found: dict[str, list[float]] = {}
    for task in tasks:
        k, n = by_task[task]
        found.setdefault(task[0], []).append(k / n)
    return list(found.values())


def _why_not(found: Paired, scenarios: int) -> str:
    if found.testable:
        return ""
    return (
        f"they differ in too few of the {scenarios} scenarios that both have: the smallest attainable p is "
        f"{found.smallest_p:.3g}, and {FEWEST} scenarios would have to differ"
    )
