from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.errors import UsageError
from replaylab.faults.plan import EXPLICIT, IMPLICIT, expected_calls, named
from replaylab.faults.schedule import schedule
from replaylab.schema.scenario import Plan, PlannedCall, Rubric, Task

names = st.sampled_from(["E1", "E2", "E3"])

ELSEWHERE = """
import json
from replaylab.faults.plan import named
from replaylab.faults.schedule import schedule
print(json.dumps([schedule(named(n, c, d, s), t, e) for n in ("E0", "E1", "E2", "E3") for c in (1, 2, 5)
                  for d in (1, 3) for s in (0, 7) for t in ("a", "b/ü") for e in (3, 40)]))
"""


def test_the_schedule_is_the_same_in_any_process() -> None:
    root = Path(__file__).parents[2]
    outputs = set()
    for hash_seed in ("0", "1", "4242"):
        surroundings = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(root)}
        outputs.add(
            subprocess.run(
                [sys.executable, "-c", ELSEWHERE],
                env=surroundings,
                capture_output=True,
                check=True,
                text=True,
            ).stdout
        )
    assert len(outputs) == 1
    here = [
        schedule(named(n, c, d, s), t, e)
        for n in ("E0", "E1", "E2", "E3")
        for c in (1, 2, 5)
        for d in (1, 3)
        for s in (0, 7)
        for t in ("a", "b/ü")
        for e in (3, 40)
    ]
    assert json.loads(outputs.pop()) == json.loads(json.dumps(here))


def test_a_known_schedule_stays_what_it_was() -> None:
    """A schedule is part of what a recording means, so a change here breaks every recording with faults."""
    faults = schedule(named("E3", count=3, seed=11), "triage-1", 21).faults
    assert [(due.kind, due.call) for due in faults] == [
        ("stale", 4),
        ("unavailable", 9),
        ("missing_fields", 17),
    ]


@given(names, st.integers(1, 6), st.integers(1, 4), st.integers(0, 99), st.integers(1, 80))
def test_faults_are_spaced_one_in_each_equal_part(
    name: str, count: int, duration: int, seed: int, length: int
) -> None:
    faults = schedule(named(name, count, duration, seed), "task", length).faults
    assert [due.fault for due in faults] == list(range(count))
    for due in faults:
        start, end = due.fault * length // count, (due.fault + 1) * length // count
        assert start <= due.call <= max(start, end - duration - 1)


@given(st.integers(1, 4), st.integers(0, 99))
def test_the_kinds_of_one_trial_differ_while_there_are_kinds_left(count: int, seed: int) -> None:
    for name, kinds in (("E1", EXPLICIT), ("E2", IMPLICIT)):
        drawn = [due.kind for due in schedule(named(name, count, 2, seed), "task", 30).faults]
        assert len(set(drawn)) == count
        assert set(drawn) <= set(kinds)


@given(st.integers(1, 9), st.integers(0, 99))
def test_a_mixed_plan_alternates(count: int, seed: int) -> None:
    explicit = [due.explicit for due in schedule(named("E3", count, 2, seed), "task", 60).faults]
    assert all(left != right for left, right in pairwise(explicit))


def test_seed_task_and_plan_each_change_the_schedule() -> None:
    def drawn(seed: int = 0, task: str = "a", name: str = "E1") -> object:
        return schedule(named(name, 3, 2, seed), task, 60).faults

    assert len({drawn(), drawn(seed=1), drawn(task="b"), drawn(name="E3")}) == 4


def test_e0_is_clean_and_the_defaults_are_two_faults_of_two_calls() -> None:
    assert schedule(named("E0"), "task", 20).faults == ()
    for name, explicit, implicit in (("E1", True, False), ("E2", False, True), ("E3", True, True)):
        plan = named(name)
        assert (plan.count, plan.duration, plan.explicit, plan.implicit) == (2, 2, explicit, implicit)


def test_an_unknown_plan_names_the_closest() -> None:
    with pytest.raises(UsageError) as caught:
        named("e2")
    assert caught.value.closest == "E2"
    with pytest.raises(UsageError):
        named("E1", count=-1)
    with pytest.raises(UsageError):
        named("E1", duration=0)


def test_the_length_is_that_of_the_reference_plan_where_there_is_one() -> None:
    task = Task(
        id="t", scenario="s", environment="e", instruction="", rubric=Rubric(text=""), expected_calls=9
    )
    plan = Plan(calls=(PlannedCall(tool="a"), PlannedCall(tool="b")), answer="")
    assert expected_calls(task) == 9
    assert expected_calls(task.model_copy(update={"plan": plan})) == 2
