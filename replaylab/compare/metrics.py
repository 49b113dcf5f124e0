"""What two sides of the same trials come to: rates and amounts, each with a paired test. Second minus first. Pure.

Only pairs in which both trials have a verdict take part: an error or a missing trial is neither a pass nor a fail.
Repeats and conditions of a task are averaged first, so that a task counts once; scenarios are the clusters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import log2

from replaylab.compare.pairing import Pair
from replaylab.schema.base import Frozen
from replaylab.score.cells import p_text
from replaylab.score.facts import Trial
from replaylab.score.footer import FEWEST
from replaylab.score.industries import in_order
from replaylab.score.stats.amounts import shift
from replaylab.score.stats.many import holm
from replaylab.score.stats.paired import paired
from replaylab.score.value import Interval

SEED = 1
DECIDED = ("pass", "fail")


class Metric(Frozen):
    """One number of each side over the same `pairs`. `total_a` and `total_b` are exact: passes, calls, tokens.

    `a`, `b` and `difference` (b minus a) are means over tasks; shares are no percent here. `p` is of sign flips of
    scenarios and None where it is not testable; `mcnemar`, of rates alone, ignores scenarios. `adjusted` is set within
    a family of groups. `more_a` and `more_b` are tasks in which that side has more.
    """

    name: str
    group: str = ""
    of: str = ""
    share: bool = False
    pairs: int
    tasks: int
    scenarios: int
    total_a: int
    total_b: int
    a: float | None = None
    b: float | None = None
    difference: float | None = None
    interval: Interval | None = None
    more_a: int = 0
    more_b: int = 0
    p: float | None = None
    adjusted: float | None = None
    mcnemar: float | None = None
    testable: bool = False
    why_not: str = ""


def decided(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs in which both trials have a verdict."""
    return [one for one in pairs if one.a.outcome in DECIDED and one.b.outcome in DECIDED]


def metrics(pairs: Sequence[Pair]) -> tuple[Metric, ...]:
    """The rate of all pairs and of groups of them, then what the trials took."""
    known = decided(pairs)
    found = [rate(known)]
    for of, group in (("fault plan", _faults), ("industry", _industry)):
        names = in_order(map(group, known)) if of == "industry" else tuple(dict.fromkeys(map(group, known)))
        if len(names) > 1:
            found += _adjusted(
                [rate([one for one in known if group(one) == name], name, of) for name in names]
            )
    amounts: tuple[tuple[str, Callable[[Trial], int]], ...] = (
        ("tool calls", lambda one: one.facts.calls if one.facts else 0),
        ("model calls", lambda one: _spent(one, "calls")),
    )
    tokens: tuple[tuple[str, Callable[[Trial], int]], ...] = (
        ("prompt tokens", lambda one: _spent(one, "prompt_tokens")),
        ("completion tokens", lambda one: _spent(one, "completion_tokens")),
    )
    counted = [one for one in known if all(map(_is_counted, one))]
    return (
        *found,
        *(amount(name, known, of) for name, of in amounts),
        *(amount(name, counted, of) for name, of in tokens if counted or not known),
    )


def _is_counted(trial: Trial) -> bool:
    """Whether the tokens of all roles are known."""
    return trial.facts is None or all(one.is_counted for one in trial.facts.spent.values())


def _faults(pair: Pair) -> str:
    return pair.a.faults


def _industry(pair: Pair) -> str:
    return pair.a.scenario.industry


def _spent(trial: Trial, field: str) -> int:
    return sum(getattr(one, field) for one in trial.facts.spent.values()) if trial.facts else 0


def rate(pairs: Sequence[Pair], group: str = "", of: str = "") -> Metric:
    """The completion rate of both sides."""
    a, b = _sides(pairs, lambda one: int(one.outcome == "pass"))
    totals = [sum(one.outcome == "pass" for one in side) for side in zip(*pairs, strict=True)] or [0, 0]
    base = _base("pass rate", (a, b), len(pairs), totals)
    base = base.model_copy(update={"share": True, "group": group, "of": of})
    if not pairs:
        return base
    found = paired(_groups(b), _groups(a), SEED)
    return base.model_copy(
        update={
            "interval": found.interval,
            "more_a": found.only_b,
            "more_b": found.only_a,
            "p": found.p if found.testable else None,
            "mcnemar": found.mcnemar.exact,
            "testable": found.testable,
            "why_not": "" if found.testable else _why_not(found.smallest_p, base.scenarios),
        }
    )


def amount(name: str, pairs: Sequence[Pair], of: Callable[[Trial], int]) -> Metric:
    """The mean of an amount of both sides."""
    a, b = _sides(pairs, of)
    totals = [sum(map(of, side)) for side in zip(*pairs, strict=True)] or [0, 0]
    base = _base(name, (a, b), len(pairs), totals)
    differences = {key: b[key] - a[key] for key in a}
    found = shift(_groups(differences), SEED)
    if found is None:
        return base
    return base.model_copy(
        update={
            "interval": found.interval,
            "more_a": sum(one < 0 for one in differences.values()),
            "more_b": sum(one > 0 for one in differences.values()),
            "p": found.p if found.testable else None,
            "testable": found.testable,
            "why_not": "" if found.testable else _why_not(found.smallest_p, base.scenarios),
        }
    )


ByTask = dict[tuple[str, str], Fraction]


def _base(name: str, sides: tuple[ByTask, ByTask], pairs: int, totals: Sequence[int]) -> Metric:
    a, b = (sum(side.values(), Fraction(0)) / len(side) if side else None for side in sides)
    return Metric(
        name=name,
        pairs=pairs,
        tasks=len(sides[0]),
        scenarios=len({scenario for scenario, _ in sides[0]}),
        total_a=totals[0],
        total_b=totals[1],
        a=None if a is None else float(a),
        b=None if b is None else float(b),
        difference=None if a is None or b is None else float(b - a),
        why_not="" if pairs else "no pair in which both trials have a verdict",
    )


def _sides(pairs: Sequence[Pair], of: Callable[[Trial], int]) -> tuple[ByTask, ByTask]:
    """The mean of each task on both sides, the same tasks in the same order."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for one in pairs:
        found.setdefault((one.a.scenario.id, one.a.task), []).append((of(one.a), of(one.b)))
    keys = sorted(found)
    a, b = (
        {key: Fraction(sum(values[side] for values in found[key]), len(found[key])) for key in keys}
        for side in (0, 1)
    )
    return a, b


def _groups(by_task: ByTask) -> list[list[float]]:
    found: dict[str, list[float]] = {}
    for (scenario, _), value in by_task.items():
        found.setdefault(scenario, []).append(float(value))
    return list(found.values())


def _adjusted(found: Sequence[Metric]) -> list[Metric]:
    """With Holm's p over the groups that are testable."""
    adjusted = iter(holm([one.p for one in found if one.p is not None]))
    return [one if one.p is None else one.model_copy(update={"adjusted": next(adjusted)}) for one in found]


def _why_not(smallest: float, scenarios: int) -> str:
    few = 1 - round(log2(smallest))
    differ = "at most 1 scenario differs" if few == 1 else f"only {few} scenarios differ"
    return f"{differ} of {scenarios}: the smallest attainable p is {p_text(smallest)}, and {FEWEST} would have to"
