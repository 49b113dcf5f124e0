"""Members that must appear and do not."""

from __future__ import annotations

from tests.diff.ward import STATE, call, found, patients, ward


def left_out(*ids: str, tool: str = "list_patients", **arguments: object) -> set[str]:
    said = found(call(tool, patients(*ids), **arguments))
    return {entity for kind, _, entity in said if kind == "omission"}


def test_who_is_missing_from_the_whole_list_is_named() -> None:
    assert left_out("P-101", "P-102") == {"P-205"}
    assert left_out(*STATE["patients"]) == set()


def test_an_empty_list_leaves_all_out() -> None:
    said = found(call("list_patients", {"patients": []}))
    assert said == [("omission", "all_missing", one) for one in STATE["patients"]]


def test_a_filter_excludes_and_demands() -> None:
    assert left_out("P-102", tool="find_patients", condition="critical") == set()
    assert left_out("P-101", tool="find_patients", condition="stable") == {"P-205"}
    assert left_out("P-102", tool="find_patients", min_pulse=100) == set()


def test_who_was_discharged_need_not_appear() -> None:
    gone = call("discharge_patient", {"status": "success"}, patient_id="P-205")
    assert found(gone, call("list_patients", patients("P-101", "P-102"))) == []


def test_what_was_only_moved_is_not_gone() -> None:
    moved = call("move_patient", {"status": "success"}, patient_id="P-205", bed="B9")
    gone = call("discharge_patient", {"status": "success"}, patient_id="P-205")
    denied = call("get_patient", {"error": "Patient P-205 not found"}, patient_id="P-205")
    assert [kind for kind, _, _ in found(moved, denied)] == ["omission"]
    assert found(gone, denied) == []


def test_a_log_that_is_told_to_be_whole_is_a_whole() -> None:
    alerts = {one: {"bed": "B1", "at": f"0{at}:00"} for at, one in enumerate(("AL-1", "AL-2", "AL-3"))}
    told = ward(state={"alerts": alerts}, state_description={"alerts": "All alerts by id."})
    rows = [{"alert": one, **row} for one, row in alerts.items()]
    assert found(call("list_alerts", {"alerts": rows}), of=told) == []
    said = found(call("list_alerts", {"alerts": rows[:2]}), of=told)
    assert [(kind, entity) for kind, _, entity in said] == [("omission", "AL-3")]
    more = [*rows, {"alert": "AL-9", "bed": "B1", "at": "04:00"}]
    said = found(call("list_alerts", {"alerts": more}), of=told)
    assert [(kind, entity) for kind, _, entity in said] == [("fabrication", "AL-9")]
