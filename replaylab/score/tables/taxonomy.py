"""taxonomy: why trials failed, by agent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from replaylab.derive.taxonomy import Failure
from replaylab.score.cells import empty, number_cell, plural, text_cell
from replaylab.score.facts import Study, Trial
from replaylab.score.footer import evidence_notes, reference_notes
from replaylab.score.slices import Slices, count, slices
from replaylab.score.value import Cell, Column, Layout, Selector, Table

KINDS: tuple[str, ...] = get_args(Failure)
NOTES = (
    "All fault plans together, since some failures only happen where observations are disturbed.",
    "A trial counts once in each kind that it shows, so kinds may add up to more than the failed trials.",
    "Infrastructure error: trials that ended in an error. They are not among the failed ones.",
)


def build(study: Study, layout: Layout) -> Table | None:
    """One row an agent that has failed or errored trials with a reason, in spec order."""
    if layout == "paper" or why_not(study):
        return None
    sliced = slices(study)
    kinds = [*KINDS, *sorted(_kinds(sliced) - set(KINDS))]
    agents = [agent for agent in study.agents if sliced.select(_selector(sliced, agent))]
    columns = (
        Column(key="agent", title="Agent", numeric=False),
        Column(key="failed", title="Failed"),
        *[Column(key=kind, title=kind.replace("_", " ").capitalize()) for kind in kinds],
    )
    every = sliced.select(_selector(sliced, ""))
    return Table(
        id="taxonomy",
        title="Why trials failed",
        layout=layout,
        columns=columns,
        rows=tuple(_row(sliced, agent, kinds) for agent in agents),
        notes=(
            *reference_notes(study, every),
            *NOTES,
            *_lacking(sliced, agents),
            *evidence_notes(study, every),
        ),
    )


def why_not(study: Study) -> str:
    """Some failed trial has to have a reason."""
    sliced = slices(study)
    if _kinds(sliced):
        return ""
    found = count(sliced.select(_selector(sliced, "")))
    if not found.failed and not found.error:
        return "no trial failed"
    return f"none of the {found.failed + found.error} failed and errored trials says why"


def _selector(sliced: Slices, agent: str) -> Selector:
    """Under every fault plan."""
    return sliced.reference(agent=agent, faults="")


def _kinds(sliced: Slices) -> set[str]:
    return {
        kind for trial in sliced.select(_selector(sliced, "")) if trial.facts for kind in trial.facts.failures
    }


def _row(sliced: Slices, agent: str, kinds: Sequence[str]) -> tuple[Cell, ...]:
    which = _selector(sliced, agent)
    failing = {outcome: which.model_copy(update={"outcome": outcome}) for outcome in ("fail", "error")}
    failed, errored = sliced.select(failing["fail"]), sliced.select(failing["error"])
    named = (text_cell(agent, which), number_cell(len(failed), failing["fail"]))
    told = _told([*failed, *errored])
    if (failed or errored) and not told:
        return (*named, *[empty("no reason is known for any of its trials") for _ in kinds])
    silent = sum(not (trial.facts and trial.facts.failures) for trial in failed)
    note = f"{plural(silent, 'failed trial')} {'says' if silent == 1 else 'say'} no reason" if silent else ""
    return (
        named[0],
        named[1].model_copy(update={"note": note}),
        *[
            number_cell(told[kind], failing["error" if kind == "infrastructure_error" else "fail"])
            for kind in kinds
        ],
    )


def _told(trials: Sequence[Trial]) -> Counter[str]:
    """How many trials show each kind."""
    return Counter(kind for trial in trials if trial.facts for kind in sorted(set(trial.facts.failures)))


def _lacking(sliced: Slices, agents: Sequence[str]) -> list[str]:
    """Agents that played under fewer plans than others: their counts can't be compared."""
    plans = [name for name in sliced.study.faults if sliced.select(sliced.reference(faults=name))]
    notes = []
    for agent in agents:
        lacks = [name for name in plans if not sliced.select(sliced.reference(agent=agent, faults=name))]
        if lacks:
            notes.append(f"{agent} did not play under {', '.join(lacks)}.")
    return notes
