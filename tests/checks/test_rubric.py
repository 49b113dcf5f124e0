from __future__ import annotations

import pytest

from replaylab.checks import parse_checks, passed, run_checks
from replaylab.errors import UsageError
from replaylab.schema.base import JsonObject
from replaylab.schema.patterns import MAX_TEXT
from replaylab.schema.trajectory import CheckResult
from tests.checks.trials import environment, trial

CALLED: JsonObject = {"id": "c", "kind": "called", "tool": "look"}
JUDGE: JsonObject = {"id": "j", "kind": "judge", "question": "?"}


def refused(*checks: JsonObject) -> UsageError:
    with pytest.raises(UsageError) as caught:
        parse_checks(checks, environment("look", "set_status"))
    return caught.value


@pytest.mark.parametrize(
    ("written", "named", "closest"),
    [
        ({"id": "x", "kind": "caled", "tool": "look"}, "caled", "called"),
        ({**CALLED, "argz": {}}, "argz", "args"),
        ({**CALLED, "tool": "set_state"}, "set_state", "set_status"),
        ({**CALLED, "args": {"a": {"lte": 3}}}, "lte", "lt"),
        ({**CALLED, "count": {"mim": 1}}, "mim", "min"),
        ({"id": "x", "kind": "order", "before": "c", "then": "cc"}, "cc", "c"),
        ({"id": "x", "kind": "not", "of": {**CALLED, "id": "", "tols": 1}}, "tols", "tool"),
        ({"id": "x", "kind": "derive", "let": {"a": {"kee": "b"}}, "expr": "a", "said": True}, "kee", "key"),
    ],
)
def test_an_unknown_name_is_refused_with_the_closest_and_the_check(
    written: JsonObject, named: str, closest: str
) -> None:
    error = refused(*([CALLED] if written["id"] != "c" else []), written)
    assert named in error.what
    assert error.closest == closest
    assert error.where == written["id"]


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ({"id": "x", "tool": "look"}, "kind"),
        ({"id": "x", "kind": "called"}, "tool"),
        ({**CALLED, "ok": "maybe"}, "ok"),
        ({**CALLED, "count": {"min": 2, "max": 1}}, "count"),
        ({"id": "x", "kind": "whenever", "whenever": {"a": 1}}, "whenever"),
        ({"id": "x", "kind": "grounded", "claim": "a", "requires": []}, "requires"),
        ({"id": "x", "kind": "said", "value": {"re": "(a+)+"}}, "(a+)+"),
    ],
)
def test_a_wrong_field_is_named(written: JsonObject, named: str) -> None:
    error = refused(written)
    assert named in error.what
    assert error.where == written["id"]


def test_every_check_needs_an_id_of_its_own() -> None:
    assert "no id" in refused({"kind": "called", "tool": "look"}).what
    assert "'c'" in refused(CALLED, CALLED).what


def test_checks_that_refer_in_a_circle_are_refused() -> None:
    assert (
        "itself" in refused({"id": "a", "kind": "not", "of": "b"}, {"id": "b", "kind": "not", "of": "a"}).what
    )
    assert "itself" in refused({"id": "a", "kind": "not", "of": "a"}).what


def test_what_says_no_time_can_stand_in_no_order() -> None:
    assert "'then'" in refused(JUDGE, CALLED, {"id": "o", "kind": "order", "before": "c", "then": "j"}).what
    after = {"id": "o", "kind": "observed", "key": "k", "value": 1, "after": "j"}
    assert "'after'" in refused(JUDGE, after).what
    let = {"a": {"key": "k", "after": "nobody"}}
    assert "nobody" in refused({"id": "d", "kind": "derive", "let": let, "expr": "a", "said": True}).what
    mixed = {"kind": "any", "of": ["c", "j"]}
    assert (
        "'before'" in refused(JUDGE, CALLED, {"id": "o", "kind": "order", "before": mixed, "then": "c"}).what
    )


def test_no_tool_is_checked_without_an_environment() -> None:
    assert len(parse_checks([{**CALLED, "tool": "anything"}])) == 1


def test_results_come_in_the_order_of_the_rubric_and_name_their_checks() -> None:
    results = run_checks([JUDGE, CALLED], trial([("look", {}, {})]), environment("look"))
    assert [(one.id, one.result, one.call) for one in results] == [("j", "open", -1), ("c", "pass", 0)]
    assert all(one.reason for one in results)


def test_a_text_that_is_too_long_leaves_the_check_open() -> None:
    written = {"id": "s", "kind": "said", "value": {"re": "x"}}
    (result,) = run_checks([written], trial([], "a" * (MAX_TEXT + 1)), environment())
    assert result.result == "open"


@pytest.mark.parametrize(
    ("results", "outcome"),
    [
        ((), "error"),
        (("pass", "pass"), "pass"),
        (("pass", "fail"), "fail"),
        (("pass", "open"), "error"),
        (("fail", "open"), "fail"),
    ],
)
def test_an_outcome_is_decided_or_an_error(results: tuple[str, ...], outcome: str) -> None:
    assert (
        passed([CheckResult.model_validate({"id": "x", "result": result}) for result in results]) == outcome
    )
