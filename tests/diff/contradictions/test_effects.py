"""Which fields a call may have changed: what the description tells of changes, and what the tools speak of."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.calls.memory import Record
from replaylab.diff.contradictions.effects import is_left_alone, is_own_text
from tests.diff.valley import LOCKS, Asked, true_of
from tests.diff.ward import call, look
from tests.diff.yard import STATE, TOLD, TOOLS, seen, yard

BOOKED = call("book_hand", {"boat": "BT-1", "hand": "HN-53"}, boat="BT-1", hand="HN-53")
SET = call("set_status", {"boat": "BT-1", "status": "sold"}, boat="BT-1", status="sold")
BARE = {**TOLD, "boats": "Every boat with what is known of it."}


def left(field: str, *steps: Any, **told: str) -> bool:
    environment = yard(state_description={**TOLD, **told})
    seen_by = look(call("get_boat", {"boat": "BT-1"}, boat="BT-1"), *steps, of=environment)
    boats = next(one for one in seen_by.contract.collections if one.pointer == "/initial_state/boats")
    return is_left_alone(seen_by, boats, field, seen_by.world.writes, (STATE["boats"]["BT-1"][field],))


@pytest.mark.parametrize(
    ("field", "step", "alone"),
    [
        ("status", BOOKED, True),  # it changes with set_status, and that was not called
        ("status", SET, False),
        ("name", SET, True),  # the description tells of changes, and of none of the name
        ("crew", BOOKED, False),  # it lists the hands, and the tool books one
    ],
)
def test_a_description_that_tells_of_changes_tells_of_all(field: str, step: Any, alone: bool) -> None:
    assert left(field, step) is alone


def test_where_a_description_says_nothing_of_changes_anything_goes() -> None:
    assert left("name", SET, boats=BARE["boats"]) is False
    assert left("name", SET, boats=BARE["boats"] + " berth changes with move_boat.") is True


def test_a_number_may_follow_from_what_was_done_elsewhere() -> None:
    told = "All boats by id. status changes with set_status. length is in metres."
    assert left("length", SET, boats=told) is False
    assert left("hull", SET, boats=told) is True
    assert left("length", SET, boats=told + " length changes with move_boat.") is True


def test_a_cause_in_other_words_is_a_cause() -> None:
    told = "All boats by id. status changes with set_status and with booked hands."
    assert left("status", BOOKED, boats=told) is False


def test_a_call_that_takes_back_may_change_anything() -> None:
    assert left("name", call("cancel_hand", {"boat": "BT-1"}, boat="BT-1", hand="HN-51")) is False


def own_text(field: str, *steps: Any) -> bool:
    seen_by = look(call("get_boat", {"boat": "BT-1"}, boat="BT-1"), *steps, of=yard())
    boats = next(one for one in seen_by.contract.collections if one.pointer == "/initial_state/boats")
    return is_own_text(Record("", {}, boats.entities[0], boats, own=True), field, seen_by.world.writes)


def test_a_text_that_tells_a_thing_from_others_changes_by_a_text() -> None:
    assert own_text("hull", BOOKED) is True
    assert own_text("status", BOOKED) is False
    paint = call("set_status", {"boat": "BT-1"}, boat="BT-1", status="steel over old oak")
    assert own_text("hull", paint) is False


def test_the_record_shows_what_no_call_can_have_changed() -> None:
    def said(**more: Any) -> list[tuple[str, str]]:
        return seen(BOOKED, call("get_boat", {"boat": "BT-1", **more}, boat="BT-1"))

    assert said(status="ashore") == [("contradiction", "BT-1")]
    assert said(status="moored", name="Lark") == []
    assert said(name="Heron") == [("contradiction", "BT-1")]
    assert seen(SET, call("get_boat", {"boat": "BT-1", "status": "sold"}, boat="BT-1")) == []
    tools = tuple(one.model_copy(update={"description": ""}) for one in TOOLS)
    silent = yard(tools=tools, state_description=BARE)
    assert seen(BOOKED, call("get_boat", {"boat": "BT-1", "name": "Heron"}, boat="BT-1"), of=silent) == []


def test_a_tool_may_be_named_as_its_name_is_written() -> None:
    told = {"boats": "All boats by id. length changes with set-status. hull never changes."}
    assert left("length", BOOKED, **told)
    assert not left("length", SET, **told)


def test_a_paragraph_that_begins_with_a_tool_tells_what_it_changes() -> None:
    asked: list[Asked] = [
        ("flight_status", {}),
        ("lock_through", {"lock": "Mill Lock", "direction": "up"}),
        ("lock_through", {"lock": "Mill Lock", "direction": "down"}),
        ("lock_through", {"lock": "Mill Lock", "direction": "up"}),
        ("flight_status", {}),
    ]
    assert true_of(LOCKS, *asked) == []
