"""Whether broken contracts explain changed verdicts: violations that the rubric depends on, where verdicts flipped and
where they did not. Pure, but for finding where two trials part, which is handed in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from replaylab.compare.metrics import decided
from replaylab.compare.pairing import Pair
from replaylab.compare.reading import Answered
from replaylab.compare.values import Share, share_of
from replaylab.schema.base import Frozen
from replaylab.score.facts import Trial
from replaylab.score.stats.bootstrap import Floats, percentile, resample
from replaylab.score.stats.paired import mcnemar
from replaylab.score.value import Interval

DRAWS, SEED = 9999, 1
FirstCall = Callable[[Pair], int | None]
"""The number of the first call in which two trials part; None where no call of theirs differs."""


class Explained(Frozen):
    """Pairs of trials, by whether their verdicts differ.

    `flipped` and `unflipped` are those in which either trial holds a violation that the rubric depends on;
    `flipped_before` and `unflipped_before` those in which one stands no later than where the two first part (in their
    shared calls, where they never do). `difference` is flipped minus unflipped. `failed_alone` and `passed_alone` are
    flips of which only the failed, or only the passed, trial holds one: with nothing to explain they would be alike,
    and `p` is McNemar's. `unchecked` are pairs in which no call of a trial could be checked; they are in no share.
    """

    flipped: Share
    unflipped: Share
    flipped_before: Share
    unflipped_before: Share
    difference: float | None
    interval: Interval | None
    failed_alone: int
    passed_alone: int
    p: float
    unchecked: int
    why_not: str = ""


def explained(pairs: Sequence[Pair], answers: Mapping[str, Answered], first_call: FirstCall) -> Explained:
    """`answers` holds the contract check by cassette."""
    known = decided(pairs)
    checked = [pair for pair in known if all(_is_checkable(side, answers) for side in pair)]
    looked = [_look(pair, answers, first_call) for pair in checked]
    flips, others = ([one for one in looked if one.flips is flipped] for flipped in (True, False))
    failed_alone = sum(one.failed and not one.passed for one in flips)
    passed_alone = sum(one.passed and not one.failed for one in flips)
    held = [
        _by_scenario((one.scenario, one.failed or one.passed) for one in some) for some in (flips, others)
    ]
    flipped, unflipped = map(share_of, held)
    before = [share_of(_by_scenario((one.scenario, one.before) for one in some)) for some in (flips, others)]
    interval, why = _interval(*held)
    apart = None if flipped.value is None or unflipped.value is None else flipped.value - unflipped.value
    return Explained(
        flipped=flipped,
        flipped_before=before[0],
        unflipped=unflipped,
        unflipped_before=before[1],
        difference=None if apart is None else float(apart),
        interval=interval,
        failed_alone=failed_alone,
        passed_alone=passed_alone,
        p=mcnemar(failed_alone, passed_alone).exact,
        unchecked=len(known) - len(checked),
        why_not=why,
    )


class _Looked(NamedTuple):
    """A pair: whether its verdicts differ, and where a violation stands that the rubric depends on. Of a pair without a
    flip `failed` and `passed` are its two trials in order.
    """

    scenario: str
    flips: bool
    failed: bool
    passed: bool
    before: bool


def _look(pair: Pair, answers: Mapping[str, Answered], first_call: FirstCall) -> _Looked:
    calls = [_critical(side, answers) for side in pair]
    before = False
    if any(calls):  # where two trials part is looked up for these alone: that is what takes time
        parted = first_call(pair)
        before = any(parted is None or call <= parted for side in calls for call in side)
    failed, passed = map(bool, calls if pair.a.outcome == "fail" else reversed(calls))
    return _Looked(pair.a.scenario.id, pair.a.outcome != pair.b.outcome, failed, passed, before)


def _is_checkable(trial: Trial, answers: Mapping[str, Answered]) -> bool:
    found = answers.get(trial.facts.cassette) if trial.facts else None
    return found is not None and bool(found.report.coverage.checkable)


def _critical(trial: Trial, answers: Mapping[str, Answered]) -> list[int]:
    """The numbers of the calls that hold a violation which the rubric depends on."""
    found = answers[trial.facts.cassette].report.findings if trial.facts else ()
    return [one.call for one in found if one.rubric_critical]


ByScenario = dict[tuple[str, ...], tuple[int, int]]


def _by_scenario(told: Iterable[tuple[str, bool]]) -> ByScenario:
    found: ByScenario = {}
    for scenario, holds in told:
        k, n = found.get((scenario,), (0, 0))
        found[scenario,] = (k + holds, n + 1)
    return found


def _interval(flips: ByScenario, others: ByScenario) -> tuple[Interval | None, str]:
    """Of the difference, scenarios drawn anew for both at once. Draws without a flip, or without another, are left out."""
    if not flips or not others:
        return None, "no verdict flipped" if not flips else "every verdict flipped"
    names = sorted({*flips, *others})
    if len(names) < 2:
        return None, "no interval: fewer than two scenarios"
    table = [(*flips.get(name, (0, 0)), *others.get(name, (0, 0))) for name in names]
    drawn = resample(table, _differences, DRAWS, SEED)
    if len(drawn) < DRAWS // 2:
        return None, "no interval: most draws of scenarios hold no flip, or nothing else"
    low, high = percentile(drawn)
    left = DRAWS - len(drawn)
    note = f"{left} of {DRAWS} draws without a flip, or without another pair, are left out" if left else ""
    return Interval(low=low, high=high, method="scenario bootstrap", note=note), ""


def _differences(sums: Floats) -> Floats:
    held = sums[(sums[:, 1] > 0) & (sums[:, 3] > 0)]
    found: Floats = held[:, 0] / held[:, 1] - held[:, 2] / held[:, 3]
    return found.round(9)
