"""Plain fields of the state itself, shown with another value."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.contradictions.constants import other_constants
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool
from tests.diff.yard import STATE, TOLD, TOOLS, looked, yard

LIMITS = {"floor_percent": 20, "hands_free": 3, "level": 7, "master_name": "Orla Quay", "max_depth_m": 4}


def harbour(**told: str) -> Environment:
    more = tool("get_limits", "Shows the limits.", example=LIMITS)
    guess = tool("estimate_limits", "Estimates the limits of a plan.", example=LIMITS)
    return yard(
        tools=(more, guess, *TOOLS), initial_state={**STATE, **LIMITS}, state_description={**TOLD, **told}
    )


def shown(*before: Any, of: Environment | None = None, by: str = "get_limits", **said: Any) -> list[str]:
    """What the rule itself finds in an answer that says this."""
    return [one.kind for one in other_constants(looked(call(by, said), *before, of=of or harbour()))]


OTHER = ["contradiction"]


@pytest.mark.parametrize(
    ("field", "value", "wrong"),
    [
        ("floor_percent", 14, True),
        ("floor_percent", 20, False),
        ("floor_percent", "20 %", False),
        ("level", 4, False),  # one word says too little
        ("master_name", "O. Quay", False),
    ],
)
def test_a_number_of_the_state_is_shown_as_it_is(field: str, value: Any, wrong: bool) -> None:
    assert shown(**{field: value}) == OTHER * wrong


def test_what_is_worked_out_may_be_of_something_else() -> None:
    assert shown(by="estimate_limits", floor_percent=14) == []


def test_after_a_call_it_is_what_was_shown_since() -> None:
    booked = call("book_hand", {"boat": "BT-3", "hand": "HN-53"}, boat="BT-3", hand="HN-53")
    assert shown(booked, hands_free=2) == []
    assert shown(booked, call("get_limits", {"hands_free": 2}), hands_free=3) == OTHER
    told = call("book_hand", {"boat": "BT-3", "hand": "HN-53", "hands_free": 2}, boat="BT-3", hand="HN-53")
    assert shown(told, hands_free=3) == OTHER


def test_what_never_changes_is_the_same_after_any_call() -> None:
    of = harbour(floor_percent="How full a tank must be. Never changes.", master_name="Never changes.")
    booked = call("book_hand", {"boat": "BT-3"}, boat="BT-3", hand="HN-53")
    assert shown(booked, floor_percent=14, of=of) == OTHER
    answer = call("get_limits", {"floor_percent": 14})
    assert [kind for kind, *_ in found(booked, answer, of=of)] == OTHER
    assert shown(booked, master_name="Ann Weir", of=of) == OTHER


def test_a_field_of_the_thing_itself_is_none_of_the_state() -> None:
    state = {**STATE, "max_depth_m": 4, "berths": {"BR-11": {"depth": 3, "max_depth_m": 9}}}
    of = yard(tools=(tool("get_berth", "Shows a berth.", "berth"), *TOOLS), initial_state=state)
    assert found(call("get_berth", {"berth": "BR-11", "max_depth_m": 9}, berth="BR-11"), of=of) == []
