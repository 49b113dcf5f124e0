"""What licenses a refusal: arguments left out, what is so already, the state in its own words."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.ward import call, found, tool, ward

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
