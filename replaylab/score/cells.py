"""Rates of slices and the cells that show them. Repeats are averaged by task first, clusters are scenarios. Pure.

A cell's `text` is the number alone: whoever prints the full layout puts `count` and `interval` beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from replaylab.errors import UsageError
from replaylab.score.facts import Study, Trial
from replaylab.score.rounding import decimal, percent
from replaylab.score.slices import Slices, count, scenarios_of
from replaylab.score.stats.interval import clustered, wilson
from replaylab.score.value import Cell, Count, Denominator, Interval, Layout, Selector

Share = Fraction | int
TaskMeans = Mapping[tuple[str, str], Share]
"""The mean outcome of each task by (scenario, task), sorted. Where a task has one trial it is a plain 0 or 1."""

ALL = "all"  # the column of a declared denominator over all industries


class Rate(NamedTuple):
    """A completion rate. `passed` of `whole` trials are printed; `value` is the mean over tasks of their trials' mean.

    With one trial a task, or equally many, both are the same number. `value` is None where nothing is in the
    denominator. `declared` is the denominator that somebody declared for the cell, 0 where nobody did.
    """

    counted: Count
    passed: int
    whole: int
    value: Fraction | None
    worst: Fraction | None
    best: Fraction | None
    interval: Interval | None
    tasks: int
    scenarios: int
    declared: int = 0


def task_means(trials: Iterable[Trial], denominator: Denominator, unknown: int = 0) -> TaskMeans:
    """The mean outcome of each task. "planned" takes an errored or missing trial for `unknown`, "decided" leaves it out.

    A trial that nobody was asked to judge is left out either way; so is a task of which nothing is left.
    """
    scores = {"pass": 1, "fail": 0}
    if denominator == "planned":
        scores |= {"error": unknown, "missing": unknown}
    found: dict[tuple[str, str], list[int]] = {}
    for trial in trials:
        score = scores.get(trial.outcome)
        if score is not None:
            key = (trial.scenario.id, trial.task)
            if key in found:
                found[key].append(score)
            else:
                found[key] = [score]
    return {key: _mean_of(found[key]) for key in sorted(found)}


def means_of(slices: Slices, which: Selector) -> TaskMeans:
    """The mean outcome of each task of a slice, under the denominator of the study."""
    return slices.kept(("means", which), lambda: task_means(slices.select(which), slices.study.denominator))


def _mean_of(scores: Sequence[int]) -> Share:
    return scores[0] if len(scores) == 1 else Fraction(sum(scores), len(scores))


def mean(values: Iterable[Share]) -> Fraction | None:
    """The exact mean; None of nothing."""
    held = tuple(values)
    return Fraction(sum(held)) / len(held) if held else None


def groups(means: TaskMeans) -> list[list[float]]:
    """The outcomes by scenario, as statistics take them."""
    found: dict[str, list[float]] = {}
    for (scenario, _), value in means.items():
        found.setdefault(scenario, []).append(float(value))
    return list(found.values())


def rate(slices: Slices, which: Selector, column: str = "") -> Rate:
    """The rate of a slice. `column` names the cell for a declared denominator ("all", "hlth", "E2"); "" names none."""
    declared = declared_for(slices.study, which.agent, column)
    return slices.kept(
        ("rate", which, declared), lambda: rate_of(slices.study, slices.select(which), declared)
    )


def rate_of(study: Study, trials: Sequence[Trial], declared: int = 0) -> Rate:
    """The rate of these trials, out of `declared` trials where that is not 0.

    A declared denominator that equals the number of planned or of decided trials is that; any other one knows nothing
    of clusters. Raises UsageError where more trials passed than are declared.
    """
    counted = count(trials)
    if counted.passed > declared > 0:
        raise UsageError(
            f"{declared} trials were declared as a denominator, and {counted.passed} passed",
            fix="a declared denominator counts trials, errored and missing ones included or not",
        )
    denominator: Denominator | None = study.denominator
    if declared:
        wholes: dict[int, Denominator] = {counted.decided: "decided", counted.planned: "planned"}
        denominator = wholes.get(declared)
    whole = declared or (counted.planned if denominator == "planned" else counted.decided)
    means = task_means(trials, denominator or "planned")
    value, interval = mean(means.values()), clustered(groups(means)) if means else None
    if denominator is None and counted != Count():
        value, interval = Fraction(counted.passed, whole), _unclustered(counted.passed, whole)
    worst, best = value, value
    if counted.error or counted.missing or denominator is None:
        best = mean(task_means(trials, "planned", 1).values())
        # Of planned trials the rate itself takes them for failed.
        worst = value if denominator == "planned" else mean(task_means(trials, "planned", 0).values())
    return Rate(
        counted=counted,
        passed=counted.passed,
        whole=whole,
        value=value,
        worst=worst,
        best=best,
        interval=interval,
        tasks=len(means),
        scenarios=scenarios_of(trials),
        declared=declared,
    )


def _unclustered(passed: int, whole: int) -> Interval:
    note = "declared denominator, so clusters ignored"
    return wilson(passed, whole).model_copy(update={"note": note})


def declared_for(study: Study, agent: str, column: str) -> int:
    """The denominator that was declared for this cell, 0 where none was."""
    return study.declared.get(f"{agent}|{column}", 0)


def rate_cell(found: Rate, which: Selector, digits: int = 1, layout: Layout = "full") -> Cell:
    """The cell of a rate: percent points. It is empty and says why where nothing is in the denominator."""
    if found.value is None:
        return empty(_why_empty(found.counted), which if found.counted != Count() else None)
    return Cell(
        text=percent(found.value, digits),
        value=points(found.value),
        count=found.counted,
        interval=in_points(found.interval) if layout == "full" else None,
        trials=(which,),
        note="; ".join(_remarks(found, layout)),
    )


def _why_empty(counted: Count) -> str:
    if counted == Count():
        return "no trials"
    return f"no judged trials ({', '.join(outcomes(counted))})"


def _remarks(found: Rate, layout: Layout) -> list[str]:
    remarks = outcomes(found.counted)
    if found.declared:
        remarks.append(f"declared denominator {found.declared}, planned {found.counted.planned}")
    elif found.value is not None and found.value * found.whole != found.passed:
        remarks.append("tasks have unequal numbers of trials: the mean over tasks is not k/n")
    if layout == "full" and found.interval and found.interval.note:
        remarks.append(f"interval: {found.interval.note}")
    return remarks


def outcomes(counted: Count) -> list[str]:
    """What is neither passed nor failed, in words: ["2 errors", "1 missing"]."""
    errors = [plural(counted.error, "error")] if counted.error else []
    missing = [f"{counted.missing} missing"] if counted.missing else []
    unjudged = [f"{counted.unjudged} not judged"] if counted.unjudged else []
    return [*errors, *missing, *unjudged]


def plural(number: int, word: str) -> str:
    """A number of things: "1 task", "2 tasks"."""
    return f"{number} {word}{'' if number == 1 else 's'}"


def share_cell(value: Fraction | None, which: Selector, digits: int = 1, note: str = "") -> Cell:
    """A rate without an interval of its own: a worst case, a mean of rates."""
    if value is None:
        return empty(note or "no trials")
    return Cell(text=percent(value, digits), value=points(value), trials=(which,), note=note)


def number_cell(number: int, *which: Selector, note: str = "") -> Cell:
    """A whole number, and the trials that it counts."""
    return Cell(text=str(number), value=number, trials=which, note=note)


def text_cell(text: str, *which: Selector) -> Cell:
    """A name."""
    return Cell(text=text, value=text, trials=which)


def fraction_cell(found: Rate, which: Selector) -> Cell:
    """k/n as printed: passed trials over the denominator."""
    if found.value is None:
        return empty(_why_empty(found.counted))
    text = f"{found.passed}/{found.whole}"
    return Cell(text=text, value=found.passed, count=found.counted, trials=(which,))


def decimal_cell(value: float | Fraction | None, digits: int, *which: Selector, note: str = "") -> Cell:
    """Any other number, rounded half to even on its exact value."""
    if value is None:
        return empty(note)
    return Cell(text=decimal(Fraction(value), digits), value=float(value), trials=which, note=note)


def p_cell(p: float | None, note: str = "") -> Cell:
    """A p value with three significant digits."""
    return empty(note) if p is None else Cell(text=p_text(p), value=p, note=note)


def p_text(p: float) -> str:
    """Three significant digits; what is below a millionth says only that."""
    return "<1e-06" if p < 1e-6 else f"{p:.3g}"


def empty(note: str, which: Selector | None = None) -> Cell:
    """A cell that shows nothing, and why. It is not a 0."""
    return Cell(text="", note=note, trials=(which,) if which else ())


def points(share: Fraction | float) -> float:
    """A share in percent points, unrounded."""
    return float(share * 100)


def in_points(interval: Interval | None) -> Interval | None:
    """An interval of a share in percent points."""
    if interval is None:
        return None
    return interval.model_copy(update={"low": points(interval.low), "high": points(interval.high)})


def mark_best(cells: Sequence[Cell], values: Sequence[Fraction | None]) -> list[Cell]:
    """The cells of a column, every tied maximum of the exact values marked. None takes no part, nor does a rate of
    which no trial was judged.
    """
    seen = [
        None if cell.count is not None and not cell.count.decided else value
        for cell, value in zip(cells, values, strict=True)
    ]
    top = max((value for value in seen if value is not None), default=None)
    return [
        cell.model_copy(update={"best": value is not None and value == top})
        for cell, value in zip(cells, seen, strict=True)
    ]


def by_value(names: Iterable[str], values: Mapping[str, Fraction | None]) -> list[str]:
    """Names by falling value, ties by name; those without a value come last."""
    return sorted(names, key=lambda name: (values[name] is None, -(values[name] or 0), name))
