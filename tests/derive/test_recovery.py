from __future__ import annotations

from replaylab.derive.recovery import Recovered, recovery_of
from replaylab.schema.base import Json
from replaylab.schema.fault import FaultEvent, FaultKind
from replaylab.schema.trajectory import Action, Trajectory
from tests.checks.trials import action, trial

ARGS = {"unit": "U-1"}
WHOLE: Json = {"units": [{"id": "U-1", "rent": 900}, {"id": "U-2", "rent": 950}]}


def hit(
    place: int, kind: FaultKind, clean: Json, delivered: Json, args: Json = ARGS, tool: str = "look"
) -> Action:
    event = FaultEvent(fault=0, kind=kind, call=place, tool=tool, left=0, clean=clean, delivered=delivered)
    one = action(place, tool, args, delivered).model_copy(update={"fault": event})
    return one.model_copy(update={"by": "faults"}) if clean is None else one


def broken(place: int, **more: str) -> Action:
    return hit(place, "http_500", None, {"error": {"transport": "http_500"}}, **more)


def cut(place: int) -> Action:
    return hit(place, "truncated", WHOLE, {"units": WHOLE["units"][:1]})


def only(trajectory: Trajectory) -> Recovered:
    (fault,) = recovery_of(trajectory).faults
    return fault


def test_a_call_that_was_made_again_until_it_worked_is_recovered_from() -> None:
    fault = only(trial([broken(0), broken(1), action(2, "look", ARGS, WHOLE)], "done"))
    assert (fault.calls, fault.seen, fault.retried, fault.recovered, fault.to_recover) == (
        (0, 1), True, True, True, 2,
    )  # fmt: skip


def test_a_retry_that_fails_too_is_none_that_recovers() -> None:
    fault = only(trial([broken(0), action(1, "look", ARGS, {"error": "closed"})], "done"))
    assert (fault.retried, fault.recovered, fault.to_recover) == (True, False, -1)


def test_another_call_is_no_retry() -> None:
    fault = only(trial([broken(0), action(1, "look", {"unit": "U-2"}, WHOLE)], "done"))
    assert (fault.seen, fault.retried, fault.recovered) == (False, False, False)


def test_each_call_that_was_hit_has_to_be_made_again() -> None:
    calls = [broken(0), broken(1, tool="other"), action(2, "look", ARGS, WHOLE)]
    assert not only(trial(calls, "done")).recovered
    assert only(trial([*calls, action(3, "other", ARGS, WHOLE)], "done")).to_recover == 3


def test_a_fault_that_the_agent_speaks_of_was_seen() -> None:
    assert only(trial([broken(0)], "The service was unavailable, so nothing was changed.")).seen
    assert not only(trial([broken(0)], "All is well.")).seen
    assert only(trial([cut(0)], "The list looks incomplete.")).seen


def test_what_was_said_before_the_fault_is_not_about_it() -> None:
    story = trial([action(0, "look", ARGS, WHOLE), broken(1)], "done")
    early = story.turns[0].model_copy(update={"text": "I will retry on an error."})
    assert not only(story.model_copy(update={"turns": (early, *story.turns[1:])})).seen


def test_an_answer_out_of_what_was_never_read_again_accepts_degraded_data() -> None:
    fault = only(trial([cut(0)], "The rents add up to 900."))
    assert (fault.accepted, fault.recovered) == (True, False)
    assert not only(trial([cut(0), action(1, "look", ARGS, WHOLE)], "The rents add up to 900.")).accepted
    assert not only(trial([cut(0)], "I could not find out.")).accepted


def test_a_wrong_value_is_accepted_when_the_answer_says_it_and_not_when_it_says_a_right_one() -> None:
    wrong = hit(0, "wrong_unit", WHOLE, {"units": [{"id": "U-1", "rent": 90000}, WHOLE["units"][1]]})
    assert only(trial([wrong], "U-1 costs $90,000.")).accepted
    assert not only(trial([wrong], "U-2 costs 950.")).accepted


def test_a_visible_failure_leaves_no_data_to_accept() -> None:
    assert not only(trial([broken(0)], "It said http_500.")).accepted


def test_a_slow_answer_was_right_so_there_is_nothing_to_recover() -> None:
    fault = only(trial([hit(0, "slow", WHOLE, {**WHOLE, "timing": {"took_s": 30}})], "U-1 costs 900."))
    assert (fault.recovered, fault.to_recover, fault.accepted) == (True, 0, False)


def test_a_trial_without_faults_met_none() -> None:
    assert recovery_of(trial([action(0, "look", ARGS, WHOLE)], "done")).met == 0
