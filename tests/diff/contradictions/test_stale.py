"""Values that a call has changed and a later answer shows as they were."""

from __future__ import annotations

from replaylab.schema.scenario import Tool
from tests.diff.ward import TOOLS, call, found, tool, ward

SETTER = Tool(
    name="set_notice",
    description="Sets the notice.",
    parameters={
        "type": "object",
        "properties": {"new_notice": {"type": "string"}, "notice_id": {"type": "string"}},
    },
    effect="write",
)


def test_the_old_value_after_an_accepted_write_is_stale() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    assert found(moved, call("get_patient", {"patient_id": "P-101", "bed": "B1"}, patient_id="P-101")) == [
        ("contradiction", "stale", "P-101")
    ]
    assert found(moved, call("get_patient", {"patient_id": "P-101", "bed": "B5"}, patient_id="P-101")) == []


def test_of_another_thing_nothing_is_said() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    assert found(moved, call("get_patient", {"patient_id": "P-205", "bed": "B4"}, patient_id="P-205")) == []


def test_after_time_has_passed_it_may_be_so() -> None:
    moved = call("move_patient", {"status": "success", "bed": "B5"}, patient_id="P-101", bed="B5")
    later = call("advance_time", {"status": "success"})
    assert (
        found(moved, later, call("get_patient", {"patient_id": "P-101", "bed": "B1"}, patient_id="P-101"))
        == []
    )


def test_what_an_answer_says_of_a_request_is_said_of_its_status() -> None:
    closed = call("move_patient", {"patient_condition": "critical"}, patient_id="P-101", bed="B1")
    shown = call("get_patient", {"patient_id": "P-101", "condition": "stable"}, patient_id="P-101")
    assert found(closed, shown) == [("contradiction", "stale", "P-101")]


def test_a_word_on_how_a_call_went_sets_nothing_but_a_status_with_it_does() -> None:
    of = ward(state={"ward_status": {"notice": "not_started"}}, tools=(*TOOLS, SETTER))
    shown = call("get_status", {"notice": "not_started"})
    assert found(call("set_notice", {}, new_notice="notice_sent"), shown, of=of) == [
        ("contradiction", "stale", "")
    ]
    assert found(call("set_notice", {}, new_notice="sent"), shown, of=of) == []


def test_an_id_names_what_is_set_and_is_not_set() -> None:
    of = ward(state={"ward_status": {"notice_id": "NT-1"}}, tools=(*TOOLS, SETTER))
    shown = call("get_status", {"notice_id": "NT-1"})
    assert found(call("set_notice", {}, notice_id="NT-2"), shown, of=of) == []


def test_of_which_of_two_things_a_write_speaks_nobody_can_tell() -> None:
    one = call("move_patient", {"condition": "critical"}, patient_id="P-101", bed="P-205")
    shown = call("get_patient", {"patient_id": "P-101", "condition": "stable"}, patient_id="P-101")
    assert found(one, shown) == []


def test_an_amount_is_no_rate() -> None:
    of = ward(state={"patients": {"P-101": {"drops_per_hour": 10}, "P-102": {"drops_per_hour": 9}}})
    given = call("move_patient", {"drops": 36}, patient_id="P-101", bed="B1")
    shown = call("get_patient", {"patient_id": "P-101", "drops_per_hour": 10}, patient_id="P-101")
    assert found(given, shown, of=of) == []


GAS = {
    "units": {
        "U-1": {"valve": "GV-1", "gas": 20, "leak_rate": 20},
        "U-2": {"valve": "GV-2", "gas": 0, "leak_rate": 0},
    },
    "valves": {"GV-1": {"position": "open"}, "GV-2": {"position": "open"}},
}


def test_what_is_done_with_a_part_undoes_what_was_said_of_the_whole() -> None:
    of = ward(state=GAS)
    aired = call("move_patient", {"unit": "U-1", "gas": 0}, patient_id="U-1")
    opened = call("move_patient", {"valve": "GV-1", "position": "open"}, patient_id="GV-1")
    shown = call("get_patient", {"unit": "U-1", "gas": 20}, patient_id="U-1")
    assert ("contradiction", "stale", "U-1") in found(aired, shown, of=of)
    assert found(aired, opened, shown, of=of) == []


