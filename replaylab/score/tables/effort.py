"""effort: what more reasoning effort gained, of one model."""

from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.series import Found, effort_ladders
from replaylab.score.slices import Slices, slices
from replaylab.score.tables.steps import Step, Told, comparable, steps_of, table_of
from replaylab.score.value import Layout, Table


def build(study: Study, layout: Layout) -> Table | None:
    """One row an agent, by model, from the least effort to the most; compared with the effort before."""
    if why_not(study):
        return None
    sliced = slices(study)
    told = Told(
        id="effort",
        title="Reasoning effort",
        series="model",
        value="effort",
        note="each effort against the one before",
        left_out=effort_ladders(study.agents).left_out,
    )
    return table_of(sliced, ladder_steps(sliced), told, layout)


def why_not(study: Study) -> str:
    """Two efforts of one model have to be known and played."""
    found = effort_ladders(study.agents)
    return "" if comparable(slices(study), found.series) else _missing(found)


def ladder_steps(sliced: Slices) -> tuple[Step, ...]:
    """The steps of every ladder that has two of them."""
    return steps_of(sliced, comparable(sliced, effort_ladders(sliced.study.agents).series))


def _missing(found: Found) -> str:
    if found.series:
        return "no two efforts of a model played under the reference condition"
    return "; ".join(found.left_out) or "no model has two reasoning efforts (settings: effort)"
