"""Agents along a series, each compared with the one before: what `generations` and `effort` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.score.cells import ALL, Rate, empty, fraction_cell, rate, rate_cell, text_cell
from replaylab.score.footer import Foot, footer
from replaylab.score.pairs import Compared, adjust, adjusted_cell, compare, difference_cell, family_of, p_of
from replaylab.score.series import Series
from replaylab.score.slices import Slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

_NUMBERS = (
    Column(key="k_n", title="Passed"),
    Column(key="rate", title="Rate", unit="%"),
    Column(key="difference", title="Gained", unit="points"),
    Column(key="p", title="p"),
    Column(key="p_holm", title="p (Holm)"),
)


class Step(NamedTuple):
    """An agent at its place in a series. `compared` is it minus the one before; `why` says why there is none."""

    series: Series
    value: str
    agent: str
    which: Selector
    rate: Rate
    compared: Compared | None
    why: str

    @property
    def counts(self) -> bool:
        """Whether there is a trial that its rate stands on."""
        return self.rate.value is not None


class Told(NamedTuple):
    """What a table of steps is called, and the first columns: the series, the value, the agent."""

    id: str
    title: str
    series: str
    value: str
    note: str
    left_out: Sequence[str] = ()


def steps_of(sliced: Slices, series: Sequence[Series]) -> tuple[Step, ...]:
    """Every agent of every series, p values adjusted over all of them."""
    found = [step for one in series for step in _along(sliced, one)]
    adjusted = iter(adjust([step.compared for step in found if step.compared]))
    return tuple(step._replace(compared=next(adjusted)) if step.compared else step for step in found)


def _along(sliced: Slices, series: Series) -> list[Step]:
    found: list[Step] = []
    before: list[Step] = []
    for value, agents in series.steps:
        now = []
        for agent in agents:
            which = sliced.reference(agent=agent)
            rated = rate(sliced, which, ALL)
            one, why = _compared(sliced, which, rated, before)
            now.append(Step(series, value, agent, which, rated, one, why))
        found += now
        # An agent without trials is no step to compare with: the next one is compared with the one before it.
        before = [step for step in now if step.counts] or before
    return found


def _compared(
    sliced: Slices, which: Selector, rated: Rate, before: Sequence[Step]
) -> tuple[Compared | None, str]:
    if rated.value is None:
        return None, "no rate to compare"
    if not before:
        return None, "the first of its series"
    if len(before) > 1:
        return None, f"several agents are one step before: {', '.join(step.agent for step in before)}"
    return compare(sliced, which, before[0].which), ""


def comparable(sliced: Slices, series: Sequence[Series]) -> tuple[Series, ...]:
    """The series in which two steps or more have trials."""
    held = {agent for one in series for agent in one.agents if sliced.select(sliced.reference(agent=agent))}
    return tuple(
        one for one in series if sum(any(name in held for name in names) for _, names in one.steps) > 1
    )


def table_of(sliced: Slices, steps: Sequence[Step], told: Told, layout: Layout) -> Table:
    """The table: the paper layout has the rate alone."""
    full = layout == "full"
    columns = [
        Column(key=told.series, title=told.series.title(), numeric=False),
        Column(key=told.value, title=told.value.title(), numeric=False),
        Column(key="agent", title="Agent", numeric=False),
        *[column for column in _NUMBERS if full or column.key == "rate"],
    ]
    compared = [step.compared for step in steps if step.compared]
    notes = [
        f"{name}: {note}."
        for name, note in {step.series.name: step.series.note for step in steps}.items()
        if note
    ]
    foot = Foot(
        declared=[f"{step.agent}|{ALL}" for step in steps],
        family=family_of(compared, told.note) if full else None,
        more=[*notes, *[f"Not shown: {one}." for one in told.left_out]],
    )
    return Table(
        id=told.id,
        title=told.title,
        layout=layout,
        columns=tuple(columns),
        rows=tuple(_row(step, layout) for step in steps),
        notes=footer(sliced, [step.which for step in steps], foot, layout),
    )


def _row(step: Step, layout: Layout) -> tuple[Cell, ...]:
    named = [text_cell(text, step.which) for text in (step.series.name, step.value, step.agent)]
    shown = rate_cell(step.rate, step.which, layout=layout)
    if layout == "paper":
        return (*named, shown)
    return (*named, fraction_cell(step.rate, step.which), shown, *_gained(step))


def _gained(step: Step) -> tuple[Cell, Cell, Cell]:
    if step.compared is None:
        return empty(step.why), empty(step.why), empty(step.why)
    return difference_cell(step.compared), p_of(step.compared), adjusted_cell(step.compared)
