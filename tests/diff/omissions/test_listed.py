"""Lists that the state keeps for the thing that a call names."""

from __future__ import annotations

from typing import Any

from replaylab.diff.calls.fixed import never_changes
from replaylab.schema.scenario import Environment, Tool
from tests.diff.valley import BRIGADE, Asked, true_of, without
from tests.diff.ward import TOOLS, call, found, ward

ROUNDS = {
    "R-1": {"ward": "North Ward", "visits": ["V-11", "V-12"]},
    "R-2": {"ward": "South Ward", "visits": []},
}
READ = {"type": "object", "properties": {"round": {"type": "string"}}, "required": ["round"]}


def hospital() -> Environment:
    tools = [
        Tool(name=name, description="Shows a round.", parameters=READ, effect=effect)
        for name, effect in (("get_round", "read"), ("change_round", "write"))
    ]
    told = {"rounds": "All rounds by id. visits grows with change_round."}
    return ward(state={"rounds": ROUNDS}, tools=(*TOOLS, *tools), state_description=told)


def shown(visits: Any, *before: Any, name: str = "visits") -> list[tuple[str, ...]]:
    return found(*before, call("get_round", {"round": "R-1", name: visits}, round="R-1"), of=hospital())


def test_what_a_record_lists_has_to_be_there_and_nothing_else() -> None:
    assert shown(["V-11", "V-12"]) == []
    assert [(kind, entity) for kind, _, entity in shown(["V-12"])] == [("omission", "V-11")]
    assert [(kind, entity) for kind, _, entity in shown(["V-11", "V-12", "V-19"])] == [
        ("fabrication", "V-19")
    ]


def test_rows_are_told_by_the_field_that_is_called_like_the_list() -> None:
    rows = [{"visit": "V-11", "at": "09:00"}, {"visit": "V-12", "at": "10:00"}]
    assert shown(rows, name="schedule") == []
    assert [(kind, entity) for kind, _, entity in shown(rows[:1], name="schedule")] == [("omission", "V-12")]


def test_rows_that_only_refer_to_members_do_not_list_them() -> None:
    assert shown([{"patient_id": "P-101", "place": "V-11"}], name="people") == []


def test_a_list_that_a_call_has_changed_may_be_another() -> None:
    change = call("change_round", {"status": "success"}, round="R-1")
    assert [one for one in shown(["V-11"], change) if one[0] == "omission"] == []


def test_a_description_says_what_never_changes() -> None:
    assert never_changes("All units by id. use, occupied and valves never change.", "valves")
    assert never_changes("All people by id. Never changes.", "visas")
    assert not never_changes("All units by id. valves grows with each repair.", "valves")
    assert not never_changes("All units by id.", "valves")


SHEDS = {"SH-1": {"bays": {"A1": {"m": 4}, "A2": {"m": 5}}}, "SH-2": {"bays": {"B1": {"m": 4}}}}


def test_lists_inside_rows_show_what_those_things_list() -> None:
    from tests.diff.yard import STATE as YARD
    from tests.diff.yard import seen, yard

    def shown(first: list[str], **more: Any) -> Any:
        parts = {"BT-1": first, "BT-2": [], "BT-3": ["PT-73"]}
        rows = [{"boat": one, "parts": parts[one]} for one in YARD["boats"]]
        return call("list_boats", {"boats": rows, **more})

    assert seen(shown(["PT-71", "PT-72"]), of=yard()) == []
    assert seen(shown(["PT-71"]), of=yard()) == [("omission", "PT-72")]


def test_a_field_of_a_row_may_bear_a_name_that_mostly_wraps_something() -> None:
    from tests.diff.yard import seen, yard

    loans = [
        {"loan": "LN-1", "items": [{"item": "KY-1", "back": None}, {"item": "KY-2", "back": None}]},
        {"loan": "LN-2", "items": [{"item": "KY-3", "back": None}]},
    ]
    kayaks = {f"KY-{n}": {"seats": n} for n in (1, 2, 3)}
    of = yard(initial_state={"loans": loans, "items": kayaks}, state_description={})

    def shown(*first: str) -> Any:
        return call("list_loans", {"loans": [{"loan": "LN-1", "items": list(first)}]}, late=True)

    assert seen(shown("KY-1", "KY-2"), of=of) == []
    assert seen(shown("KY-1"), of=of) == [("omission", "KY-2")]


def test_an_empty_list_is_what_the_lists_of_that_name_are_elsewhere() -> None:
    from tests.diff.yard import seen, yard

    of = yard(
        initial_state={"sheds": {one: part["bays"] for one, part in SHEDS.items()}}, state_description={}
    )

    def shown(*first: str) -> Any:
        bays = [[{"bay": one} for one in first], [{"bay": "B1"}]]
        return call(
            "list_sheds", {"sheds": [{"shed": "SH-1", "bays": bays[0]}, {"shed": "SH-2", "bays": bays[1]}]}
        )

    assert seen(shown("A1", "A2"), of=of) == []
    assert seen(shown("A1"), of=of) == [("omission", "A2")]
    assert seen(shown(), of=of) == [("omission", "A1"), ("omission", "A2")]


def test_a_call_that_names_another_thing_takes_nothing_else_out() -> None:
    from tests.diff.yard import boat, seen

    def crew(*hands: str) -> Any:
        return boat("BT-2", crew=[{"hand": one, "hours": 1} for one in hands])

    off = call("cancel_hand", {"boat": "BT-2", "hand": "HN-51"}, boat="BT-2", hand="HN-51")
    assert seen(off, crew("HN-52")) == []
    assert seen(off, crew()) == [("omission", "HN-52")]


def test_what_a_call_was_on_leads_to_the_list_that_it_changes() -> None:
    asked: list[Asked] = [
        ("decide_swap", {"swap_id": "SW-72", "accept": True}),
        ("get_shift", {"shift_id": "SH-403"}),
    ]
    assert true_of(BRIGADE, *asked) == []
    assert without(
        BRIGADE,
        "member_ids",
        "",
        "FF-08",
        ("get_shift", {"shift_id": "SH-403"}),
        open_seats=1,
        complete=False,
    )
