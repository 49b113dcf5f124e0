"""Lists that stand in texts."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "closed_lanes": ["Elm", "Oak"],
    "ferries": {"ferry_north": {"seats": 40, "pilot": "Ulla"}, "ferry_south": {"seats": 60, "pilot": "Bror"}},
    "tide_cm": 120,
    "fog_share": 0.4,
}
TOOLS = (
    tool("get_state", "Shows the town."),
    tool("get_ferries", "Shows every ferry."),
    tool("get_seats", "Shows seats of ferries.", ferry_ids={"type": "array", "items": {"type": "string"}}),
)
TOWN = Environment(
    id="town", system_prompt="You simulate a town.", initial_state=STATE, tools=TOOLS, state_description={}
)


def seen(*calls: Any) -> list[tuple[str, str]]:
    return [(kind, entity) for kind, _, entity in found(*calls, of=TOWN)]


def test_a_written_list_under_the_very_name_is_a_list() -> None:
    assert seen(call("get_state", {"closed lanes": "Elm, Oak and Ash"})) == [("fabrication", "Ash")]
    assert seen(call("get_state", {"closed lanes": "Elm and Oak"})) == []
    assert seen(call("get_state", {"note": "Elm, Oak and Ash"})) == []
    assert seen(call("get_state", {"closed lanes": "Elm, Oak and others"})) == []


def test_one_sentence_of_a_tool_named_after_them_tells_of_all() -> None:
    assert seen(call("get_ferries", {"message": "1 ferry: ferry_north with 40 seats"})) == [
        ("omission", "ferry_south")
    ]
    assert seen(call("get_ferries", {"message": "ferry_north has 40 seats, the south boat has 60"})) == []
    assert seen(call("get_ferries", {"message": "ferry_north with 40 seats and others"})) == []


def test_a_sentence_tells_of_all_that_were_asked_for() -> None:
    both = ["ferry_north", "ferry_south"]
    assert seen(call("get_seats", {"message": "ferry_north: 40 seats"}, ferry_ids=both)) == [
        ("omission", "ferry_south")
    ]
    assert seen(call("get_seats", {"message": "ferry_north: 40 seats"}, ferry_ids=both[:1])) == []


def test_a_number_in_a_text_is_that_of_the_field_it_is_told_under() -> None:
    assert [kind for kind, _ in seen(call("get_state", {"summary": "tide 90 cm; all calm"}))] == [
        "contradiction"
    ]
    assert seen(call("get_state", {"summary": "tide 120 cm; all calm"})) == []
    assert seen(call("get_state", {"summary": "tide 0.9 m; tide limit 90 cm"})) == []
