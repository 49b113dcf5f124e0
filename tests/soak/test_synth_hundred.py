"""A hundred new tasks over all shipped scenarios: each keeps every rule, is solved by its plan on the twin, and is another one."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from replaylab.catalogue.loader import Catalogue
from replaylab.examine.examine import Examiner
from replaylab.synthesis.diversity import print_of, similarity
from replaylab.synthesis.proof import OF_SETS
from replaylab.synthesis.publish import publish
from tests.playground import catalogue
from tests.synthesis.playing import order, source, synthesise

INSTANCES = 5


@pytest.mark.soak
def test_the_program_makes_a_hundred_tasks_that_are_new_valid_solvable_and_neither_always_nor_never_solved(
    tmp_path: Path,
) -> None:
    sources = tuple(source(one.id) for one in catalogue().scenarios)
    wanted = order(sources=sources, instances=INSTANCES, held_out=30)
    played = synthesise(tmp_path, wanted)
    kept = played.made.kept
    assert len(kept) >= 100
    assert {one.place.source.id for one in kept} == {one.id for one in sources}
    assert all(task.with_plan.passed == 1 and 0 < (task.rate or 0) < 1 for task in played.history.kept)
    publish(played.made, tmp_path / "tasks", "2026-01-02")
    sets = [tmp_path / "tasks" / name for name in ("public", "held-out")]
    examined = Examiner(trusted=sets).examine(sets)
    assert examined.tasks == len(kept)
    assert not [one for one in examined.findings if one.kind not in OF_SETS]
    prints = {one.task.id: print_of(one.task, one.environment) for one in kept}
    worst = max(similarity(prints[a], prints[b]) for a, b in combinations(prints, 2))
    assert worst < wanted.alike
    assert len({one.plan for one in prints.values()}) >= 100
    assert len(Catalogue.load(sets).tasks) == len(kept)
    assert synthesise(tmp_path, wanted, offline=True).history == played.history
