"""Every table by its id, in the order of a document, and why those are left out that have nothing to show."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from replaylab.score.facts import Study
from replaylab.score.money import Prices
from replaylab.score.tables import (
    agreement,
    cost,
    difficulty,
    effort,
    effort_cost,
    exposure,
    fault_ablation,
    fault_effects,
    faults,
    generations,
    industries,
    judge,
    ledger,
    overall,
    pairwise,
    ranks,
    recovery,
    repeats,
    scenarios,
    simulators,
    size,
    taxonomy,
)
from replaylab.score.value import Layout, Table

Build = Callable[..., Table | None]


class Entry(NamedTuple):
    """How a table is made: `build(study, layout)`, where it is `priced` `build(study, layout, prices)`.

    `why_not(study)` says why there is nothing to show, "" where there is.
    """

    build: Build
    why_not: Callable[[Study], str]
    priced: bool = False


class LeftOut(NamedTuple):
    """A table that is not there, and why."""

    id: str
    why: str


class Built(NamedTuple):
    """The tables of a document in their order."""

    tables: tuple[Table, ...]
    left_out: tuple[LeftOut, ...]


TABLES: dict[str, Entry] = {
    "ledger": Entry(ledger.build, ledger.why_not),
    "scenarios": Entry(scenarios.build, scenarios.why_not),
    "overall": Entry(overall.build, overall.why_not),
    "industries": Entry(industries.build, industries.why_not),
    "difficulty": Entry(difficulty.build, difficulty.why_not),
    "faults": Entry(faults.build, faults.why_not),
    "fault_effects": Entry(fault_effects.build, fault_effects.why_not),
    "ranks": Entry(ranks.build, ranks.why_not),
    "simulators": Entry(simulators.build, simulators.why_not),
    "agreement": Entry(agreement.build, agreement.why_not),
    "fault_ablation": Entry(fault_ablation.build, fault_ablation.why_not),
    "size": Entry(size.build, size.why_not),
    "generations": Entry(generations.build, generations.why_not),
    "effort": Entry(effort.build, effort.why_not),
    "effort_cost": Entry(effort_cost.build, effort_cost.why_not, priced=True),
    "pairwise": Entry(pairwise.build, pairwise.why_not),
    "repeats": Entry(repeats.build, repeats.why_not),
    "judge": Entry(judge.build, judge.why_not),
    "cost": Entry(cost.build, cost.why_not, priced=True),
    "taxonomy": Entry(taxonomy.build, taxonomy.why_not),
    "recovery": Entry(recovery.build, recovery.why_not),
    "exposure": Entry(exposure.build, exposure.why_not),
}

NOT_PUBLISHED = "the paper layout has no such table; the full layout shows it"


def build_document(
    study: Study, layout: Layout, prices: Prices | None = None, *, names: Iterable[str] = TABLES
) -> Built:
    """Every table that has something to show, and the reasons for the others. `names` are those to make, in order."""
    tables, left_out = [], []
    for name in names:
        entry = TABLES[name]
        table = entry.build(study, layout, prices or {}) if entry.priced else entry.build(study, layout)
        if table is None:
            left_out.append(LeftOut(name, entry.why_not(study) or NOT_PUBLISHED))
        else:
            tables.append(table)
    return Built(tuple(tables), tuple(left_out))


def build_all(study: Study, layout: Layout, prices: Prices | None = None) -> tuple[Table, ...]:
    """Every table that has something to show."""
    return build_document(study, layout, prices).tables
