"""A simulator's report card: how often it broke its contract, of how many calls that can be known, and at what price.

What was recorded, imported and authored makes cards of its own. A copied answer counts where it was recorded. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from replaylab.compare.reading import Answered
from replaylab.compare.values import Share, median, share_of
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Evidence
from replaylab.schema.model import ModelSettings
from replaylab.schema.violation import CheckedFor, Violation
from replaylab.score.industries import in_order
from replaylab.score.money import Money, Prices, Tally

EVIDENCE: tuple[Evidence, ...] = ("recorded", "imported", "authored")


class OfKind(Frozen):
    """One kind of violation: the calls that hold one, of those that could be checked for it, and why not the others.

    `violations` counts each of them: one answer can hold several. `calls` are all calls, `critical` are violations that
    the task's rubric depends on.
    """

    kind: CheckedFor
    share: Share
    violations: int
    critical: int
    calls: int
    why_not: dict[str, int]


class Price(Frozen):
    """What answering took. `calls` and `asked` are calls of tools and questions to the model: a question is asked again
    where an answer could not be used. `uncounted` are trials in which no tokens were counted. `usd` is exact, as text, None where it is not known and `why` says so.
    """

    calls: int
    asked: int
    attempts: int
    prompt_tokens: int
    completion_tokens: int
    uncounted: int = 0
    untimed: int = 0  # times stand in the card itself
    usd: str | None = None
    per_call: float | None = None
    text: str = ""
    why: str = ""


class Card(Frozen):
    """One simulator. `name` tells it from others of its alias.

    `share` is of calls that break the contract in any way, of those that could be checked for anything (`checkable` of
    `calls`); `critical` of those in which the task's rubric depends on it. `broke` are trials that ended because no
    answer could be used. `candidates` were too uncertain to count, `faults` may be faults that the prompt asked for.
    `rank` and `ranks` (which it may have) are None where `unranked` says why. `latency_ms` is the median of `timed`
    answers.
    """

    name: str
    settings: ModelSettings
    evidence: Evidence
    trials: int
    tasks: int
    scenarios: int
    environments: int
    modes: dict[str, int]
    broke: int
    calls: int
    checkable: int
    share: Share
    critical: Share
    kinds: tuple[OfKind, ...]
    industries: dict[str, Share]
    candidates: int
    faults: int
    price: Price
    latency_ms: float | None
    timed: int
    rank: int | None = None
    ranks: tuple[int, int] | None = None
    unranked: str = ""


By = dict[tuple[str, ...], tuple[int, int]]
"""Calls that break the contract and calls that could be checked, by (scenario,) or by (scenario, task)."""
Who = tuple[Evidence, str, str, str]


def grouped(answers: Iterable[Answered]) -> dict[Who, list[Answered]]:
    """The answers by evidence and simulator. Those that were copied are left out."""
    found: dict[Who, list[Answered]] = {}
    for one in answers:
        if not one.asked.source:
            settings = one.asked.simulator
            who = (one.asked.evidence, settings.alias, settings.model, settings.player)
            found.setdefault(who, []).append(one)
    order = sorted(found, key=lambda who: (EVIDENCE.index(who[0]), *who[1:]))
    return {who: sorted(found[who], key=lambda one: (one.key, one.cassette)) for who in order}


def names_of(groups: Iterable[Who]) -> dict[Who, str]:
    """What each is called: its alias, and where that stands for several models which one."""
    held = list(groups)
    models = Counter((evidence, alias) for evidence, alias, _, _ in held)
    twice = Counter((evidence, alias, model) for evidence, alias, model, _ in held)
    names = {}
    for evidence, alias, model, player in held:
        name = alias if models[evidence, alias] == 1 else f"{alias} ({model})"
        names[evidence, alias, model, player] = (
            name if twice[evidence, alias, model] == 1 else f"{name}, {player}"
        )
    return names


def card(name: str, trials: Sequence[Answered], prices: Prices) -> Card:
    """The card of one simulator, not ranked yet."""
    first = trials[0]
    every = [violation for one in trials for violation in one.report.findings]
    by_industry = {
        industry: [one for one in trials if one.scenario.industry == industry]
        for industry in in_order(one.scenario.industry for one in trials)
    }
    latencies = [ms for one in trials for ms in one.asked.latencies if ms > 0]
    return Card(
        name=name,
        settings=first.asked.simulator,
        evidence=first.asked.evidence,
        trials=len(trials),
        tasks=len({(one.scenario.id, one.task) for one in trials}),
        scenarios=len({one.scenario.id for one in trials}),
        environments=len({one.checked.environment for one in trials}),
        modes=dict(sorted(Counter(one.checked.mode for one in trials).items())),
        broke=sum(one.broke for one in trials),
        calls=sum(one.report.coverage.calls for one in trials),
        checkable=sum(one.report.coverage.checkable for one in trials),
        share=share_of(violating(trials)),
        critical=share_of(violating(trials, lambda one: one.rubric_critical)),
        kinds=tuple(_of_kind(kind, trials, every) for kind in CHECKED),
        industries={name: share_of(violating(some)) for name, some in by_industry.items()},
        candidates=sum(len(one.report.candidates) for one in trials),
        faults=sum(len(one.report.faults) for one in trials),
        price=_price(trials, prices),
        latency_ms=median(latencies),
        timed=len(latencies),
    )


CHECKED: tuple[CheckedFor, ...] = ("fabrication", "omission", "rule_invention", "contradiction")


def violating(
    trials: Iterable[Answered],
    counts: Callable[[Violation], bool] = lambda one: True,
    *,
    by_task: bool = False,
) -> By:
    """Calls that hold a violation, of those that could be checked for anything, by scenario or by task."""
    found: By = {}
    for one in trials:
        name = (one.scenario.id, one.task) if by_task else (one.scenario.id,)
        k, n = found.get(name, (0, 0))
        broken = len({violation.call for violation in one.report.findings if counts(violation)})
        found[name] = (k + broken, n + one.report.coverage.checkable)
    return found


def _of_kind(kind: CheckedFor, trials: Sequence[Answered], every: Sequence[Violation]) -> OfKind:
    by_scenario: By = {}
    calls, why_not = 0, Counter[str]()
    for one in trials:
        rows = [row for row in one.report.coverage.rows if row.kind == kind]
        k, n = by_scenario.get((one.scenario.id,), (0, 0))
        broken = len({violation.call for violation in one.report.findings if violation.kind == kind})
        by_scenario[one.scenario.id,] = (k + broken, n + sum(row.checked for row in rows))
        calls += sum(row.calls for row in rows)
        for row in rows:
            why_not.update(row.why_not)
    ours = [violation for violation in every if violation.kind == kind]
    return OfKind(
        kind=kind,
        share=share_of(by_scenario),
        violations=len(ours),
        critical=sum(violation.rubric_critical for violation in ours),
        calls=calls,
        why_not=dict(sorted(why_not.items(), key=lambda one: (-one[1], one[0]))),
    )


def _price(trials: Sequence[Answered], prices: Prices) -> Price:
    tally = Tally(trials[0].asked.simulator)
    calls = sum(one.report.coverage.calls for one in trials)
    for one in trials:
        tally.add(one.asked.spent)
    money = tally.cost(prices) if trials[0].asked.evidence == "recorded" else _not_ours(trials)
    usd = money.known
    return Price(
        calls=calls,
        asked=tally.calls,
        attempts=sum(one.asked.spent.attempts for one in trials),
        prompt_tokens=tally.fresh + tally.cached,
        completion_tokens=tally.completion,
        uncounted=tally.silent,
        usd=None if usd is None else str(usd),
        per_call=float(usd / calls) if usd is not None and calls else None,
        text=money.text,
        why=", ".join(f"{name}: {why}" for name, why in sorted(money.unknown.items())),
    )


def _not_ours(trials: Sequence[Answered]) -> Money:
    """Nobody here paid for what was imported or written down, and what it cost elsewhere is not recorded."""
    return Money(unknown={trials[0].asked.simulator.alias: "not recorded here"})


def copied(answers: Iterable[Answered]) -> int:
    """Trials whose simulator's answers were copied: they count where they were recorded."""
    return sum(bool(one.asked.source) for one in answers)
