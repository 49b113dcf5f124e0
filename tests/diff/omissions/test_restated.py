"""Entries that a call has set to what a list is filtered by."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.omissions.restated import unlisted_under_its_new_status
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, look, tool

STATE: dict[str, Any] = {
    "house_id": "H-7",
    "open_faults": ["F-11: Attic Draft P-4-S", "F-12: Attic Draft C-4-T", "F-13: Cellar Legacy P-4-C"],
    "rooms": {"R-1": {"floor": "ground"}, "R-2": {"floor": "upper"}},
}


def house() -> Environment:
    tools = (
        tool("query_faults", "Searches for faults by their status.", "house_id", "status_filter"),
        tool("query_faults_of", "Searches for faults by status and room.", "room_id", "status_filter"),
        tool("update_fault", "Sets the status of a fault.", "fault_id", "new_status", effect="write"),
        tool("repair_fault", "Repairs a fault.", "fault_id", effect="write"),
        tool("advance_time", "Lets a day pass.", effect="write"),
    )
    return Environment(
        id="house", initial_state=STATE, system_prompt="You simulate.", state_description={}, tools=tools
    )


def missed(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=house()) if kind == "omission"]


def mark(fault: str, status: str) -> Observed:
    return call("update_fault", {"success": True}, fault_id=fault, new_status=status)


def query(status: str, *ids: str) -> Observed:
    return call(
        "query_faults", {"faults": [{"fault_id": one} for one in ids]}, house_id="H-7", status_filter=status
    )


def test_what_was_set_to_a_status_is_listed_under_it() -> None:
    assert missed(mark("F-11", "Failed"), query("Failed")) == ["F-11"]
    assert missed(mark("F-11", "Failed"), query("Failed", "F-11")) == []


def test_what_was_set_to_another_status_or_again_is_not_missed() -> None:
    assert missed(mark("F-11", "Resolved"), query("Failed")) == []
    assert missed(mark("F-11", "Failed"), mark("F-11", "Resolved"), query("Failed")) == []
    assert (
        missed(
            mark("F-11", "Failed"), call("repair_fault", {"success": True}, fault_id="F-11"), query("Failed")
        )
        == []
    )
    assert missed(mark("F-11", "Failed"), call("advance_time", {"success": True}), query("Failed")) == []


def test_a_second_filter_may_leave_it_out() -> None:
    of_room = call("query_faults_of", {"faults": []}, room_id="R-1", status_filter="Failed")
    assert list(unlisted_under_its_new_status(look(of_room, mark("F-11", "Failed"), of=house()))) == []


def test_an_entry_goes_by_the_id_that_it_begins_with() -> None:
    assert missed(query("Draft", "F-11")) == ["F-12"]
    assert missed(query("Draft", "F-11", "F-12")) == []
    assert missed(mark("F-12", "Resolved"), query("Draft", "F-11")) == [], "it has left its old status"
    strange = found(query("Draft", "F-11", "F-12", "F-19"), of=house())
    assert [(kind, entity) for kind, _, entity in strange] == [("fabrication", "F-19")]
