"""Members that must appear and do not."""

from __future__ import annotations

import json
from typing import Any

import pytest

from replaylab.schema.scenario import Environment
from tests.diff.valley import BRIGADE, true_of
from tests.diff.ward import STATE, call, found, patients, tool, ward


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


def test_whose_values_stand_under_an_unknown_id_is_missing() -> None:
    from tests.diff.yard import STATE as YARD
    from tests.diff.yard import boats, seen

    shown = boats(*YARD["boats"])
    shown["boats"][2]["boat"] = "BT-33"
    assert set(seen(call("list_boats", shown))) == {("fabrication", "BT-33"), ("omission", "BT-3")}


def test_values_that_fit_two_members_tell_neither() -> None:
    from tests.diff.yard import seen

    rows = [{"boat": "BT-1", "status": "moored"}, {"boat": "BT-77", "status": "moored"}]
    assert seen(call("list_boats", {"boats": rows}, status="moored")) == [
        ("fabrication", "BT-77"),
        ("omission", "BT-2"),
    ]
    assert ("omission", "BT-2") not in seen(call("get_plan", {"boat": "BT-1", "seen": rows}, boat="BT-1"))


def test_a_filter_takes_a_member_as_a_call_left_it() -> None:
    from tests.diff.yard import boats, seen

    ashore = call("set_status", {"boat": "BT-1", "status": "ashore"}, boat="BT-1", status="ashore")
    two = call("list_boats", boats("BT-1", "BT-3", status="ashore"), status="ashore")
    one = call("list_boats", boats("BT-3", status="ashore"), status="ashore")
    assert seen(ashore, two) == []
    assert seen(ashore, one) == [("omission", "BT-1")]
    assert seen(one) == []
    # A call that says nothing of how it stands leaves that open.
    silent = call("set_status", {"status": "success"}, boat="BT-1", status="ashore")
    assert seen(silent, one) == []


def test_a_moment_lies_in_a_span_or_not() -> None:
    from tests.diff.yard import yard

    tools = (tool("list_hands", "Lists all hands on shift.", at={"type": "string"}),)
    shifts = {
        "HN-1": {"shift": {"start": "2025-04-01T06:00", "end": "2025-04-01T14:00"}},
        "HN-2": {"shift": {"start": "2025-04-01T12:00", "end": "2025-04-01T20:00"}},
        "HN-3": {"shift": {"start": "2025-04-01T13:00", "end": "2025-04-01T15:00"}},
    }
    of = yard(initial_state={"hands": shifts}, state_description={}, tools=tools)
    asked = call("list_hands", {"hands": [{"hand": "HN-2"}]}, at="2025-04-01T14:00")
    said = [one for one in found(asked, of=of) if one[0] == "omission"]
    assert [one[2] for one in said] == ["HN-3"]  # HN-1 ends at that very moment


def test_a_row_that_is_called_after_things_tells_whose_values_it_has() -> None:
    from tests.diff.yard import seen

    rows = [{"tonnes": 1, "boat": "BT-77", "length": 12, "status": "ashore"}]
    assert set(seen(call("get_plan", {"seen": rows}))) == {("fabrication", "BT-77"), ("omission", "BT-3")}


def test_values_that_two_members_have_tell_neither() -> None:
    from tests.diff.yard import STATE as YARD
    from tests.diff.yard import seen, yard

    rows = [{"boat": "BT-77", "length": 12, "status": "ashore"}]
    twins = {**YARD["boats"], "BT-4": {**YARD["boats"]["BT-3"], "name": "Auk"}}
    of = yard(initial_state={**YARD, "boats": twins})
    assert seen(call("get_plan", {"seen": rows}), of=of) == [("fabrication", "BT-77")]


def filing(shown: list[str]) -> list[tuple[str, ...]]:
    state = {
        "filing_id": "FL-214",
        "status": "DRAFT",
        "uploaded_papers": [{"paper_id": "PA-98", "name": "a.pdf"}],
    }
    example = {"status": "DRAFT", "uploaded_papers": []}
    tools = (tool("get_filing_state", "Shows a filing with its papers.", "filing_id", example=example),)
    of = Environment(
        id="filing", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )
    node = {"status": "DRAFT", "uploaded_papers": [{"paper_id": one} for one in shown]}
    return found(call("get_filing_state", node, filing_id="FL-214"), of=of)


def test_an_empty_list_of_a_collections_very_name_is_that_one() -> None:
    assert filing(["PA-98"]) == []
    assert filing([]) == [("omission", "all_missing", "PA-98")]


