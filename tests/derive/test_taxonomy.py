"""One trial for each kind of failure: a ward in which P-1 has to be put into a free room, after a look."""

from __future__ import annotations

import pytest

from replaylab.checks import passed, run_checks
from replaylab.derive.taxonomy import FailureLabel, failures_of
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.fault import FaultEvent
from replaylab.schema.scenario import Rubric
from replaylab.schema.trajectory import Action, CheckResult, Trajectory, Verdict, Vote
from tests.checks.trials import Call, action, disturbed, trial
from tests.derive.recording import header

ROOMS: Json = {"rooms": [{"id": "R1", "beds": 14}, {"id": "R2", "beds": 31}]}
LOOK: Call = ("list_rooms", {}, ROOMS)
PUT: Call = ("assign_room", {"patient": "P-1", "room": "R1"}, {"success": True})
CHECKS: list[JsonObject] = [
    {"id": "looked", "kind": "called", "tool": "list_rooms"},
    {"id": "put", "kind": "called", "tool": "assign_room", "args": {"patient": "P-1", "room": "R1"}},
    {"id": "first", "kind": "order", "before": "looked", "then": "put"},
    {"id": "not-r2", "kind": "forbid", "tool": "assign_room", "args": {"room": "R2"}},
    {"id": "says", "kind": "said", "value": 14},
]
GOOD = "P-1 lies in R1 with 14 beds."


def head_of(checks: list[JsonObject]) -> Header:
    head = header()
    task = head.task.model_copy(update={"rubric": Rubric(text="", checks=tuple(checks))})
    return head.model_copy(update={"task": task})


def labels(
    calls: list[Call | Action], answer: str = GOOD, checks: list[JsonObject] | None = None, **more: str
) -> tuple[FailureLabel, ...]:
    """The labels of a trial that is judged by its checks."""
    written = CHECKS if checks is None else checks
    story = trial(calls, answer).model_copy(update=more)
    head = head_of(written)
    results = run_checks(written, story, head.environment)
    verdict = Verdict(outcome=passed(results), votes=(Vote(vote=0, outcome=passed(results), checks=results),))
    told = failures_of(head, story, verdict)
    silent = verdict.model_copy(update={"votes": (Vote(vote=0, outcome=verdict.outcome),)})
    assert failures_of(head, story, silent) == told, "judges that name no checks change nothing"
    return told


def kinds(*args: object, **more: object) -> list[str]:
    return [label.kind for label in labels(*args, **more)]  # type: ignore[arg-type]


def broken(place: int, tool: str, arguments: JsonObject) -> Action:
    event = FaultEvent(fault=0, kind="http_500", call=place, tool=tool, left=1, delivered={"error": {}})
    one = action(place, tool, arguments, {"error": {"transport": "http_500"}})
    return one.model_copy(update={"by": "faults", "fault": event})


def test_a_trial_that_passed_has_no_label() -> None:
    assert labels([LOOK, PUT]) == ()


def test_a_look_that_was_left_out_is_a_skipped_verification() -> None:
    (label,) = labels([PUT])
    assert (label.kind, label.checks) == ("skipped_verification", ("looked", "first"))


def test_a_value_that_was_never_observed_is_a_skipped_verification_and_a_wrong_one_a_lost_state() -> None:
    seen: JsonObject = {"id": "c", "kind": "observed", "key": "occupant", "value": "P-1"}
    assert kinds([LOOK, PUT], checks=[seen]) == ["skipped_verification"]
    wrong: Call = ("list_rooms", {}, {"rooms": [{"id": "R1", "occupant": "P-9"}]})
    assert kinds([wrong], checks=[seen]) == ["state_tracking_error"]


def test_a_claim_without_backing_is_a_skipped_verification() -> None:
    check = {"id": "g", "kind": "grounded", "claim": {"re": "lies in"}, "requires": [CHECKS[0] | {"id": "x"}]}
    assert kinds([PUT], checks=[check]) == ["skipped_verification"]


def test_the_right_calls_the_wrong_way_round_are_an_order_error() -> None:
    (label,) = labels([PUT, LOOK])
    assert (label.kind, label.call, label.checks) == ("order_error", 0, ("first",))


def test_a_forbidden_call_is_a_constraint_violation_at_that_call() -> None:
    found = labels([LOOK, ("assign_room", {"patient": "P-1", "room": "R2"}, {"success": True}), PUT])
    assert [(label.kind, label.call) for label in found] == [("constraint_violation", 1)]


