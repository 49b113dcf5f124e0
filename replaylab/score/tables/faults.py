"""faults (T3): completion rates of agents under each fault plan, and R, the worst disturbed rate over the clean one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from replaylab.score.cells import (
    Rate,
    Share,
    by_value,
    decimal_cell,
    declared_for,
    empty,
    mark_best,
    mean,
    means_of,
    number_cell,
    rate,
    rate_cell,
    share_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import Foot, footer
from replaylab.score.rounding import decimal
from replaylab.score.slices import Slices, slices
from replaylab.score.stats.robustness import bootstrap_interval, robustness
from replaylab.score.value import Cell, Column, Interval, Layout, Selector, Table

PUBLISHED = ("E1", "E2", "E3")  # what R is the minimum of
AVERAGE = "Avg"


class Plans(NamedTuple):
    """`shown` in spec order; R is the worst of `disturbed` over `clean`."""

    shown: tuple[str, ...]
    clean: str
    disturbed: tuple[str, ...]


class _Row(NamedTuple):
    agent: str
    rates: Mapping[str, Rate]
    r: Fraction | None
    why: str  # there is no R


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by falling unrounded R, ties by name; then the averages."""
    if why_not(study):
        return None
    sliced, plans = slices(study), plans_of(study, layout)
    found = {agent: _row(sliced, agent, plans) for agent in study.agents}
    rows = [found[agent] for agent in by_value(found, {agent: one.r for agent, one in found.items()})]
    if layout == "paper":
        rows = _complete(rows, plans)
    columns = [_rates(sliced, rows, plan, layout) for plan in plans.shown]
    ratios = _ratios(sliced, rows, plans, layout)
    lines = [
        [
            text_cell(row.agent, sliced.reference(agent=row.agent, faults="")),
            *[column[number] for column in columns],
            ratios[number],
            *([_tasks(sliced, row.agent, plans)] if layout == "full" else []),
        ]
        for number, row in enumerate(rows)
    ]
    lines.append(_average(sliced, rows, plans, layout))
    return Table(
        id="faults",
        title="Completion rate by agent and fault plan",
        layout=layout,
        columns=_columns(plans, layout),
        rows=tuple(map(tuple, lines)),
        notes=_notes(sliced, rows, plans, layout),
    )


def why_not(study: Study) -> str:
    """Needs the clean plan and another one, with trials under the reference simulator and verifier."""
    sliced = slices(study)
    played = [plan for plan in study.faults if sliced.select(sliced.reference(faults=plan))]
    if study.clean not in played or len(played) < 2:
        return f"needs trials with {study.clean} and with another fault plan; there are {', '.join(played) or 'none'}"
    return ""


def plans_of(study: Study, layout: Layout) -> Plans:
    """The plans that have trials. R is over those of E1, E2, E3 that there are, or where there are none over all."""
    sliced = slices(study)
    played = [plan for plan in study.faults if sliced.select(sliced.reference(faults=plan))]
    others = [plan for plan in played if plan != study.clean]
    disturbed = [plan for plan in others if plan in PUBLISHED] or others
    shown = played if layout == "full" else [plan for plan in played if plan in (study.clean, *disturbed)]
    return Plans(tuple(shown), study.clean, tuple(disturbed))


def column_key(plan: str) -> str:
    """The key of a plan's column: its name, unless another column has that."""
    return f"plan {plan}" if plan in ("agent", "R", "n") else plan


def _row(sliced: Slices, agent: str, plans: Plans) -> _Row:
    rates = {
        plan: rate(sliced, sliced.reference(agent=agent, faults=plan), plan)
        for plan in dict.fromkeys((*plans.shown, plans.clean, *plans.disturbed))
    }
    absent = [plan for plan in (plans.clean, *plans.disturbed) if rates[plan].value is None]
    if absent:
        return _Row(agent, rates, None, f"no rate under {', '.join(absent)}")
    clean = rates[plans.clean].value
    if not clean:
        return _Row(agent, rates, None, f"no trial passed under {plans.clean}")
    worst = min(value for plan in plans.disturbed if (value := rates[plan].value) is not None)
    return _Row(agent, rates, worst / clean, "")


