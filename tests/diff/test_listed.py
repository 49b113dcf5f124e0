"""Lists that the state keeps for the thing that a call names."""

from __future__ import annotations

from typing import Any

from replaylab.diff.changes import is_constant
from replaylab.schema.scenario import Environment, Tool
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
    assert is_constant("All units by id. use, occupied and valves never change.", "valves")
    assert is_constant("All people by id. Never changes.", "visas")
    assert not is_constant("All units by id. valves grows with each repair.", "valves")
    assert not is_constant("All units by id.", "valves")