def van(*shown: str, of_one: bool = True) -> list[tuple[str, ...]]:
    parcels = [
        {"parcel_id": one, "to": to, "status": status}
        for one, to, status in (
            ("PC-1", "mill", "aboard"),
            ("PC-2", "dock", "aboard"),
            ("PC-3", "farm", "at_hub"),
        )
    ]
    state = {"van_position" if of_one else "position": "hub", "parcels": parcels}
    example = {"position": "hub", "parcels": ["PC-901", "PC-902"]}
    tools = (tool("get_van", "Shows a van with its cargo.", "van_id", example=example),)
    of = Environment(
        id="van", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )
    node = {"position": "hub", "cargo": [{"id": one} for one in shown]}
    return found(call("get_van", node, van_id="VN-7"), of=of)


def test_what_stands_alike_belongs_to_the_only_thing_that_there_is() -> None:
    assert van("PC-1", "PC-2") == []
    assert [(kind, entity) for kind, _, entity in van("PC-1")] == [("omission", "PC-2")]
    assert van("PC-1", of_one=False) == [], "there may be several vans"
    assert van("PC-1", "PC-3") == [], "what is shown does not stand alike"


def test_steps_in_other_words_are_the_steps() -> None:
    steps = ["Wash the hands before the round", "Check every drip of the ward", "Write down who is in pain"]
    of = ward(state={"round_steps": steps})
    said = {
        "round_steps": [
            {"step_id": "ST-1", "text": "Wash hands before each round"},
            {"step_id": "ST-3", "text": "Write who is in pain"},
        ]
    }
    assert found(call("get_status", said), of=of) == [("omission", "missing", steps[1])]


def test_a_list_under_another_name_is_told_by_what_the_tool_says_of_itself() -> None:
    about = tool("get_overview", "Shows the status and the wards.")
    wards = [*STATE["wards"], "West Ward"]
    of = ward(tools=(about,), state={"wards": wards})
    assert found(call("get_overview", {"houses": dict.fromkeys(wards[:2], 1)}), of=of) == [
        ("omission", "missing", wards[2])
    ]
    assert found(call("get_overview", {"houses": dict.fromkeys(wards[:1], 1)}), of=of) == []


@pytest.mark.parametrize(
    "rows",
    [
        [{"id": "kA3", "bed": 1}, {"id": "ka3", "bed": 1}],
        [{"id": "P-1", "since": "2025-01-01", "price": 3}, {"id": "P-1", "since": "2025-02-01", "price": 4}],
        [{"id": "A+", "units": 1}, {"id": "A-", "units": 2}, {"id": "O+", "units": 3}],
        [{"name": "C", "year": 1972}, {"name": "C++", "year": 1985}, {"name": "C#", "year": 2000}],
        [{"id": "é", "bed": 1}, {"id": "e\u0301", "bed": 2}, {"id": "ß", "bed": 1}, {"id": "ss", "bed": 1}],
        [{"id": "🚀", "bed": 1}, {"id": "🌙", "bed": 2}],
        [{"id": -1, "rooms": 4}, {"id": 1, "rooms": 5}],
        [{"id": 1}, {"id": "1"}, {"id": 1.0}],
        [{"id": "x"}, {"id": True}],
        [{"id": "a"}, {"id": "A"}],
    ],
)
def test_what_is_repeated_word_for_word_is_shown_however_alike_its_names_are(
    rows: list[dict[str, Any]],
) -> None:
    """Ids that differ by case, by a sign or by nothing at all; and one that is then left out, of several with other values."""
    told = {
        name: ward(state={name: rows}, tools=(tool(f"list_{name}", f"Lists all {name}."),))
        for name in ("prices", "stock")
    }
    for name, of in told.items():
        assert found(call(f"list_{name}", {name: rows}), of=of) == []
    if len({json.dumps({**row, "id": ""}) for row in rows}) == len(rows):
        said = found(call("list_stock", {"stock": rows[1:]}), of=told["stock"])
        assert {kind for kind, _, _ in said} == {"omission"}


def test_rows_with_ids_of_their_own_only_tell_of_what_they_name() -> None:
    swap = {"shift_id": "SH-402", "from_member_id": "FF-01", "to_member_id": "FF-09"}
    assert true_of(BRIGADE, ("request_swap", swap), ("list_swaps", {"station_id": "ST-N"})) == []


def test_what_was_put_into_the_status_that_is_asked_for_is_missed() -> None:
    tools = (
        tool("list_orders", "Lists orders.", status={"type": "string"}),
        tool("set_status", "Sets the status of an order.", "order", "status", effect="write"),
    )
    orders = {"OR-1": {"status": "open"}, "OR-2": {"status": "open"}, "OR-3": {"status": "packed"}}
    of = ward(state={"orders": orders}, tools=tools, state_description={})
    put = call("set_status", {"order": "OR-1", "status": "held"}, order="OR-1", status="held")
    assert found(put, call("list_orders", {"orders": []}, status="held"), of=of) == [
        ("omission", "all_missing", "OR-1")
    ]
    rest = {"orders": [{"order": one, **orders[one]} for one in ("OR-2", "OR-3")]}
    assert found(put, call("list_orders", rest), of=of) == [], (
        "a list may be of those alone that stand as before"
    )