def _complete(rows: Sequence[_Row], plans: Plans) -> list[_Row]:
    """The agents with a rate under every plan that R compares; all of them where nobody has.

    Means over them alone compare like with like: a plan that only some agents played says nothing of the others.
    """
    wanted = (plans.clean, *plans.disturbed)
    found = [row for row in rows if all(row.rates[plan].value is not None for plan in wanted)]
    return found or list(rows)


def _rates(sliced: Slices, rows: Sequence[_Row], plan: str, layout: Layout) -> list[Cell]:
    cells = [
        rate_cell(row.rates[plan], sliced.reference(agent=row.agent, faults=plan), 1, layout) for row in rows
    ]
    return mark_best(cells, [row.rates[plan].value for row in rows])


def _ratios(sliced: Slices, rows: Sequence[_Row], plans: Plans, layout: Layout) -> list[Cell]:
    cells = []
    for row in rows:
        behind = _behind(sliced, plans, row.agent)
        if row.r is None:
            cells.append(empty(row.why))
        elif layout == "paper":
            cells.append(decimal_cell(row.r, 2, *behind))
        else:
            interval, note = _interval(sliced, row.agent, plans)
            cell = decimal_cell(row.r, 2, *behind, note=note)
            cells.append(cell.model_copy(update={"interval": interval}))
    return mark_best(cells, [row.r for row in rows])


def _interval(sliced: Slices, agent: str, plans: Plans) -> tuple[Interval | None, str]:
    """The bootstrap interval of R and what is to be said of it: the bias of a minimum of noisy rates."""
    study = sliced.study
    if any(declared_for(study, agent, plan) for plan in (plans.clean, *plans.disturbed)):
        return None, "declared denominators, so no interval"
    passed, tasks = _by_scenario(sliced, agent, plans)
    found = robustness(passed[0], passed[1:], tasks, study.draws, study.seed)
    interval, why_not = bootstrap_interval(found, sum(map(bool, tasks[0])))
    if interval is None or found.bias is None:
        return None, why_not
    note = f"bias of the minimum {decimal(Fraction(found.bias), 3)}"
    if found.undefined:
        note += f"; {decimal(Fraction(found.undefined) * 100, 1)} % of the resamples have no clean rate"
    return interval, note


def _by_scenario(sliced: Slices, agent: str, plans: Plans) -> tuple[list[list[float]], list[list[float]]]:
    """Passes and tasks: one line a plan, the clean one first, one number a scenario of the whole study.

    All agents have the same scenarios in the same order, so the same resamples: those without tasks add nothing.
    """
    scenarios = sliced.kept("scenarios", lambda: sorted({trial.scenario.id for trial in sliced.study.trials}))
    passed, tasks = [], []
    for plan in (plans.clean, *plans.disturbed):
        means = means_of(sliced, sliced.reference(agent=agent, faults=plan))
        k: dict[str, Share] = dict.fromkeys(scenarios, 0)
        n = dict.fromkeys(scenarios, 0.0)
        for (scenario, _), value in means.items():
            k[scenario] += value
            n[scenario] += 1
        passed.append([float(value) for value in k.values()])
        tasks.append(list(n.values()))
    return passed, tasks


def _tasks(sliced: Slices, agent: str, plans: Plans) -> Cell:
    """The tasks of each plan: one number where all plans have as many."""
    which = sliced.reference(agent=agent, faults=plans.clean)
    sets = {
        plan: {
            (trial.scenario.id, trial.task)
            for trial in sliced.select(sliced.reference(agent=agent, faults=plan))
        }
        for plan in plans.shown
    }
    present = {plan: tasks for plan, tasks in sets.items() if tasks}
    if not present:
        return empty("no trials")
    same = len(set(map(frozenset, present.values()))) == 1
    note = (
        ""
        if same
        else "other tasks by plan: " + ", ".join(f"{plan} {len(one)}" for plan, one in present.items())
    )
    return number_cell(len(sets[plans.clean]), which, note=note)


