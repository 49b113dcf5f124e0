"""How two things stand to each other: what a refusal says of it, against state and calls."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.relations import untrue_relation
from tests.diff.ward import call, found, reason
from tests.diff.yard import STATE, TOLD, yard

BOOKED = call("book_hand", {"boat": "BT-3", "hand": "HN-53"}, boat="BT-3", hand="HN-53")


def against(tool: str, text: str, *before: Any, **arguments: str) -> str:
    return untrue_relation(reason(call(tool, {"error": text}, **arguments), *before, of=yard()))


@pytest.mark.parametrize(
    ("text", "boat", "stands"),
    [
        ("HN-53 already works on BT-1", "BT-1", "nothing has brought HN-53 and BT-1 together"),
        ("HN-51 already works on BT-1", "BT-1", ""),
        ("HN-53 may not work on BT-1", "BT-1", ""),
    ],
)
def test_what_is_so_already_has_come_from_somewhere(text: str, boat: str, stands: str) -> None:
    assert against("book_hand", text, boat=boat, hand=text[:5]) == stands


def test_a_call_brings_two_things_together() -> None:
    text = "HN-53 already works on BT-3"
    assert against("book_hand", text, boat="BT-3", hand="HN-53") != ""
    assert against("book_hand", text, BOOKED, boat="BT-3", hand="HN-53") == ""


@pytest.mark.parametrize(
    ("text", "stands"),
    [
        ("HN-52 does not work on BT-2", "HN-52 and BT-2 belong together in the state"),
        ("HN-53 does not work on BT-2", ""),
        ("HN-52 does not work on BT-2 unless it is ashore", ""),
    ],
)
def test_what_is_denied_must_not_stand_in_the_state(text: str, stands: str) -> None:
    assert against("cancel_hand", text, boat="BT-2", hand=text[:5]) == stands


def test_what_a_call_may_have_parted_may_be_denied() -> None:
    gone = call("cancel_hand", {"boat": "BT-2", "hand": "HN-52"}, boat="BT-2", hand="HN-52")
    assert against("cancel_hand", "HN-52 does not work on BT-2", gone, boat="BT-2", hand="HN-52") == ""


def test_a_thing_is_where_its_record_says() -> None:
    text = "BT-1 lies at {}"
    assert against("set_status", text.format("BR-12"), boat="BT-1") == "berth of BT-1 is 'BR-11'"
    assert against("set_status", text.format("BR-11"), boat="BT-1") == ""
    moved = call("move_boat", {"boat": "BT-1"}, boat="BT-1", berth="BR-12")
    assert against("set_status", text.format("BR-12"), moved, boat="BT-1") == ""


def test_a_thing_may_be_nowhere_that_another_is() -> None:
    state = {**STATE, "boats": {**STATE["boats"], "BT-3": {**STATE["boats"]["BT-3"], "berth": "quay"}}}
    of = yard(initial_state=state, state_description={**TOLD, "crews": "Rows inside boats refer to hands."})

    def said(text: str) -> str:
        return untrue_relation(reason(call("set_status", {"error": text}, boat="BT-3"), of=of))

    assert said("BT-3 lies at BR-12, not on the quay") == "berth of BT-3 is 'quay'"
    assert said("BT-3 waits for HN-51") == ""  # boats refer to hands by no plain field


def test_the_refusal_is_a_violation() -> None:
    one = call("book_hand", {"error": "HN-53 already works on BT-1"}, boat="BT-1", hand="HN-53")
    assert found(one, of=yard()) == [("rule_invention", "untrue_reason", "")]
    due = call("book_hand", {"error": "HN-51 already works on BT-1"}, boat="BT-1", hand="HN-51")
    assert found(due, of=yard()) == []


def test_a_thing_that_several_parts_of_the_state_hold_is_where_one_of_them_says() -> None:
    of = yard(initial_state={**STATE, "ways": {"BT-1": {"BR-12": 4}, "BT-2": {"BR-11": 4}}})
    one = call("set_status", {"error": "BT-1 is served by BR-12"}, boat="BT-1")
    assert untrue_relation(reason(one, of=of)) == "berth of BT-1 is 'BR-11'"