def test_a_call_too_often_is_a_constraint_violation() -> None:
    once = [*CHECKS[:1], CHECKS[1] | {"count": {"max": 1}}, *CHECKS[2:]]
    assert kinds([LOOK, PUT, PUT], checks=once) == ["constraint_violation"]


def test_what_was_never_tried_is_a_premature_abandonment() -> None:
    assert kinds([LOOK]) == ["premature_abandonment"]


def test_giving_up_at_an_error_is_a_premature_abandonment_at_that_call() -> None:
    (label,) = labels([LOOK, broken(1, "assign_room", {"patient": "P-1", "room": "R1"})])
    assert (label.kind, label.call) == ("premature_abandonment", 1)


def test_no_answer_is_a_premature_abandonment() -> None:
    assert kinds([LOOK, PUT], "", termination="step_limit") == ["premature_abandonment"]


def test_a_call_with_the_wrong_argument_is_tool_misuse() -> None:
    found = labels([LOOK, ("assign_room", {"patient": "P-1", "room": "R7"}, {"success": True})])
    assert [(label.kind, label.call) for label in found] == [("tool_misuse", 1)]


def test_a_call_that_no_tool_takes_is_tool_misuse() -> None:
    odd = action(1, "move_bed", {}, {"error": "no such tool"}).model_copy(update={"by": "engine"})
    assert "tool_misuse" in kinds([LOOK, odd])


def test_a_wrong_word_in_the_answer_is_a_state_tracking_error() -> None:
    (label,) = labels([LOOK, PUT], "P-1 lies in R1 with 31 beds.")
    assert (label.kind, label.call, label.checks) == ("state_tracking_error", -1, ("says",))


def test_a_wrong_answer_out_of_a_disturbed_observation_is_accepted_degraded_data() -> None:
    wrong = disturbed(0, "list_rooms", {}, ROOMS, {"rooms": [{"id": "R1", "beds": 17}]})
    found = labels([wrong, PUT], "P-1 lies in R1 with 17 beds.")
    assert [(label.kind, label.call) for label in found] == [("accepted_degraded_data", 0)]


def test_checks_inside_others_are_blamed_for_them() -> None:
    both: JsonObject = {"id": "both", "kind": "all", "of": ["looked", "put"]}
    either: JsonObject = {"id": "either", "kind": "any", "of": ["put"]}
    when: JsonObject = {"id": "when", "kind": "if", "if": "looked", "then": "put"}
    for check in (both, either, when):
        assert kinds([LOOK], checks=[*CHECKS[:2], check]) == ["premature_abandonment"]


@pytest.mark.parametrize("outcome", ["error", "none", "pass"])
def test_an_error_is_one_of_infrastructure_and_what_did_not_fail_has_no_label(outcome: str) -> None:
    story = Trajectory(turns=(), answer="", termination="agent_error", error="turn 0: http_500")
    verdict = Verdict.model_validate({"outcome": outcome, "reason": "agent_error: turn 0: http_500"})
    found = [label.kind for label in failures_of(header(), story, verdict)]
    assert found == (["infrastructure_error"] if outcome == "error" else [])


def test_a_failure_that_no_check_explains_says_so() -> None:
    verdict = Verdict(outcome="fail", votes=(Vote(vote=0, outcome="fail", reason="rude"),), reason="1 fail")
    for checks in (CHECKS, []):
        (label,) = failures_of(head_of(checks), trial([LOOK, PUT], GOOD), verdict)
        assert (label.kind, label.reason) == ("unclassified", "1 fail")


def test_checks_that_cannot_be_read_leave_the_failure_unclassified() -> None:
    verdict = Verdict(outcome="fail", reason="1 fail")
    (label,) = failures_of(head_of([{"id": "x", "kind": "guess"}]), trial([LOOK]), verdict)
    assert label.kind == "unclassified"
    assert "guess" in label.reason


def test_a_check_that_stands_on_a_text_too_long_to_search_is_blamed_on_nothing() -> None:
    long: Json = {"success": True, "note": "x" * 200_001}
    found = {"id": "noted", "kind": "called", "tool": "assign_room", "result": {"note": {"re": "moved"}}}
    checks: list[JsonObject] = [{"id": "both", "kind": "any", "of": [found, CHECKS[0]]}]
    story = trial([("assign_room", {"patient": "P-1", "room": "R1"}, long)], GOOD)
    told = CheckResult(id="both", result="fail", reason="neither")
    verdict = Verdict(outcome="fail", votes=(Vote(vote=0, outcome="fail", checks=(told,)),))
    (label,) = failures_of(head_of(checks), story, verdict)
    assert (label.kind, label.checks, label.reason) == ("unclassified", ("both",), "neither")
