"""Two simulators and the same agents: which scenarios drive their disagreement, and whether violations explain it. Pure.

Pairs are trials of the same agent, verifier, fault plan, task and number, of which both have a verdict. Shares of a
difference are exact and add up to the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from replaylab.compare.metrics import Metric, decided, rate
from replaylab.compare.pairing import Pair
from replaylab.schema.base import Frozen
from replaylab.score.facts import Study, Trial
from replaylab.score.industries import in_order

TaskKey = tuple[str, str]
Outcomes = Mapping[TaskKey, tuple[Fraction, Fraction]]
"""By (scenario, task): the mean of its trials under the first simulator and under the second."""


class Driver(Frozen):
    """One scenario, or one industry: its rates, and its share of the whole difference (second minus first).

    `regressed` and `improved` are pairs that passed under one simulator alone. `inversions` is how many pairs of agents
    stand the other way round without it; None where that was not asked. The contributions of all add up to the whole.
    """

    name: str
    industry: str
    tasks: int
    pairs: int
    rate_a: float
    rate_b: float
    contribution: float
    regressed: int
    improved: int
    inversions: int | None = None


class Inversion(Frozen):
    """Two agents that one simulator puts in one order and the other in the other, by the mean over shared tasks.

    `margin_a` and `margin_b` are first agent minus second. `drivers` are the scenarios' shares of how far the margin
    moves, the greatest first; they add up to `margin_b` minus `margin_a`.
    """

    first: str
    second: str
    margin_a: float
    margin_b: float
    drivers: dict[str, float]


class Disagreement(Frozen):
    """Two simulators. `shared` are the tasks that every agent has a verdict on under both: ranks stand on these alone.

    `agent_pairs` counts pairs of agents: in the same order under both, in another, tied under either.
    """

    a: str
    b: str
    agents: tuple[str, ...]
    whole: Metric
    scenarios: tuple[Driver, ...]
    industries: tuple[Driver, ...]
    shared: int
    agent_pairs: dict[str, int]
    inversions: tuple[Inversion, ...]


def pairs_between(study: Study, a: str, b: str) -> list[Pair]:
    """The trials that differ in their simulator alone, in the order of the study."""
    there = {_address(trial): trial for trial in study.trials if trial.simulator == b}
    mine = [trial for trial in study.trials if trial.simulator == a]
    return [Pair(trial, there[key]) for trial in mine if (key := _address(trial)) in there]


def _address(trial: Trial) -> tuple[str, str, str, str, int]:
    return trial.agent, trial.verifier, trial.faults, trial.task, trial.trial


def disagreement(a: str, b: str, pairs: Sequence[Pair]) -> Disagreement | None:
    """Where they disagree; None without a pair of verdicts."""
    known = decided(pairs)
    if not known:
        return None
    agents = tuple(dict.fromkeys(pair.a.agent for pair in known))
    by_agent = {agent: _outcomes(pair for pair in known if pair.a.agent == agent) for agent in agents}
    shared = [key for key in _outcomes(known) if all(key in one for one in by_agent.values())]
    tallied = _orders(by_agent, shared) if len(agents) > 1 else {}
    inverted = [pair for pair, order in tallied.items() if order == "other"]
    scenarios = [
        driver.model_copy(update={"inversions": _without(by_agent, shared, driver.name, inverted)})
        if inverted
        else driver
        for driver in _drivers(known, lambda one: one.scenario.id)
    ]
    return Disagreement(
        a=a,
        b=b,
        agents=agents,
        whole=rate(known),
        scenarios=tuple(sorted(scenarios, key=lambda one: (-abs(one.contribution), one.name))),
        industries=tuple(_by_industry(known)),
        shared=len(shared),
        agent_pairs={
            order: sum(one == order for one in tallied.values()) for order in ("same", "other", "tied")
        },
        inversions=tuple(_inversion(by_agent, shared, pair) for pair in inverted),
    )


def _outcomes(pairs: Iterable[Pair]) -> dict[TaskKey, tuple[Fraction, Fraction]]:
    """The mean of each task on both sides, sorted."""
    found: dict[TaskKey, list[tuple[bool, bool]]] = {}
    for one in pairs:
        said = (one.a.outcome == "pass", one.b.outcome == "pass")
        found.setdefault((one.a.scenario.id, one.a.task), []).append(said)
    return {
        key: (_mean(one for one, _ in found[key]), _mean(other for _, other in found[key]))
        for key in sorted(found)
    }


def _mean(values: Iterable[Fraction | int]) -> Fraction:
    held = list(values)
    return Fraction(sum(held)) / len(held) if held else Fraction(0)


def _drivers(pairs: Sequence[Pair], of: Callable[[Trial], str]) -> list[Driver]:
    means = _outcomes(pairs)
    named: dict[str, list[Pair]] = {}
    for pair in pairs:
        named.setdefault(of(pair.a), []).append(pair)
    found = []
    for name, some in sorted(named.items()):
        tasks = sorted({(pair.a.scenario.id, pair.a.task) for pair in some})
        moved = sum((means[key][1] - means[key][0] for key in tasks), Fraction(0))
        found.append(
            Driver(
                name=name,
                industry=some[0].a.scenario.industry,
                tasks=len(tasks),
                pairs=len(some),
                rate_a=float(_mean(means[key][0] for key in tasks)),
                rate_b=float(_mean(means[key][1] for key in tasks)),
                contribution=float(moved / len(means)),
                regressed=sum(pair.a.outcome == "pass" and pair.b.outcome == "fail" for pair in some),
                improved=sum(pair.a.outcome == "fail" and pair.b.outcome == "pass" for pair in some),
            )
        )
    return found


def _by_industry(pairs: Sequence[Pair]) -> list[Driver]:
    found = {one.name: one for one in _drivers(pairs, lambda one: one.scenario.industry)}
    return [found[name] for name in in_order(found)]


AgentPair = tuple[str, str]


def _margins(
    by_agent: Mapping[str, Outcomes], tasks: Sequence[TaskKey], pair: AgentPair
) -> tuple[Fraction, Fraction]:
    """First agent minus second, under both simulators."""
    first, second = by_agent[pair[0]], by_agent[pair[1]]
    one, other = (_mean(first[key][side] - second[key][side] for key in tasks) for side in (0, 1))
    return one, other


def _orders(by_agent: Mapping[str, Outcomes], tasks: Sequence[TaskKey]) -> dict[AgentPair, str]:
    """Whether both simulators put two agents in the same order. Equal rates under either are a tie."""
    if not tasks:
        return {}
    found = {}
    for pair in combinations(sorted(by_agent), 2):
        one, other = _margins(by_agent, tasks, pair)
        found[pair] = "tied" if not one or not other else "same" if (one > 0) == (other > 0) else "other"
    return found


def _without(
    by_agent: Mapping[str, Outcomes],
    tasks: Sequence[TaskKey],
    scenario: str,
    inverted: Sequence[AgentPair],
) -> int:
    """How many of the inversions are none without this scenario."""
    left = _orders(by_agent, [key for key in tasks if key[0] != scenario])
    return sum(left.get(pair) != "other" for pair in inverted)


def _inversion(by_agent: Mapping[str, Outcomes], tasks: Sequence[TaskKey], pair: AgentPair) -> Inversion:
    one, other = _margins(by_agent, tasks, pair)
    first, second = by_agent[pair[0]], by_agent[pair[1]]
    moved: dict[str, Fraction] = {}
    for key in tasks:
        step = (first[key][1] - second[key][1]) - (first[key][0] - second[key][0])
        moved[key[0]] = moved.get(key[0], Fraction(0)) + step / len(tasks)
    ordered = sorted(
        ((name, share) for name, share in moved.items() if share), key=lambda p: (-abs(p[1]), p[0])
    )
    return Inversion(
        first=pair[0],
        second=pair[1],
        margin_a=float(one),
        margin_b=float(other),
        drivers={name: float(share) for name, share in ordered},
    )
