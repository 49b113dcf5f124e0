"""What a call asks for one by one, and its answer leaves out."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.omissions.requested import unanswered
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, look, tool

STATE: dict[str, Any] = {
    "vitals": {"pulse": 88, "temperature": 36.5},
    "manifest": {"physical_exam": "Calm.", "cbc": "Normal.", "ecg": "Sinus rhythm."},
    "rules": [{"name": "Mileage rule", "kind": "travel"}, {"name": "Privacy rule", "kind": "data"}],
    "accounts": {"AC-1": 100, "AC-2": 250, "AC-3": 30},
}
PARTS: dict[str, Any] = {
    "parts": {"type": "array", "items": {"type": "string", "enum": ["person", "vitals"]}}
}


def surgery() -> Environment:
    tools = (
        tool("get_results", "Shows the results of tests.", tests={"type": "array"}),
        tool("get_record", "Shows parts of the record.", **PARTS),
        tool("get_balances", "Shows balances.", account_codes={"type": "array"}, limit={"type": "integer"}),
        tool("list_others", "Shows other accounts.", excluded_codes={"type": "array"}),
        tool("get_rules", "Shows rules.", rule_names={"type": "array"}, kind={"type": "string"}),
        tool("submit_rule", "Submits a rule.", "rule_name", effect="write"),
        tool("open_case", "Opens a case.", "title", effect="write"),
        tool("get_cases", "Shows cases.", case_ids={"type": "array"}),
    )
    return Environment(
        id="surgery", initial_state=STATE, system_prompt="You simulate.", state_description={}, tools=tools
    )


def missed(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=surgery()) if kind == "omission"]


def results(*names: str, **said: Any) -> list[str]:
    return missed(call("get_results", {"results": said}, tests=list(names)))


def test_each_known_one_that_is_asked_for_is_answered_for() -> None:
    assert results("cbc", "ecg", cbc="Normal.") == ["ecg"]
    assert results("cbc", "ecg", cbc="Normal.", ecg="Sinus rhythm.") == []


def test_an_unknown_one_and_one_that_was_not_asked_for_are_not_missed() -> None:
    assert results("cbc", "mri", cbc="Normal.") == []
    assert results("cbc", "physical_exam", cbc="Normal.", physical_exam="Calm.") == []


def test_a_word_may_stand_there_under_another_name() -> None:
    assert results("cbc", "ecg", cbc="Normal.", heart_tracing="Sinus rhythm.") == []
    assert results("cbc", "ecg", cbc="Normal; ecg to follow.") == []


def test_ids_are_asked_for_as_keys_or_in_rows() -> None:
    rows = [{"code": "AC-1", "balance": 100}]
    assert missed(call("get_balances", {"balances": rows}, account_codes=["AC-1", "AC-2"])) == ["AC-2"]
    assert missed(call("get_balances", {"balances": {"AC-1": 100}}, account_codes=["AC-1", "AC-2"])) == [
        "AC-2"
    ]
    assert missed(call("get_balances", {"total": 350}, account_codes=["AC-1", "AC-2"])) == [], (
        "no entries at all"
    )


def test_a_page_and_what_is_excluded_ask_for_nothing() -> None:
    paged = call("get_balances", {"balances": {"AC-1": 100}}, account_codes=["AC-1", "AC-2"], limit=1)
    assert list(unanswered(look(paged, of=surgery()))) == []
    others = call("list_others", {"accounts": {"AC-1": 100}}, excluded_codes=["AC-1", "AC-2"])
    assert list(unanswered(look(others, of=surgery()))) == []


def test_a_choice_of_the_argument_is_known() -> None:
    both = ["person", "vitals"]
    assert missed(call("get_record", {"vitals": {"pulse": 88, "temperature": 36.5}}, parts=both)) == [
        "person"
    ]
    assert missed(call("get_record", {"vitals": {"pulse": 88}, "patient": {"age": 4}}, parts=both)) == []


def test_what_an_earlier_answer_gave_is_known() -> None:
    first = call("open_case", {"case_id": "CS-4"}, title="A")
    second = call("open_case", {"case_id": "CS-5"}, title="B")
    asked = call("get_cases", {"cases": {"CS-5": {"title": "B"}}}, case_ids=["CS-4", "CS-5"])
    assert missed(first, second, asked) == ["CS-4"]
    assert missed(second, asked) == []


def test_another_argument_may_pick_among_those_asked_for_and_a_call_may_have_ended_one() -> None:
    names = ["Mileage rule", "Privacy rule"]
    rows = {"rules": [{"name": "Mileage rule", "text": "..."}]}
    plain, picked = (
        call("get_rules", rows, rule_names=names),
        call("get_rules", rows, rule_names=names, kind="travel"),
    )
    submitted = call("submit_rule", {"success": True}, rule_name="Privacy rule")
    assert [one.entity for one in unanswered(look(plain, of=surgery()))] == ["Privacy rule"]
    assert list(unanswered(look(picked, of=surgery()))) == []
    assert list(unanswered(look(plain, submitted, of=surgery()))) == []
