"""What a call returned, set or took holds in the answer after it."""

from __future__ import annotations

from typing import Any

from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {
    "cash_balance": 9000.0,
    "shift_count": 0,
    "lamp_state": "off",
    "ponds": [
        {"pond_id": "PD-1", "fish_volume": 400.0, "depth": 3},
        {"pond_id": "PD-2", "fish_volume": 90.0, "depth": 2},
    ],
    "gate_positions": {"GT-1": "shut", "GT-2": "open"},
    "current_feed_rates": {},
}
TOOLS = (
    tool("get_farm", "Shows the farm."),
    tool("list_ponds", "Lists the ponds."),
    tool("work_shift", "Works a shift.", effect="write"),
    tool("harvest_pond", "Takes fish out of a pond.", "pond_id", effect="write", share={"type": "number"}),
    tool("net_pond", "Nets a pond.", "pond_id", effect="write"),
    tool("buy_feed", "Buys feed.", "feed", effect="write", kilos={"type": "number"}),
    tool("set_gate_position", "Sets a gate.", "gate_id", "position", effect="write"),
    tool("set_feed_rate", "Sets how much is fed.", "fish", effect="write", rate={"type": "number"}),
    tool(
        "set_lamp_state",
        "Switches the lamp.",
        effect="write",
        lamp_state={"type": "string", "enum": ["on", "off"]},
    ),
    tool(
        "set_lamp_mode",
        "Switches the lamp.",
        effect="write",
        lamp_state={"type": "string", "enum": ["on", "off", "dim"]},
    ),
    tool("advance_time", "Lets an hour pass.", effect="write"),
)
FARM = Environment(
    id="farm",
    system_prompt="You simulate a fish farm.",
    initial_state=STATE,
    tools=TOOLS,
    state_description={},
)


def farm(**shown: Any) -> Any:
    return call("get_farm", shown)


def ponds(volume: float) -> Any:
    return call(
        "list_ponds", {"ponds": [{"pond_id": "PD-1", "fish": volume, "depth": 3}, {**STATE["ponds"][1]}]}
    )


def seen(*calls: Any) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=FARM) if kind == "contradiction"]


def test_what_a_call_returned_is_so_in_the_answer_after_it() -> None:
    worked = call("work_shift", {"ok": True, "new_shift_count": 1})
    assert seen(worked, farm(shift_count=3)) == ["shift_count"]
    assert seen(worked, farm(shift_count=1)) == []
    assert seen(worked, call("advance_time", {"ok": True}), farm(shift_count=3)) == []


def test_it_may_be_called_by_how_it_is_measured_or_not() -> None:
    netted = call("net_pond", {"remaining_pond_fish_volume": 250.0}, pond_id="PD-1")
    assert seen(netted, ponds(390.0)) == ["PD-1"]
    assert seen(netted, ponds(250.0)) == []
    assert seen(call("net_pond", {"fish_caught": 250.0}, pond_id="PD-1"), ponds(390.0)) == []


def test_an_entry_of_a_map_is_what_a_call_named_after_the_map_has_set() -> None:
    shut = call("set_gate_position", {"status": "success"}, gate_id="GT-2", position="shut")
    assert seen(shut, farm(gate_positions={"GT-1": "shut", "GT-2": "open"})) == ["GT-2"]
    assert seen(shut, farm(gate_positions={"GT-1": "shut", "GT-2": "shut"})) == []
    fed = call("set_feed_rate", {"status": "success"}, fish="carp", rate=50)
    assert seen(fed, farm(current_feed_rates={"carp": 5})) == ["carp"]
    assert seen(fed, farm(current_feed_rates={"carp": 50})) == []
    again = call("set_feed_rate", {"status": "success"}, fish="carp", rate=5)
    assert seen(fed, again, farm(current_feed_rates={"carp": 5})) == []
    assert (
        seen(
            call("set_feed_rate", {"status": "pending"}, fish="carp", rate=50),
            farm(current_feed_rates={"carp": 5}),
        )
        == []
    )


def test_who_has_bought_has_less_money() -> None:
    bought = call("buy_feed", {"status": "success", "bags": 4}, feed="pellets", kilos=100)
    assert seen(bought, farm(cash_balance=9000.0)) == ["cash_balance"]
    assert seen(bought, farm(cash_balance=8600.0)) == []
    # A second trade may have brought the money back.
    assert seen(bought, bought, farm(cash_balance=9000.0)) == []
    assert (
        seen(call("buy_feed", {"status": "pending"}, feed="pellets", kilos=100), farm(cash_balance=9000.0))
        == []
    )


def test_what_was_taken_from_is_less() -> None:
    taken = call("harvest_pond", {"fee": 20}, pond_id="PD-1", share=0.5)
    full = call("list_ponds", {"ponds": STATE["ponds"]})
    assert seen(taken, full) == ["PD-1"]
    assert seen(call("net_pond", {"fee": 20}, pond_id="PD-1"), full) == []
    assert seen(taken, call("advance_time", {"ok": True}), full) == []


def test_a_switch_stays_while_time_passes_and_a_dial_may_not() -> None:
    later = call("advance_time", {"ok": True})
    assert seen(call("set_lamp_state", {"ok": True}, lamp_state="on"), later, farm(lamp_state="off")) == [""]
    assert seen(call("set_lamp_mode", {"ok": True}, lamp_state="on"), later, farm(lamp_state="off")) == []


def test_what_is_worked_out_from_the_rows_inside_is_not_what_one_call_took() -> None:
    shifts = call("work_shift", {"ok": True, "minutes": 2})
    assert seen(shifts, call("get_farm", {"minutes": 4})) == ["minutes"]
    assert seen(shifts, call("get_farm", {"minutes": 4, "waiting": [{"name": "sow", "minutes": 4}]})) == []
