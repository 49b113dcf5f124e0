"""Whether the simulators of some runs agree on agents: rankings, what drives their disagreement, what explains it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

from replaylab.compare.agreement import Disagreement, disagreement, pairs_between
from replaylab.compare.explained import Explained, explained
from replaylab.compare.metrics import decided
from replaylab.compare.pairing import Pair
from replaylab.compare.reading import answered
from replaylab.compare.recorded import first_call
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Evidence
from replaylab.schema.model import ModelSettings
from replaylab.score.facts import Study
from replaylab.score.read import read_study
from replaylab.score.tables import agreement as agreement_table
from replaylab.score.tables import simulators as simulators_table
from replaylab.score.value import Table
from replaylab.store.library import Library

Progress = Callable[[int, int], None]


class Between(Frozen):
    """Two simulators: where they disagree, and whether violations explain the verdicts that flipped."""

    found: Disagreement
    explained: Explained


class Agreement(Frozen):
    """The simulators of one kind of evidence. `ranks` are the tables of `score`: rates with ranks, agreement of orders.

    `why_not` says why there is nothing to compare, "" where there is.
    """

    evidence: Evidence
    simulators: dict[str, ModelSettings]
    between: tuple[Between, ...]
    ranks: tuple[Table, ...]
    why_not: str = ""


def agreements(
    library: Library,
    runs: Sequence[str] = (),
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> tuple[Agreement, ...]:
    """One value for each kind of evidence in these runs, of every run of the library for none."""
    names = runs or library.trial_refs()
    if not names:
        return ()
    # A rate here is of trials with a verdict: what is unknown is held against nobody.
    studies = [
        study.model_copy(update={"denominator": "decided"}) for study in read_study(library, names, jobs=jobs)
    ]
    return tuple(_agreement(library, study, jobs, progress) for study in studies)


def between(
    library: Library,
    a: str,
    b: str,
    pairs: Sequence[Pair],
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
) -> Between | None:
    """Two simulators on these pairs of trials; None without a pair of verdicts."""
    found = disagreement(a, b, pairs)
    if found is None:
        return None
    wanted = [side.facts.cassette for pair in decided(pairs) for side in pair if side.facts]
    answers = answered(library, wanted, jobs=jobs, progress=progress)
    return Between(found=found, explained=explained(pairs, answers, first_call(library)))


def _agreement(library: Library, study: Study, jobs: int, progress: Progress) -> Agreement:
    made = (
        between(library, a, b, pairs_between(study, a, b), jobs=jobs, progress=progress)
        for a, b in combinations(study.simulators, 2)
    )
    found = tuple(one for one in made if one is not None)
    built = [table.build(study, "full") for table in (simulators_table, agreement_table)]
    why = ""
    if len(study.simulators) < 2:
        why = f"there is one simulator alone: {', '.join(study.simulators)}"
    elif not found:
        why = "no trial of one simulator has a verdict and a counterpart of another (same agent, task, faults, number)"
    return Agreement(
        evidence=study.evidence,
        simulators=study.simulators,
        between=found,
        ranks=tuple(table for table in built if table is not None),
        why_not=why,
    )
