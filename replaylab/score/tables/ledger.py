"""ledger: what was planned under each condition and what became of it. It stands above every other table."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.score.cells import (
    Rate,
    number_cell,
    outcomes,
    plural,
    rate,
    rate_cell,
    rate_of,
    share_cell,
    text_cell,
)
from replaylab.score.facts import Study
from replaylab.score.footer import denominator_note, evidence_notes, repeat_notes
from replaylab.score.slices import UNKNOWN, count, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

_OUTCOMES = {
    "passed": "pass",
    "failed": "fail",
    "error": "error",
    "missing": "missing",
    "unjudged": "unjudged",
}


def build(study: Study, layout: Layout) -> Table | None:
    """One row a condition that has planned trials, then the total. The same in both layouts."""
    if why_not(study):
        return None
    sliced = slices(study)
    unjudged = any(trial.outcome == "unjudged" for trial in study.trials)
    rows = []
    for condition in sliced.conditions():
        which = Selector(**condition._asdict())
        names = [text_cell(part, which) for part in condition]
        rows.append(
            (*names, *_counts(study, which, unjudged=unjudged), *_rates(rate(sliced, which), which, layout))
        )
    total = [text_cell("total", Selector()), *[Cell(text="") for _ in range(3)]]
    counted = count(study.trials)
    # Over conditions that differ there is no mean of tasks to take, nor an interval: this is k/n.
    whole = rate_of(study, study.trials)._replace(
        value=counted.rate(study.denominator), worst=counted.worst, best=counted.best, interval=None
    )
    rows.append((*total, *_counts(study, Selector(), unjudged=unjudged), *_rates(whole, Selector(), layout)))
    return Table(
        id="ledger",
        title="Ledger: what was planned and what became of it",
        layout=layout,
        columns=_columns(unjudged=unjudged),
        rows=tuple(rows),
        notes=_notes(study),
    )


def why_not(study: Study) -> str:
    """A ledger needs a plan."""
    return "" if study.trials else "no trials were planned"


def _columns(*, unjudged: bool) -> tuple[Column, ...]:
    names = [
        Column(key=key, title=key.title(), numeric=False)
        for key in ("agent", "simulator", "verifier", "faults")
    ]
    counts = [
        "planned",
        "recorded",
        "passed",
        "failed",
        "error",
        "missing",
        *(["unjudged"] if unjudged else []),
    ]
    rates = (("rate", "Rate"), ("worst", "Worst case"), ("best", "Best case"))
    return (
        *names,
        *[Column(key=key, title=key.title()) for key in counts],
        *[Column(key=key, title=title, unit="%") for key, title in rates],
    )


def _counts(study: Study, which: Selector, *, unjudged: bool) -> list[Cell]:
    trials = slices(study).select(which)
    found = count(trials)
    recorded = sum(trial.facts is not None for trial in trials)
    cells = [number_cell(len(trials), which), number_cell(recorded, which)]
    for field, outcome in _OUTCOMES.items():
        if field != "unjudged" or unjudged:
            cells.append(number_cell(getattr(found, field), which.model_copy(update={"outcome": outcome})))
    return cells


def _rates(found: Rate, which: Selector, layout: Layout) -> Sequence[Cell]:
    note = ", ".join(outcomes(found.counted.model_copy(update={"unjudged": 0})))
    return (
        rate_cell(found, which, layout=layout),
        share_cell(found.worst, which, note=f"if {note} had failed" if note else ""),
        share_cell(found.best, which, note=f"if {note} had passed" if note else ""),
    )


def _notes(study: Study) -> tuple[str, ...]:
    found = count(study.trials)
    notes = [denominator_note(study)]
    notes.append("Worst and best case: all errored and missing trials taken as failed, and as passed.")
    notes += repeat_notes(study.trials)
    if found.unjudged:
        notes.append(
            f"{plural(found.unjudged, 'trial')} recorded for the observations alone: nobody was asked to judge, so not in any "
            "rate."
        )
    unknown = sum(trial.scenario.id == UNKNOWN for trial in study.trials)
    if unknown:
        notes.append(
            f"{plural(unknown, 'trial')} of tasks that no cassette tells the scenario of: one cluster, in an industry "
            f'"{UNKNOWN}".'
        )
    kinds: dict[str, int] = {}
    for finding in study.findings:
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
    if kinds:
        notes.append(f"Findings: {', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))}.")
    return (*notes, *evidence_notes(study, study.trials))
