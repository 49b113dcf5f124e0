from __future__ import annotations

import pytest

from replaylab.schema.base import Json, JsonObject
from tests.checks.trials import Call, check

YES: JsonObject = {"kind": "called", "tool": "did"}
NO: JsonObject = {"kind": "called", "tool": "never"}
OPEN: JsonObject = {"kind": "judge", "question": "Is it kind?"}


def result(written: JsonObject) -> str:
    return check(written, [("did", {}, {})]).result


@pytest.mark.parametrize(
    ("condition", "then", "otherwise", "wanted"),
    [
        (YES, YES, None, "pass"),
        (YES, NO, YES, "fail"),
        (NO, NO, None, "pass"),
        (NO, YES, NO, "fail"),
        (OPEN, YES, YES, "open"),
        (YES, OPEN, None, "open"),
    ],
)
def test_if_takes_the_branch_that_its_condition_says(
    condition: JsonObject, then: JsonObject, otherwise: Json, wanted: str
) -> None:
    more = {"else": otherwise} if otherwise else {}
    assert result({"kind": "if", "if": condition, "then": then, **more}) == wanted


@pytest.mark.parametrize(
    ("of", "of_any", "of_all"),
    [
        ([YES, YES], "pass", "pass"),
        ([YES, NO], "pass", "fail"),
        ([NO, NO], "fail", "fail"),
        ([YES, OPEN], "pass", "open"),
        ([NO, OPEN], "open", "fail"),
    ],
)
def test_any_and_all_keep_what_is_undecided(of: list[JsonObject], of_any: str, of_all: str) -> None:
    assert result({"kind": "any", "of": of}) == of_any
    assert result({"kind": "all", "of": of}) == of_all


def test_not_turns_a_check_round_and_leaves_an_open_one_open() -> None:
    assert result({"kind": "not", "of": YES}) == "fail"
    assert result({"kind": "not", "of": NO}) == "pass"
    assert result({"kind": "not", "of": OPEN}) == "open"


def test_a_question_for_a_reader_stays_open_and_is_quoted() -> None:
    finding = check(OPEN)
    assert (finding.result, finding.call) == ("open", -1)
    assert "Is it kind?" in finding.reason


def test_any_of_several_calls_can_stand_in_an_order() -> None:
    first = {"kind": "any", "of": [YES, NO]}
    calls: list[Call] = [("did", {}, {}), ("end", {}, {})]
    end = {"kind": "called", "tool": "end"}
    assert check({"kind": "order", "before": first, "then": end}, calls).result == "pass"
    assert check({"kind": "order", "before": end, "then": first}, calls).result == "fail"