def test_what_was_brought_and_is_brought_on_is_here_no_more() -> None:
    of = ward(state={"tanks": {"T-1": {"pump": "none"}, "T-2": {"pump": "none"}}})
    here, there = (
        call("move_patient", {"tank_id": tank, "pump": "PU-1"}, pump_id="PU-1", tank_id=tank)
        for tank in ("T-1", "T-2")
    )
    shown = call("get_patient", {"tank_id": "T-1", "pump": "none"}, tank_id="T-1")
    assert ("contradiction", "stale", "T-1") in found(here, shown, of=of)
    assert found(here, there, shown, of=of) == []


def test_what_never_changes_was_meant_by_no_call() -> None:
    told = {"units": "All units by id. leak_rate never changes."}
    aired = call("move_patient", {"unit": "U-1", "leak": 0}, patient_id="U-1")
    shown = call("get_patient", {"unit": "U-1", "leak_rate": 20}, patient_id="U-1")
    assert found(aired, shown, of=ward(state=GAS)) != []
    assert found(aired, shown, of=ward(state=GAS, state_description=told)) == []


def test_a_call_that_speaks_of_the_field_itself_means_no_other() -> None:
    aired = call("move_patient", {"unit": "U-1", "leak": 0, "leak_rate": 20}, patient_id="U-1")
    shown = call("get_patient", {"unit": "U-1", "leak_rate": 20}, patient_id="U-1")
    assert found(aired, shown, of=ward(state=GAS)) == []


def test_an_older_row_without_an_id_stays_as_it_was() -> None:
    state = {"diary": [{"at": "08:00", "visitor": "Una"}]}
    of = ward(state=state, tools=(*TOOLS, tool("admit_visitor", "Lets one in.", effect="write")))
    came = call("admit_visitor", {"at": "09:00", "visitor": "Ole"})
    rows = [{"at": "08:00", "visitor": "Una"}, {"at": "09:00", "visitor": "Ole"}]
    assert found(came, call("get_status", {"diary": rows}), of=of) == []


def test_how_much_was_asked_for_is_of_what_the_call_made() -> None:
    state = {"papers": [{"paper": "PA-1", "sheets": 650}, {"paper": "PA-2", "sheets": 90}]}
    buy = tool("buy_paper", "Buys paper.", "paper", effect="write", sheets={"type": "integer"})
    shows = tool("get_papers", "Shows the papers.")
    of = ward(state=state, tools=(*TOOLS, buy, shows))
    bought = call("buy_paper", {"paper": "PA-1", "sheets": 1000, "order": "PO-4"}, paper="PA-1", sheets=1000)
    set_so = call(
        "buy_paper", {"paper": "PA-1", "sheets": 1000, "on": "2025-09-17T08:00"}, paper="PA-1", sheets=1000
    )
    shown = call("get_papers", {"papers": state["papers"]})
    assert found(bought, shown, of=of) == []
    assert ("contradiction", "stale", "PA-1") in found(set_so, shown, of=of)


def test_done_is_a_value_where_a_call_sets_it() -> None:
    jobs = {"J-1": {"state": "open"}, "J-2": {"state": "waiting"}}
    tools = (
        tool("get_job", "Shows a job.", "job"),
        tool("set_state", "Sets the state.", "job", "state", effect="write"),
    )
    of = ward(state={"jobs": jobs}, tools=tools, state_description={"jobs": "All jobs."})
    done = call("set_state", {"ok": True}, job="J-2", state="done")
    shown = call("get_job", {"job": "J-2", "state": "waiting"}, job="J-2")
    assert found(done, shown, of=of) == [("contradiction", "stale", "J-2")]
    assert found(done, call("get_job", {"job": "J-2", "state": "done"}, job="J-2"), of=of) == []
