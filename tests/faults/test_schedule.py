from __future__ import annotations

import hashlib
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
from replaylab.faults.schedule import phase_of, schedule
from replaylab.schema.scenario import Plan, PlannedCall, Rubric, Task

names = st.sampled_from(["E1", "E2", "E3"])

BEYOND = ("persistent", "correlated", "targeted", "semantic", "slow", "E2+persistent+targeted")
ELSEWHERE = f"""
import json
BEYOND = {BEYOND!r}
from replaylab.faults.plan import named
from replaylab.faults.schedule import schedule
print(json.dumps([schedule(named(n, c, d, s), t, e) for n in ("E0", "E1", "E2", "E3", *BEYOND) for c in (1, 2, 5)
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
        for n in ("E0", "E1", "E2", "E3", *BEYOND)
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


def test_the_schedules_of_e0_to_e3_stay_what_they_were_before_there_were_other_plans() -> None:
    drawn = [
        schedule(named(n, c, d, s), t, e)
        for n in ("E0", "E1", "E2", "E3")
        for c in (1, 2, 5)
        for d in (1, 3)
        for s in (0, 7)
        for t in ("a", "b/ü")
        for e in (3, 40)
    ]
    name = hashlib.sha256(json.dumps(drawn).encode()).hexdigest()
    assert name == "7ea0a03f91908c4cf01921f61fad5573eb18ac3e22a8b79349568cce0179af88"


def test_the_plans_e0_to_e3_are_written_as_they_were() -> None:
    assert named("E0").to_json() == {}
    assert named("E3", seed=4).to_json() == {
        "name": "E3", "explicit": True, "implicit": True, "count": 2, "seed": 4,
    }  # fmt: skip


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


def test_parts_of_a_name_are_joined_in_one_order_whatever_the_order_they_are_given_in() -> None:
    plan = named("targeted+E2+persistent")
    assert plan == named("E2+persistent+targeted")
    assert (plan.name, plan.implicit, plan.explicit) == ("E2+persistent+targeted", True, False)
    assert (plan.persistent, plan.targeted, plan.correlated) == (True, True, False)


def test_a_spread_alone_says_what_goes_wrong() -> None:
    for name, explicit, implicit in (
        ("persistent", True, True),
        ("targeted", True, True),
        ("correlated", True, False),
    ):
        plan = named(name)
        assert (plan.explicit, plan.implicit, getattr(plan, name)) == (explicit, implicit, True)


def test_a_slow_plan_has_a_delay_and_a_budget_and_the_others_have_none() -> None:
    assert 0 < named("slow").delay_s < named("slow").budget_s
    assert named("E1").delay_s == named("E1").budget_s == 0


def test_the_published_way_is_part_of_the_name() -> None:
    plan = named("E2", mode="prompt")
    assert plan == named("E2+prompt")
    assert (plan.name, plan.mode) == ("E2+prompt", "prompt")
    assert named("E0", mode="prompt") == named("E0")


@pytest.mark.parametrize(
    "name", ["prompt", "E0+persistent", "E0+prompt", "semantic+prompt", "E1+targeted+prompt"]
)
def test_parts_that_do_not_go_together_are_refused(name: str) -> None:
    with pytest.raises(UsageError):
        named(name)


def test_a_targeted_fault_waits_from_the_start_of_its_part() -> None:
    assert [due.call for due in schedule(named("E1+targeted", 3), "task", 30).faults] == [0, 10, 20]


def test_a_wider_spacing_leaves_more_room_at_the_end_of_a_part() -> None:
    for seed in range(20):
        for due in schedule(named("E1", 2, 2, seed, spacing=5), "task", 20).faults:
            assert due.call <= 10 * due.fault + 3


def test_an_unknown_plan_names_the_closest() -> None:
    with pytest.raises(UsageError) as caught:
        named("e2")
    assert caught.value.closest == "E2"
    with pytest.raises(UsageError):
        named("E1", count=-1)
    with pytest.raises(UsageError):
        named("E1", duration=0)
    with pytest.raises(UsageError):
        named("E1", spacing=0)
    with pytest.raises(UsageError) as caught:
        named("E2+persistant")
    assert caught.value.closest == "persistent"


def test_the_length_is_that_of_the_reference_plan_where_there_is_one() -> None:
    task = Task(
        id="t", scenario="s", environment="e", instruction="", rubric=Rubric(text=""), expected_calls=9
    )
    plan = Plan(calls=(PlannedCall(tool="a"), PlannedCall(tool="b")), answer="")
    assert expected_calls(task) == 9
    assert expected_calls(task.model_copy(update={"plan": plan})) == 2


def test_a_trial_has_three_phases_of_equal_length() -> None:
    assert [phase_of(call, 9) for call in (0, 2, 3, 5, 6, 40)] == [
        "early", "early", "middle", "middle", "late", "late",
    ]  # fmt: skip


def test_other_numbers_than_the_published_ones_are_part_of_the_name() -> None:
    assert named("E3").name == named("E3@2x2").name == "E3"
    assert named("E3@4x1") == named("E3", 4, 1)
    assert (named("E3@4x1").name, named("E3@4x1").count, named("E3@4x1").duration) == ("E3@4x1", 4, 1)
    assert named("targeted+E2@1x3").name == "E2+targeted@1x3"
    assert named("E0@4x1").name == "E0"


@pytest.mark.parametrize("name", ["E3@", "E3@4", "E3@x", "E3@-1x2", "E3@4x2x1", "E3@4x0", "E3@1000x2"])
def test_an_unknown_spread_is_refused(name: str) -> None:
    with pytest.raises(UsageError):
        named(name)


def test_the_name_of_a_spread_takes_no_part_in_the_schedule() -> None:
    plan = named("E3", 4, 1)
    plain = plan.model_copy(update={"name": "E3"})
    assert schedule(plan, "task", 20) == schedule(plain, "task", 20)