def _average(sliced: Slices, rows: Sequence[_Row], plans: Plans, layout: Layout) -> list[Cell]:
    """Means of the columns over the agents that have every plan: of the rates, and of R itself."""
    cells = [text_cell(AVERAGE, sliced.reference(faults=""))]
    complete = _complete(rows, plans)
    for plan in plans.shown:
        values = _present(row.rates[plan].value for row in complete)
        behind = tuple(sliced.reference(agent=row.agent, faults=plan) for row in complete)
        cell = share_cell(mean(values), sliced.reference(faults=plan), note=_of(values, rows))
        cells.append(cell.model_copy(update={"trials": behind}) if len(complete) < len(rows) else cell)
    ratios = _present(row.r for row in rows)
    behind = _behind(sliced, plans)
    cells.append(decimal_cell(mean(ratios), 2, *behind, note=_of(ratios, rows) or ("" if ratios else "no R")))
    return [*cells, *([Cell(text="")] if layout == "full" else [])]


def ratio_of_means(rows: Sequence[_Row], plans: Plans) -> Fraction | None:
    """The worst mean disturbed rate over the mean clean rate, of the agents that have an R."""
    complete = [row for row in rows if row.r is not None]
    means = {
        plan: mean(_present(row.rates[plan].value for row in complete))
        for plan in (plans.clean, *plans.disturbed)
    }
    clean, worst = means[plans.clean], [means[plan] for plan in plans.disturbed]
    return min(_present(worst)) / clean if complete and clean else None


def _present(values: Iterable[Fraction | None]) -> list[Fraction]:
    return [value for value in values if value is not None]


def _of(values: Sequence[Fraction], rows: Sequence[_Row]) -> str:
    return f"mean of {len(values)} of {len(rows)} agents" if 0 < len(values) < len(rows) else ""


def _behind(sliced: Slices, plans: Plans, agent: str = "") -> tuple[Selector, ...]:
    return tuple(sliced.reference(agent=agent, faults=plan) for plan in (plans.clean, *plans.disturbed))


def _columns(plans: Plans, layout: Layout) -> tuple[Column, ...]:
    full = layout == "full"
    return (
        Column(key="agent", title="Agent" if full else "Model", numeric=False),
        *[Column(key=column_key(plan), title=plan, unit="%") for plan in plans.shown],
        Column(key="R", title=_called(layout)),
        *([Column(key="n", title="Tasks")] if full else []),
    )


def _called(layout: Layout) -> str:
    """What the column of R is called: notes must use the word that stands above it."""
    return "R" if layout == "full" else "Rob."


def _notes(sliced: Slices, rows: Sequence[_Row], plans: Plans, layout: Layout) -> tuple[str, ...]:
    called = _called(layout)
    more = [
        f"{called}: min({', '.join(plans.disturbed)}) / {plans.clean}, from counts and not from rounded rates."
    ]
    if plans.disturbed != PUBLISHED:
        more.append(f"{called} of other plans than {', '.join(PUBLISHED)} is not comparable with theirs.")
    ratio = ratio_of_means(rows, plans)
    beside = f"; the ratio of the means is {decimal(ratio, 2)}" if ratio is not None else ""
    more.append(f"{AVERAGE}: means of the columns, {called} the mean of {called}{beside}.")
    if layout == "full":
        more.append(
            "The minimum of noisy rates lies too low, so R does as well: by its bias. Don't rank by R without it."
        )
    declared = [f"{row.agent}|{plan}" for row in rows for plan in plans.shown]
    rated = [sliced.reference(agent=row.agent, faults=plan) for row in rows for plan in plans.shown]
    foot = Foot(declared=declared, drawn=layout == "full", each="rates", more=more)
    return footer(sliced, rated, foot, layout)
