from __future__ import annotations

from typing import Any

from replaylab.schema.fault import FaultEvent
from replaylab.schema.trajectory import Action, Trajectory, Turn

FAULT = FaultEvent(fault=0, kind="truncated", call=0, tool="t", left=1, clean={"whole": 1}, delivered={})


def action(call: int = 0, **fields: Any) -> Action:
    return Action(call=call, id=f"c{call}", tool="t", arguments={}, observation={"shown": 1}, **fields)


def test_clean_is_what_the_simulator_said_before_a_fault_disturbed_it() -> None:
    assert action(fault=FAULT).clean == {"whole": 1}


def test_without_a_fault_clean_is_the_observation() -> None:
    assert action().clean == {"shown": 1}


def test_a_call_that_a_fault_kept_from_the_simulator_has_nothing_cleaner_than_the_observation() -> None:
    assert action(by="faults", fault=FAULT).clean == {"shown": 1}


def test_actions_are_those_of_all_turns_in_order() -> None:
    turns = (Turn(actions=(action(0), action(1))), Turn(), Turn(actions=(action(2),)))
    whole = Trajectory(turns=turns, answer="", termination="step_limit")
    assert [one.call for one in whole.actions] == [0, 1, 2]
