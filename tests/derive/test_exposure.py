from __future__ import annotations

import pytest

from replaylab.derive.exposure import exposure_of, summed
from replaylab.faults.of import injector_of
from replaylab.faults.plan import named
from replaylab.faults.schedule import schedule
from replaylab.schema.base import Json
from replaylab.schema.cassette import Header
from replaylab.schema.fault import FaultPlan
from replaylab.schema.scenario import Rubric
from replaylab.schema.trajectory import Action, Trajectory, Turn
from tests.derive.recording import header
from tests.roles.fakes import ASSIGN, ENVIRONMENT, ROOMS, TASK

CLEAN: Json = {"rooms": [{"id": f"R{n}", "beds": n + 2} for n in range(4)]}
HEAD = header()
CHECKS = ({"id": "put", "kind": "called", "tool": "assign_room"},)


def head_of(plan: FaultPlan, expected: int = 12) -> Header:
    task = TASK.model_copy(update={"expected_calls": expected, "rubric": Rubric(text="", checks=CHECKS)})
    return HEAD.model_copy(update={"faults": plan, "task": task})


def trial(head: Header, tools: str) -> Trajectory:
    """A trial of reads (r) and writes (w), under the plan of the header."""
    injector = injector_of(head.faults, head.task, ENVIRONMENT)
    actions = []
    for call, letter in enumerate(tools):
        tool, arguments = (ROOMS if letter == "r" else ASSIGN), {"room": "R1"}
        event = injector.explicit(call, tool, arguments)
        by = "faults" if event else "simulator"
        event = event or injector.implicit(call, tool, arguments, CLEAN)
        shown = event.delivered if event else CLEAN
        actions.append(
            Action.model_validate(
                {
                    "call": call,
                    "id": "",
                    "tool": tool.name,
                    "arguments": arguments,
                    "observation": shown,
                    "by": by,
                }
            ).model_copy(update={"fault": event})
        )
    turns = (Turn(actions=tuple(actions)), Turn(text="done"))
    return Trajectory(turns=turns, answer="done", termination="answered")


@pytest.mark.parametrize("name", ["E1", "E2", "E3", "slow", "E1+targeted", "E1+persistent"])
def test_in_a_long_trial_every_planned_fault_is_delivered(name: str) -> None:
    head = head_of(named(name, 2, 2))
    exposure = exposure_of(head, trial(head, "rw" * 30))
    assert (exposure.planned, exposure.delivered, exposure.not_due) == (2, 2, 0)
    assert [fault.met for fault in exposure.faults] == ["delivered"] * 2


def test_what_was_not_due_when_the_trial_ended_is_counted_and_named() -> None:
    head = head_of(named("E1", 3, 1), expected=30)
    due = schedule(head.faults, TASK.id, 30).faults
    exposure = exposure_of(head, trial(head, "r" * due[1].call))
    assert (exposure.planned, exposure.delivered, exposure.not_due, exposure.nothing_to_hit) == (3, 1, 2, 0)
    assert [fault.met for fault in exposure.faults] == ["delivered", "not_due", "not_due"]
    assert [fault.phase for fault in exposure.faults] == ["early", "middle", "late"]


def test_a_fault_that_the_end_of_the_trial_cut_short_was_delivered() -> None:
    head = head_of(named("E1", 1, 3))
    due = schedule(head.faults, TASK.id, 12).faults[0].call
    exposure = exposure_of(head, trial(head, "r" * (due + 2)))
    assert exposure.faults[0].met == "cut_short"
    assert exposure.faults[0].calls == (due, due + 1)
    assert (exposure.delivered, exposure.calls_hit) == (1, 2)


def test_an_implicit_fault_whose_time_passed_over_a_write_is_complete() -> None:
    head = head_of(named("E2", 1, 2))
    due = schedule(head.faults, TASK.id, 12).faults[0].call
    exposure = exposure_of(head, trial(head, "r" * (due + 1) + "ww"))
    assert (exposure.faults[0].met, exposure.calls_hit) == ("delivered", 1)


def test_a_fault_that_found_nothing_to_hit_is_told_apart_from_one_that_was_not_due() -> None:
    head = head_of(named("E2", 1, 2))
    exposure = exposure_of(head, trial(head, "w" * 20))
    assert (exposure.nothing_to_hit, exposure.not_due, exposure.delivered) == (1, 0, 0)


def test_slow_answers_are_added_up_against_the_budget() -> None:
    head = head_of(named("slow", 2, 2))
    exposure = exposure_of(head, trial(head, "r" * 30))
    assert (exposure.delay_s, exposure.budget_s, exposure.over_budget) == (120, 60, True)
    assert not exposure_of(head, trial(head, "r" * 5)).over_budget


def test_faults_that_the_simulator_was_asked_for_are_neither_delivered_nor_missing() -> None:
    head = head_of(named("E1+prompt"))
    exposure = exposure_of(head, trial(head, "r" * 20))
    assert {fault.met for fault in exposure.faults} == {"asked_for"}
    assert (exposure.planned, exposure.delivered, exposure.not_due, exposure.nothing_to_hit) == (2, 0, 0, 0)


def test_the_counts_of_trials_add_up_and_e0_has_none() -> None:
    clean = exposure_of(head_of(named("E0")), trial(head_of(named("E0")), "rrr"))
    assert (clean.planned, clean.faults) == (0, ())
    head = head_of(named("E1", 2, 1))
    one = exposure_of(head, trial(head, "r" * 20))
    assert summed([one, clean, one]).delivered == 4
