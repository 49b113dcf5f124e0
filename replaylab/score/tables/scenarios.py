"""scenarios (T1): how many scenarios, tasks and domains each industry has. A scenario counts where it has tasks."""

from __future__ import annotations

from replaylab.score.cells import number_cell, plural, text_cell
from replaylab.score.facts import Study
from replaylab.score.footer import evidence_notes
from replaylab.score.industries import in_order
from replaylab.score.slices import UNKNOWN, Extent, extent, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table


def build(study: Study, layout: Layout) -> Table | None:
    """Industries by falling number of scenarios, ties in the order of industries; then the total."""
    if why_not(study):
        return None
    sliced = slices(study)
    present = in_order(trial.scenario.industry for trial in study.trials)
    found = {name: extent(sliced.select(Selector(industry=name))) for name in present}
    names = sorted(present, key=lambda name: -found[name].scenarios)
    rows = [_row(name, found[name], Selector(industry=name), layout) for name in names]
    rows.append(_row("Total", extent(study.trials), Selector(), layout))
    keys = ["scenarios", "tasks", "domains", *(["trials"] if layout == "full" else [])]
    return Table(
        id="scenarios",
        title="Scenarios by industry",
        layout=layout,
        columns=(
            Column(key="industry", title="Industry", numeric=False),
            *[Column(key=key, title=key.title()) for key in keys],
        ),
        rows=tuple(rows),
        notes=_notes(study),
    )


def why_not(study: Study) -> str:
    """Missing trials alone tell of no scenario."""
    known = any(trial.scenario.id != UNKNOWN for trial in study.trials)
    return "" if known else "no trial was recorded, so no scenario is known"


def _row(name: str, found: Extent, which: Selector, layout: Layout) -> tuple[Cell, ...]:
    numbers = [found.scenarios, found.tasks, found.domains, *([found.trials] if layout == "full" else [])]
    return (text_cell(name, which), *[number_cell(number, which) for number in numbers])


def _notes(study: Study) -> tuple[str, ...]:
    notes = [
        "Scenarios that have tasks in this study. A domain of two industries counts in both, and once in the total."
    ]
    unknown = {trial.task for trial in study.trials if trial.scenario.id == UNKNOWN}
    if unknown:
        notes.append(
            f'"{UNKNOWN}": {plural(len(unknown), "task")} with no trial but missing ones, so of no known scenario.'
        )
    return (*notes, *evidence_notes(study, study.trials))
