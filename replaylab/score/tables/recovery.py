"""recovery: what agents did about the faults that they met."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from replaylab.score.cells import decimal_cell, empty, in_points, number_cell, points, text_cell
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import evidence_notes, reference_notes
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, slices
from replaylab.score.stats.interval import clustered
from replaylab.score.tables.exposure import disturbing, faulted
from replaylab.score.value import Cell, Column, Interval, Layout, Table

_COUNTS = ("met", "seen", "retried", "recovered", "accepted")
COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="plan", title="Fault plan", numeric=False),
    *[Column(key=key, title=key.title()) for key in _COUNTS],
    Column(key="recovery", title="Recovered of met", unit="%"),
    Column(key="calls_to_recover", title="Calls to recover", unit="calls"),
)
NOTES = (
    "Met: faults that hit a call. Seen: the agent called again or spoke of it. Retried: the same call once more.",
    "Recovered: each hit call was made again without a fault or an error. Accepted: the answer says disturbed data.",
    "Calls to recover: from the first call that was hit, as a mean over the recovered faults.",
)


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by plan, in spec order."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    plans = disturbing(study)
    every = [trial for plan in plans for trial in sliced.select(sliced.reference(faults=plan))]
    return Table(
        id="recovery",
        title="Recovery from faults",
        layout=layout,
        columns=COLUMNS,
        rows=tuple(_row(sliced, agent, plan) for agent in study.agents for plan in plans),
        notes=(*reference_notes(study, every), *NOTES, *evidence_notes(study, every)),
    )


def why_not(study: Study) -> str:
    """A fault has to have been met."""
    plans = disturbing(study)
    if not plans:
        return "no fault plan plans a fault"
    sliced = slices(study)
    met = sum(faulted(sliced.select(sliced.reference(faults=plan))).met for plan in plans)
    return "" if met else f"no fault was met under {', '.join(plans)}"


def _row(sliced: Slices, agent: str, plan: str) -> tuple[Cell, ...]:
    which = sliced.reference(agent=agent, faults=plan)
    named = (text_cell(agent, which), text_cell(plan, which))
    trials = [trial for trial in sliced.select(which) if trial.facts]
    if not trials:
        return (*named, *[empty("no recorded trials") for _ in COLUMNS[2:]])
    found = faulted(trials)
    counts = [number_cell(getattr(found, key), which) for key in _COUNTS]
    if not found.met:
        return (*named, *counts, empty("no fault was met"), empty("no fault was met"))
    share = Fraction(found.recovered, found.met)
    mean = Fraction(found.calls_to_recover, found.recovered) if found.recovered else None
    return (
        *named,
        *counts,
        Cell(text=percent(share, 1), value=points(share), interval=_interval(trials), trials=(which,)),
        decimal_cell(mean, 1, which, note="" if found.recovered else "none recovered"),
    )


def _interval(trials: Sequence[Trial]) -> Interval | None:
    """Clustered by scenario: each fault that was met is one outcome."""
    groups: dict[str, list[float]] = {}
    for trial in trials:
        if trial.facts and (met := trial.facts.faulted.met):
            recovered = trial.facts.faulted.recovered
            groups.setdefault(trial.scenario.id, []).extend([1.0] * recovered + [0.0] * (met - recovered))
    return in_points(clustered([groups[name] for name in sorted(groups)]))
