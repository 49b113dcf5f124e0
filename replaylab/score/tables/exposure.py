"""exposure: whether each agent met the faults that were planned for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from replaylab.score.cells import empty, number_cell, points, text_cell
from replaylab.score.facts import Faulted, Study, Trial
from replaylab.score.footer import evidence_notes, reference_notes
from replaylab.score.rounding import percent
from replaylab.score.slices import Slices, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

_COUNTS = ("planned", "delivered", "not_due", "nothing_to_hit", "calls_hit")
_TITLES = ("Planned", "Delivered", "Not due", "Nothing to hit", "Calls hit")
COLUMNS = (
    Column(key="agent", title="Agent", numeric=False),
    Column(key="plan", title="Fault plan", numeric=False),
    *[Column(key=key, title=title) for key, title in zip(_COUNTS, _TITLES, strict=True)],
    Column(key="exposure", title="Exposure", unit="%"),
)
NOTES = (
    "Exposure: faults delivered out of those planned, over the recorded trials.",
    "Not due: the trial ended before. Nothing to hit: no later call was one that the fault could disturb.",
)


def build(study: Study, layout: Layout) -> Table | None:
    """Agents by plan, in spec order; plans without faults are in the notes."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    plans = disturbing(study)
    every = [trial for plan in plans for trial in sliced.select(sliced.reference(faults=plan))]
    rows = tuple(_row(sliced, agent, plan) for agent in study.agents for plan in plans)
    return Table(
        id="exposure",
        title="Faults planned and met",
        layout=layout,
        columns=COLUMNS,
        rows=rows,
        notes=(
            *reference_notes(study, every),
            *NOTES,
            *_uneven(sliced, plans),
            *_clean(sliced),
            *evidence_notes(study, every),
        ),
    )


def why_not(study: Study) -> str:
    """A fault has to have been planned, in a trial that was recorded."""
    if not disturbing(study):
        return "no fault plan plans a fault"
    sliced = slices(study)
    held = [trial for plan in disturbing(study) for trial in sliced.select(sliced.reference(faults=plan))]
    if any(trial.facts and trial.facts.faulted != Faulted() for trial in held):
        return ""
    return "no recorded trial under a plan with faults tells of one"


def disturbing(study: Study) -> list[str]:
    """The plans that plan faults, in spec order."""
    return [name for name, plan in study.faults.items() if plan.count]


def faulted(trials: Sequence[Trial]) -> Faulted:
    """What these trials met, added up."""
    held = [trial.facts.faulted for trial in trials if trial.facts]
    times = Counter(map(id, held))  # thousands of trials met the same, and share one object
    kinds = {id(one): one for one in held}
    return Faulted(
        **{
            name: sum(getattr(one, name) * times[number] for number, one in kinds.items())
            for name in Faulted.model_fields
        }
    )


def _row(sliced: Slices, agent: str, plan: str) -> tuple[Cell, ...]:
    which = sliced.reference(agent=agent, faults=plan)
    named = (text_cell(agent, which), text_cell(plan, which))
    trials = [trial for trial in sliced.select(which) if trial.facts]
    if not trials:
        return (*named, *[empty("no recorded trials") for _ in COLUMNS[2:]])
    found = faulted(trials)
    return (
        *named,
        *[number_cell(getattr(found, key), which) for key in _COUNTS],
        _share(sliced, found, which),
    )


def _share(sliced: Slices, found: Faulted, which: Selector) -> Cell:
    if sliced.study.faults[which.faults].mode == "prompt":
        return empty("the simulator was asked to inject the faults: the harness delivers none")
    if not found.planned:
        return empty("no fault was planned")
    share = Fraction(found.delivered, found.planned)
    return Cell(text=percent(share, 1), value=points(share), trials=(which,))


def _uneven(sliced: Slices, plans: Sequence[str]) -> list[str]:
    """By how much agents differ: one that ends early meets fewer faults, which makes its rate no better."""
    notes = []
    for plan in plans:
        shares = {
            agent: Fraction(found.delivered, found.planned)
            for agent in sliced.study.agents
            if (found := faulted(sliced.select(sliced.reference(agent=agent, faults=plan)))).planned
        }
        if len(shares) > 1 and sliced.study.faults[plan].mode != "prompt":
            low, high = min(shares, key=lambda one: shares[one]), max(shares, key=lambda one: shares[one])
            notes.append(
                f"{plan}: from {percent(shares[low], 1)} % ({low}) to {percent(shares[high], 1)} % ({high})."
                if shares[low] < shares[high]
                else f"{plan}: the same exposure for all agents."
            )
    return notes


def _clean(sliced: Slices) -> list[str]:
    """That nothing was disturbed where nothing was to be."""
    notes = []
    for name, plan in sliced.study.faults.items():
        if not plan.count and (trials := sliced.select(sliced.reference(faults=name))):
            hit = faulted(trials).calls_hit
            notes.append(f"{name} plans no faults: {hit} calls were disturbed.")
    return notes
