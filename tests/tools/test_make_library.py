from __future__ import annotations

from collections import Counter
from pathlib import Path

from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import verify
from replaylab.score.read import read_study
from replaylab.store.library import Library
from tools.make_library import AGENTS, BLOCKS, INDUSTRIES, WHOLE, make, played, some_tasks


def test_a_small_one_is_sound_and_says_everywhere_that_nobody_played_it(tmp_path: Path) -> None:
    library = Library(tmp_path)
    runs = make(library, 70, seed=3)
    assert verify(library).findings == []
    assert sorted(library.refs()) == sorted(block.run for block in BLOCKS)
    (study,) = read_study(library, runs)
    assert study.evidence == "authored"
    names = [*study.agents, *study.simulators, *study.verifiers, *(one.scenario.name for one in study.trials)]
    assert all(name.startswith("made-up-") or name == "?" for name in names)
    assert {one.player for one in study.agents.values()} == {"program"}
    lanes = [len(open_cassette(library, name).lanes["agent"]) for name in library.objects("cassette")]
    assert 12 <= sorted(lanes)[len(lanes) // 2] <= 19


def test_it_has_the_shape_of_the_published_study() -> None:
    tasks = some_tasks(382, seed=1)
    assert (len({one.task.id for one in tasks}), len({one.scenario.id for one in tasks})) == (382, 98)
    found = Counter(one.scenario.industry for one in tasks)
    assert found == {industry: tasks for industry, (_, tasks) in INDUSTRIES.items()}
    sizes = Counter(one.scenario.id for one in tasks).values()
    assert (min(sizes), max(sizes) >= 7) == (1, True)
    assert (len(AGENTS), WHOLE > 30_000) == (15, True)
    planned = sum(382 * block.agents * len(block.plans) for block in BLOCKS)
    assert planned == WHOLE


def test_verdicts_follow_the_seed_and_every_outcome_is_among_them() -> None:
    tasks = some_tasks(40, seed=1)
    one, two, other = (list(played(BLOCKS[0], tasks, seed)) for seed in (1, 1, 2))
    assert one == two != other
    counts = Counter(trial.outcome for trial in one)
    assert min(counts.values()) > 0
    assert counts.keys() == {"pass", "fail", "error"}
    assert len(one) < 40 * 15 * 4, "some are missing"
    assert any(len(set(trial.votes)) == 2 for trial in one)


def test_fewer_trials_are_fewer_tasks_of_every_industry() -> None:
    few = some_tasks(38, seed=1)
    assert len(few) == len({one.task.id for one in few}) == 38
    assert {one.scenario.industry for one in few} == set(INDUSTRIES)
