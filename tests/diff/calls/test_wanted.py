"""Lists of names in arguments, and the entries that an answer has for them."""

from __future__ import annotations

from typing import Any

from replaylab.diff.calls.wanted import entries_for, is_ended, is_said, reads, wanted_lists
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, look, tool

LISTED: dict[str, Any] = {"tests": {"type": "array"}}


def lab() -> Environment:
    tools = (
        tool("access_results", "Queries the results.", effect="unknown", **LISTED),
        tool("order_tests", "Orders tests.", effect="write", **LISTED),
        tool("cancel_tests", "Cancels tests.", effect="write", **LISTED),
    )
    return Environment(
        id="lab",
        initial_state={"site": "L"},
        system_prompt="You simulate.",
        state_description={},
        tools=tools,
    )


def asked(names: list[Any], answer: Any = None, tool: str = "access_results") -> list[list[str]]:
    seen = look(call(tool, answer or {}, tests=names), of=lab())
    return (
        [sorted(each.by_key) for one in wanted_lists(seen) for each in entries_for(seen, one)]
        if answer
        else [list(one.names) for one in wanted_lists(seen)]
    )


def test_only_lists_of_several_names_ask_one_by_one() -> None:
    assert asked(["ecg", "cbc"]) == [["ecg", "cbc"]]
    assert asked(["ecg"]) == asked(["ecg", "ECG"]) == asked(["ecg", "all"]) == asked(["ecg", 4]) == []


def test_only_what_reads_is_asked() -> None:
    one = lab()
    reading = [reads(each) for each in one.tools]
    assert reading == [True, False, False], "an undeclared one reads where its description says so"
    assert asked(["ecg", "cbc"], tool="order_tests") == []


def test_entries_are_keys_of_maps_and_rows_named_by_these_alone() -> None:
    names = ["ecg", "cbc"]
    assert asked(names, {"results": {"ecg": "fine", "who": "Ida"}}) == [["ecg"]]
    assert asked(names, {"rows": [{"at": "9:00", "test": "cbc"}]}) == [["cbc"]]
    assert asked(names, {"rows": [{"test": "cbc"}, {"test": "x-ray"}]}) == []
    assert asked(names, {"rows": [{"test": "cbc"}, {"test": "cbc"}]}) == []


def test_a_name_is_said_as_a_key_a_value_or_in_a_text() -> None:
    seen = look(
        call("access_results", {"ecg-2": 1, "text": "No x-ray-7 here", "n": "cbc"}, tests=[]), of=lab()
    )
    assert [is_said(seen, one) for one in ("ECG-2", "x-ray-7", "cbc", "mri")] == [True, True, True, False]


def test_a_call_that_removes_may_have_ended_it() -> None:
    cancelled = call("cancel_tests", {"status": "success"}, tests=["ecg"])
    ordered = call("order_tests", {"status": "success"}, tests=["cbc"])
    seen = look(call("access_results", {}, tests=[]), cancelled, ordered, of=lab())
    assert (is_ended(seen, "ecg"), is_ended(seen, "cbc")) == (True, False)
