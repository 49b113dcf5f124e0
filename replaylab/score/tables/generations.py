"""generations: what a newer generation of a model series gained, at the same size class and effort."""

from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.series import Found, generation_series
from replaylab.score.slices import slices
from replaylab.score.tables.steps import Told, comparable, steps_of, table_of
from replaylab.score.value import Layout, Table


def build(study: Study, layout: Layout) -> Table | None:
    """One row an agent, by series, the oldest generation first; compared with the generation before."""
    if why_not(study):
        return None
    sliced, found = slices(study), generation_series(study.agents)
    told = Told(
        id="generations",
        title="Generations of a model series",
        series="series",
        value="generation",
        note="each generation against the one before",
        left_out=found.left_out,
    )
    return table_of(sliced, steps_of(sliced, comparable(sliced, found.series)), told, layout)


def why_not(study: Study) -> str:
    """Two generations of a family have to be known and played."""
    found = generation_series(study.agents)
    return "" if comparable(slices(study), found.series) else _missing(found)


def _missing(found: Found) -> str:
    if found.series:
        return "no two generations of a family played under the reference condition"
    return (
        "; ".join(found.left_out)
        or "no family of models has two generations (settings: family, generation, size)"
    )
