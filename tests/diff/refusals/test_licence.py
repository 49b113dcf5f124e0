"""What licenses a refusal: arguments left out, what is so already, the state in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.licence import bad_arguments
from tests.diff.ward import call, found, reason, tool, ward

TOOLS = (
    tool(
        "set_pump",
        "Changes the state of the pump.",
        effect="write",
        status={"type": "string", "enum": ["on", "off"]},
    ),
    tool(
        "manage_rules",
        "Manages the firewall.",
        effect="write",
        action={"type": "string", "enum": ["list", "add_rule"]},
        rule_string={"type": "string", "description": "The definition (required for 'add_rule')."},
        memo={"type": "string", "description": "An optional remark on what add_rule adds."},
    ),
    tool("send_train", "Sends a train on.", "segment_id", effect="write"),
)
STATE = {
    "pump_status": "off",
    "segments": [
        {"segment_id": "SG-1", "signal": "RED", "speed_limit": 0},
        {"segment_id": "SG-2", "signal": "GREEN", "speed_limit": 60},
    ],
}


def refused(name: str, text: str, /, *before: Any, **arguments: Any) -> list[str]:
    of = ward(state=STATE, tools=TOOLS, system_prompt="You simulate a plant.")
    return [kind for kind, _, _ in found(*before, call(name, {"error": text}, **arguments), of=of)]


@pytest.mark.parametrize(
    "text",
    [
        "The pump was running before this request",
        "The pump is already running",
        "Pump active already: nothing to change",
        "It was powered before the call",
        "No change: the pump is still operational",
        "Redundant, the pump is started",
    ],
)
def test_what_is_so_already_in_another_word(text: str) -> None:
    on = call("set_pump", {"success": True}, status="on")
    assert refused("set_pump", text, on, status="on") == []
    assert refused("set_pump", text, status="on") == ["rule_invention"]


@pytest.mark.parametrize(
    "text",
    [
        "rule_string is missing; add_rule cannot work without it",
        "add_rule needs a rule_string",
        "No rule_string was given",
        "Please provide rule_string",
        "rule_string must not be empty",
        "There is nothing in rule string to add",
    ],
)
def test_an_argument_that_one_action_wants_was_left_out(text: str) -> None:
    assert refused("manage_rules", text, action="add_rule") == []


def test_an_argument_that_is_free_is_not_wanted() -> None:
    why = "memo is missing; the duty engineer wants one"
    assert refused("manage_rules", why, action="add_rule") == ["rule_invention"]


@pytest.mark.parametrize(
    "text",
    [
        "SG-1 shows RED with a speed limit of 0; no movement is possible there",
        "Signal at SG-1 reads RED, so moving is impossible",
        "SG-1 shows RED; no shunting manoeuvre is possible there",
        "SG-1 displays RED and nothing can be done",
        "SG-1 stands at RED; it cannot proceed",
    ],
)
def test_the_state_in_its_own_words_with_what_comes_of_it(text: str) -> None:
    assert refused("send_train", text, segment_id="SG-1") == []
    assert refused("send_train", text.replace("RED", "flooded ballast"), segment_id="SG-1") == [
        "rule_invention"
    ]


DESK = (
    tool(
        "open_gate",
        "Gives a movement authority through a gate.",
        "gate_id",
        effect="write",
        width={"type": "number"},
        blocks={"type": "integer"},
        example={"authority_id": "A-9", "measured_load": 0.4},
    ),
    tool("book_trip", "Books a trip.", "trip_id", effect="write", cost={"type": "number"}),
)
GATES = {
    "budget_cap": 3000.0,
    "spent": 1400.0,
    "gates": [{"gate_id": "G-1", "mode": "Read-Only/Archival", "stage": "under review", "load": 12}],
    "trips": [{"trip_id": "T-1", "town": "Heron"}],
}


def at_the_desk(name: str, text: str, /, *before: Any, more: Any = None, **arguments: Any) -> list[str]:
    of = ward(state=GATES, tools=DESK, system_prompt="You simulate a desk.")
    said = {"error": text, **(more or {})}
    return [kind for kind, _, _ in found(*before, call(name, said, **arguments), of=of)]


def test_the_state_bears_out_how_things_stand_and_no_condition() -> None:
    invented = at_the_desk(
        "open_gate", "Gates open once the review is over, G-1 is under review", gate_id="G-1"
    )
    assert invented == ["rule_invention"]
    assert at_the_desk("open_gate", "G-1 is under review", gate_id="G-1") == []
    assert at_the_desk("open_gate", "G-1 is under review until 12", gate_id="G-1") == []


def test_the_call_s_own_number_bears_nothing_out_by_itself() -> None:
    invented = at_the_desk(
        "open_gate", "quantity 7 does not divide into whole crates", gate_id="G-1", blocks=7
    )
    assert invented == ["rule_invention"]
    assert (
        at_the_desk("open_gate", "7 crates do not pass beside a weight of 12", gate_id="G-1", blocks=7) == []
    )


def test_an_amount_is_no_name_of_something_unknown() -> None:
    text = "a width of 7 does not suit the paving"
    assert at_the_desk("open_gate", text, gate_id="G-1", width=7) == ["rule_invention"]
    assert at_the_desk("open_gate", "G-7 is unknown here", gate_id="G-7") == []


def test_the_word_only_in_a_value_of_the_state_lays_down_nothing() -> None:
    assert at_the_desk("open_gate", "G-1 still lies in Read-Only/Archival mode", gate_id="G-1") == []
    assert at_the_desk("open_gate", "only archival porters pass G-1", gate_id="G-1") == ["rule_invention"]


def test_what_the_tool_itself_calls_an_authority_is_no_rule() -> None:
    assert (
        at_the_desk("open_gate", "G-1 is under review at this stage, no authority lies", gate_id="G-1") == []
    )
    assert at_the_desk("open_gate", "G-1 is under review at this stage, no licence lies", gate_id="G-1") == [
        "rule_invention"
    ]


def test_a_number_that_the_answer_has_measured_comes_from_somewhere() -> None:
    text = "a measured load of 0.91 stands against it"
    assert at_the_desk("open_gate", text, more={"measured_load": 0.91}, gate_id="G-1") == []
    assert at_the_desk("open_gate", text, gate_id="G-1") == ["rule_invention"]


def test_by_how_much_a_sum_passes_a_field_of_the_state_is_worked_out() -> None:
    text = "That would bring it to 3200.00, {} more than the limit."
    assert at_the_desk("book_trip", text.format("200.00"), trip_id="T-1", cost=1800.0) == []
    assert at_the_desk("book_trip", text.format("350.00"), trip_id="T-1", cost=1800.0) == ["rule_invention"]


def test_one_of_something_per_anything_is_a_cap() -> None:
    done = call("open_gate", {"authority_id": "A-1"}, gate_id="G-1")
    text = "G-1 was opened already; the gates grant a single {}"
    assert at_the_desk("open_gate", text.format("authority per gate"), done, gate_id="G-1") == [
        "rule_invention"
    ]
    assert at_the_desk("open_gate", text.format("authority"), done, gate_id="G-1") == []


def test_that_nothing_was_done_is_no_cause_of_a_refusal() -> None:
    assert at_the_desk("open_gate", "Not widened. G-1 is under review", gate_id="G-1") == []
    assert at_the_desk("open_gate", "Not widened. G-1 is under water", gate_id="G-1") == ["rule_invention"]


def test_what_was_said_of_a_new_thing_bears_a_reason_out() -> None:
    tools = (
        tool("book", "Books a room.", "room", effect="write"),
        tool("open_room", "Opens a room.", "room", effect="write"),
    )
    state = {"today": "2025-03-01", "rooms": {"RM-1": {"floor": 1}}}
    of = ward(state=state, tools=tools, system_prompt="You simulate a house.")
    booked = call("book", {"booking": "BK-31", "room": "RM-1", "until": "2025-03-09"}, room="RM-1")

    def said(text: str, *before: Any) -> list[str]:
        return [kind for kind, _, _ in found(*before, call("open_room", {"error": text}, room="RM-1"), of=of)]

    assert said("BK-31 of RM-1 runs until 2025-03-09", booked) == []
    assert said("BK-31 of RM-1 runs until 2025-03-09") == ["rule_invention"]
    assert said("BK-31 of RM-1 needs a clerk until 2025-03-09", booked) == ["rule_invention"]


def test_whose_value_is_no_choice_may_be_told_the_choices() -> None:
    assert refused("set_pump", "Choose on or off.", status="half") == []
    assert refused("set_pump", "Choose on or off.", status="on") != []


def test_an_amount_below_zero_may_be_named_as_what_is_wrong() -> None:
    of = ward(state=STATE, tools=(tool("buy", "Buys.", effect="write", count={"type": "integer"}),))
    below, above = (
        reason(call("buy", {"error": f"You can't buy {count} items."}, count=count), of=of)
        for count in (-1, 3)
    )
    assert bad_arguments(below) is not None
    assert bad_arguments(above) is None
