from __future__ import annotations

import pytest

from replaylab.schema.base import JsonObject
from replaylab.schema.trajectory import Action
from tests.checks.trials import Call, action, check, disturbed

OK: JsonObject = {"ok": True}
LOOK: Call = ("look", {"id": "A"}, {"level": 3})
SET: Call = ("set", {"id": "A", "to": {"unit": "%", "value": 40}}, OK)
REFUSED: Call = ("set", {"id": "A", "to": {"value": 40}}, {"error": "locked"})


def test_called_names_the_call_that_decided() -> None:
    result = check({"kind": "called", "tool": "set", "args": {"id": "a"}}, [LOOK, SET, SET])
    assert (result.result, result.call) == ("pass", 1)


def test_called_reaches_inside_arguments() -> None:
    assert check({"kind": "called", "tool": "set", "args": {"to.value": {"le": 40}}}, [SET]).result == "pass"
    assert check({"kind": "called", "tool": "set", "args": {"to.value": {"lt": 40}}}, [SET]).result == "fail"


def test_called_says_what_was_wrong_with_the_nearest_call() -> None:
    written = {"kind": "called", "tool": ["set", "put"], "args": {"id": "A", "to.value": 50}}
    result = check(written, [("set", {"id": "B", "to": {"value": 1}}, OK), SET, LOOK])
    assert (result.result, result.call) == ("fail", 1)
    assert "to.value was 40, not 50" in result.reason


def test_a_call_that_failed_has_not_happened_unless_asked_for() -> None:
    written: JsonObject = {"kind": "called", "tool": "set"}
    assert check(written, [REFUSED]).result == "fail"
    assert check({**written, "ok": False}, [REFUSED]).result == "pass"
    assert check({**written, "ok": False}, [SET]).result == "fail"
    assert check({**written, "ok": "any", "count": {"min": 2}}, [REFUSED, SET]).result == "pass"


def test_a_call_that_met_a_fault_or_was_refused_by_the_engine_has_not_happened() -> None:
    for by in ("faults", "engine"):
        lost = Action.model_validate({**action(0, "set", {"id": "A"}, {"sent": 1}).model_dump(), "by": by})
        assert check({"kind": "called", "tool": "set"}, [lost]).result == "fail"


def test_malformed_arguments_fit_no_argument() -> None:
    assert (
        check({"kind": "called", "tool": "set", "args": {"id": "A"}}, [action(0, "set", None, OK)]).result
        == "fail"
    )


def test_count_bounds_both_ways() -> None:
    twice: JsonObject = {"kind": "called", "tool": "look", "count": {"min": 2, "max": 2}}
    results = [check(twice, [LOOK] * times) for times in range(4)]
    assert [(result.result, result.call) for result in results] == [
        ("fail", -1),
        ("fail", -1),
        ("pass", 1),
        ("fail", 2),
    ]
    assert check({"kind": "called", "tool": "look", "count": {"min": 0, "max": 1}}, []).result == "pass"


def test_called_can_ask_for_what_came_back() -> None:
    assert check({"kind": "called", "tool": "look", "result": {"level": {"ge": 3}}}, [LOOK]).result == "pass"
    result = check({"kind": "called", "tool": "look", "result": {"level": {"gt": 3}}}, [LOOK])
    assert (result.result, result.call) == ("fail", 0)
    assert "returned level 3" in result.reason


def test_a_forbidden_attempt_counts_even_when_it_was_refused() -> None:
    written: JsonObject = {"kind": "forbid", "tool": "set", "args": {"id": "A"}}
    result = check(written, [LOOK, REFUSED])
    assert (result.result, result.call) == ("fail", 1)
    assert check({**written, "ok": True}, [LOOK, REFUSED]).result == "pass"
    assert check({**written, "args": {"id": {"ne": "A"}}}, [SET]).result == "pass"


def order(calls: list[Call], **more: object) -> tuple[str, int]:
    look, write = {"kind": "called", "tool": "look"}, {"kind": "called", "tool": "set"}
    result = check({"kind": "order", "before": look, "then": write, **more}, calls)
    return result.result, result.call


def test_order_compares_the_first_of_each() -> None:
    assert order([LOOK, SET]) == ("pass", 1)
    assert order([SET, LOOK, SET]) == ("fail", 0)
    assert order([SET]) == ("fail", 0)


def test_order_can_compare_the_last_of_each() -> None:
    assert order([SET, LOOK, SET], scope="last") == ("pass", 2)
    assert order([LOOK, SET, LOOK], scope="last") == ("fail", 1)


def test_order_fails_without_the_second_unless_it_is_optional() -> None:
    assert order([LOOK]) == ("fail", -1)
    assert order([LOOK], optional=True) == ("pass", -1)


def test_one_call_does_not_come_before_itself() -> None:
    assert order([SET], before={"kind": "called", "tool": "set"}) == ("fail", 0)


def test_what_came_back_is_what_the_environment_said_and_not_what_a_fault_made_of_it() -> None:
    hidden = disturbed(0, "look", {}, {"level": 3}, {"error": "odd", "level": None})
    assert check({"kind": "called", "tool": "look", "result": {"level": 3}}, [hidden]).result == "pass"


STORY: list[Call] = [("act", {"n": 1}, {}), ("mark", {}, {}), ("act", {"n": 2}, {}), ("mark", {}, {})]
MARK: JsonObject = {"kind": "called", "tool": "mark"}


@pytest.mark.parametrize(
    ("bound", "first", "second"),
    [("after", "fail", "pass"), ("before", "pass", "fail")],
)
def test_calls_can_be_looked_for_after_or_before_the_first_of_others(
    bound: str, first: str, second: str
) -> None:
    for number, result in ((1, first), (2, second)):
        written: JsonObject = {"tool": "act", "args": {"n": number}, bound: MARK}
        assert check({"kind": "called", **written}, STORY).result == result
        assert check({"kind": "forbid", **written}, STORY).result != result


def test_what_never_happened_leaves_nothing_after_it_and_all_before_it() -> None:
    never: JsonObject = {"kind": "called", "tool": "none"}
    assert check({"kind": "forbid", "tool": "act", "after": never}, STORY).result == "pass"
    assert check({"kind": "forbid", "tool": "act", "before": never}, STORY).result == "fail"
