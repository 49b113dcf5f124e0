"""What calls have brought in has to stand in the lists that show such."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import call
from tests.diff.yard import TOOLS, boat, seen, yard


def crew(name: str, *hands: str) -> Any:
    return boat(name, crew=[{"hand": one, "hours": 1} for one in hands])


def booked(name: str, one: str) -> Any:
    return call("book_hand", {"boat": name, "hand": one}, boat=name, hand=one)


def test_who_was_booked_stands_in_the_crew() -> None:
    before = booked("BT-3", "HN-51"), booked("BT-3", "HN-53")
    assert seen(*before, crew("BT-3", "HN-51", "HN-53")) == []
    assert seen(*before, crew("BT-3", "HN-53")) == [("omission", "HN-51")]


def test_a_sentence_says_what_a_tool_adds_to() -> None:
    assert seen(booked("BT-3", "HN-51"), crew("BT-3")) == [("omission", "HN-51")]
    assert seen(booked("BT-1", "HN-53"), crew("BT-3")) == []


def test_who_was_taken_off_is_not_missed() -> None:
    off = call("cancel_hand", {"boat": "BT-3", "hand": "HN-51"}, boat="BT-3", hand="HN-51")
    assert seen(booked("BT-3", "HN-51"), off, crew("BT-3")) == []
    other = call("cancel_hand", {"boat": "BT-3", "hand": "HN-52"}, boat="BT-3", hand="HN-52")
    assert seen(booked("BT-3", "HN-51"), other, crew("BT-3")) == [("omission", "HN-51")]


def test_what_a_call_made_stands_in_the_list_of_that_name() -> None:
    made = [call("open_job", {"job": one, "boat": "BT-1"}, boat="BT-1") for one in ("JB-901", "JB-902")]
    rows = [{"job": "JB-901", "boat": "BT-1"}, {"job": "JB-902", "boat": "BT-1"}]
    assert seen(*made, call("list_jobs", {"jobs": rows})) == []
    assert seen(*made, call("list_jobs", {"jobs": rows[:1]})) == [("omission", "JB-902")]
    assert seen(*made, call("list_jobs", {"jobs": []})) == [("omission", "JB-901"), ("omission", "JB-902")]


def test_what_is_shown_by_its_own_id_is_not_missed_by_what_it_is_about() -> None:
    made = [call("open_job", {"job": f"JB-90{at}", "boat": f"BT-{at}"}, boat=f"BT-{at}") for at in (1, 2)]
    rows = [{"job": "JB-901", "boat": "BT-1"}, {"job": "JB-902", "boat": "somebody's"}]
    assert ("omission", "BT-2") not in seen(*made, call("list_jobs", {"jobs": rows}))


def test_a_refused_call_brought_nothing_in() -> None:
    refused = call("book_hand", {"error": "HN-51 is ill"}, boat="BT-3", hand="HN-51")
    assert seen(refused, crew("BT-3")) == []


def test_what_a_call_made_is_known_by_the_name_of_its_field_alone() -> None:
    tools = (
        *TOOLS,
        TOOLS[-1].model_copy(update={"name": "begin_work", "example_output": None, "has_example": False}),
    )
    bare = [
        one.model_copy(update={"example_output": {"jobs": []}}) if one.name == "list_jobs" else one
        for one in tools
    ]
    begun = call("begin_work", {"job": "JB-901", "boat": "BT-1"}, boat="BT-1")
    assert seen(begun, call("list_jobs", {"jobs": []}), of=yard(tools=bare)) == [("omission", "JB-901")]


def test_what_a_call_made_stands_where_another_stands_that_it_made() -> None:
    made = [call("open_job", {"job": one, "boat": "BT-1"}, boat="BT-1") for one in ("JB-901", "JB-902")]
    assert seen(*made, call("list_jobs", {"content": [{"job": "JB-902"}]})) == [("omission", "JB-901")]
    assert seen(*made, call("list_jobs", {"content": [{"job": "JB-901"}, {"job": "JB-902"}]})) == []
