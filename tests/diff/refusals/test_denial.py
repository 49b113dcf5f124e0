"""Calls that deny what exists."""

from __future__ import annotations

from typing import Any

import pytest

from replaylab.diff.refusals.unknown import says_unknown
from tests.diff.ward import call, found, tool, ward
from tests.diff.yard import STATE, TOLD, seen, yard


def refused(tool: str, why: str, **arguments: Any) -> Any:
    return call(tool, {"error": why}, **arguments)


def test_there_is_none_of_a_name_in_many_words() -> None:
    for text in (
        "there is no boat Heron",
        "the yard has no boat 'Heron'",
        "unknown boat: Heron",
        "Heron not found",
    ):
        assert says_unknown(text, ["Heron"]), text
    assert not says_unknown("there is no road to Heron", ["Heron"])
    assert not says_unknown("there is no road from here to Heron", ["Heron"])


def test_a_known_id_is_denied() -> None:
    assert seen(refused("get_boat", "there is no boat BT-2", boat="BT-2")) == [("omission", "BT-2")]
    assert seen(refused("get_boat", "there is no boat BT-9", boat="BT-9")) == []


def test_what_a_thing_has_not_is_no_denial() -> None:
    assert seen(refused("cancel_hand", "BT-1 has no hand HN-53", boat="BT-1", hand="HN-53")) == []


def test_a_rule_about_another_sort_denies_nothing() -> None:
    why = "refused: nothing is done when a berth doesn't exist"
    assert ("omission", "BT-2") not in seen(refused("get_boat", why, boat="BT-2"))


def test_the_name_of_a_field_is_no_known_name() -> None:
    assert seen(refused("get_boat", "there is no boat hull", boat="hull")) == []


def test_a_word_of_another_sort_is_unknown_there() -> None:
    state = {**STATE, "papers": {"BK-1": {"contents": ["text", "maps"]}, "BK-2": {"contents": ["text"]}}}
    assert seen(refused("get_boat", "there is no boat text", boat="text"), of=yard(initial_state=state)) == []


def test_what_a_call_only_used_is_still_there() -> None:
    delivered = call("use_boat", {"boat": "BT-1", "status": "moored"}, boat="BT-1")
    tools = (*yard().tools, yard().tools[-1].model_copy(update={"name": "use_boat"}))
    denied = refused("get_boat", "there is no boat BT-1", boat="BT-1")
    assert seen(delivered, denied, of=yard(tools=tools)) == [("omission", "BT-1")]
    # Where nothing says how it stands, the call may have ended it.
    silent = call("use_boat", {"status": "success"}, boat="BT-1")
    assert seen(silent, denied, of=yard(tools=tools)) == []


def test_what_no_tool_takes_away_is_there_for_ever() -> None:
    cleared = call("clear_crew", {"removed": ["HN-51"]}, boat="BT-1")
    tools = (*yard().tools, yard().tools[-1].model_copy(update={"name": "clear_crew"}))
    denied = refused("get_boat", "there is no boat BT-1", boat="BT-1")
    assert seen(cleared, denied, of=yard(tools=tools)) == [("omission", "BT-1")]
    told = {**TOLD, "boats": "Boats by id."}
    assert seen(cleared, denied, of=yard(tools=tools, state_description=told)) == []


@pytest.mark.parametrize(
    ("why", "denied"),
    [
        ("BT-2 not found at current location", False),
        ("BT-2 is not in this place", False),
        ("BT-2 is not at the berth", False),
        ("BT-2 not found (status: moored)", False),
        ("BT-2 not found at location BR-12", True),
        ("BT-2 not found in the register", True),
        ("BT-2 not found", True),
    ],
    ids=["place", "other words", "holder", "standing", "where the state has it", "register", "plain"],
)
def test_what_is_not_here_exists_elsewhere(why: str, denied: bool) -> None:
    said = seen(refused("move_boat", why, boat="BT-2", berth="BR-11"))
    assert (("omission", "BT-2") in said) == denied


def test_time_that_passed_before_an_id_was_shown_takes_nothing_away() -> None:
    tools = (*yard().tools, tool("advance_time", "Lets an hour pass.", effect="write"))
    opened = call("open_job", {"job": "JB-901", "boat": "BT-1"}, boat="BT-1")
    passed = call("advance_time", {"done": True})
    denied = refused("open_job", "there is no job JB-901", boat="BT-1", job="JB-901")
    assert seen(passed, opened, denied, of=yard(tools=tools)) == [("omission", "JB-901")]
    assert ("omission", "JB-901") not in seen(opened, passed, denied, of=yard(tools=tools))


def test_a_thing_is_one_of_its_own_sort_before_it_waits_in_a_queue() -> None:
    # The queue stands first in the state, and who was called may be out of it.
    state = {"queues": {"BR-11": ["BT-1", "BT-2"], "BR-12": []}, **STATE}
    of = yard(initial_state=state, state_description={**TOLD, "queues": "Who waits for each berth."})
    called = call("set_status", {"status": "ashore"}, boat="BT-1", status="ashore")
    assert seen(called, refused("get_boat", "there is no boat BT-1", boat="BT-1"), of=of) == [
        ("omission", "BT-1")
    ]


def test_what_a_thing_has_none_of_is_not_the_thing_whatever_signs_its_name_has() -> None:
    of = ward(
        state={"cases": {"C/7/25": {"title": "Ash v. Elm"}}},
        tools=(tool("seal", "Seals a paper of a case.", "case", effect="write", paper={"type": "integer"}),),
    )

    def denied(text: str) -> list[str]:
        said = call("seal", {"error": text}, case="C/7/25", paper=9)
        return [subkind for _, subkind, _ in found(said, of=of) if subkind == "denial"]

    assert denied("C/7/25 has no paper 9") == []
    assert denied("no case C/7/25") == ["denial"]
