"""References to what nobody knows."""

from __future__ import annotations

from typing import Any

from replaylab.diff.fabrications.references import strange_names
from tests.diff.ward import call, look, tool
from tests.diff.yard import STATE, TOOLS, boat, seen, yard


def crew(name: str, *hands: str) -> Any:
    return boat(name, crew=[{"hand": one, "hours": 1} for one in hands])


def test_a_field_called_like_a_thing_refers_to_one() -> None:
    assert seen(boat("BT-3", hand="HN-59")) == [("fabrication", "HN-59")]
    assert seen(boat("BT-3", hand="HN-53")) == []


def test_an_id_of_a_family_is_one_of_it_under_any_name() -> None:
    assert seen(boat("BT-3", lent_to="BT-77")) == [("fabrication", "BT-77")]
    assert seen(boat("BT-3", lent_to="BT-2")) == []


def test_a_name_without_a_number_is_told_by_one_part() -> None:
    state = {
        **STATE,
        "docks": {"ELM-A": {"side": "port"}, "OAK-A": {"side": "lee"}},
        "vans": {"VN-1": {"dock": "ELM-A"}},
    }
    of = yard(initial_state=state)
    assert seen(boat("BT-3", dock="veltri-A"), of=of) == [("fabrication", "veltri-A")]
    assert seen(boat("BT-3", dock="on the road"), of=of) == []


def test_a_stranger_among_members_is_invented_and_one_alone_may_be_a_word() -> None:
    assert ("fabrication", "Overflow 2") in seen(crew("BT-2", "HN-51", "HN-52", "Overflow 2"))
    assert seen(boat("BT-3", hand="nobody yet")) == []


def test_leading_zeros_name_the_same() -> None:
    state = {
        **STATE,
        "cells": {"1-1-1": {"kg": 2}, "1-6-1": {"kg": 3}},
        "bays": {"BY-1": {"cell": "1-1-1"}, "BY-2": {"cell": "1-6-1"}},
    }
    of = yard(initial_state=state)
    assert seen(boat("BT-3", cell="01-06-01"), of=of) == []
    assert seen(boat("BT-3", cell="01-07-01"), of=of) == [("fabrication", "01-07-01")]


def test_a_stranger_among_things_of_several_sorts() -> None:
    rows = [{"to": one} for one in ("BR-11", "HN-51", "Annex Q")]
    assert seen(boat("BT-1", ways=rows)) == [("fabrication", "Annex Q")]
    assert seen(boat("BT-1", ways=rows[:2])) == []
    assert seen(boat("BT-1", ways=rows[1:])) == []


def test_among_what_calls_made_a_stranger_is_told_where_nothing_was_at_first() -> None:
    made = call("open_job", {"job": "JB-901", "boat": "BT-1"}, boat="BT-1")
    listed = call("list_jobs", {"jobs": [{"job": "JB-901"}, {"job": "JB-901A"}]})
    assert seen(made, listed) == [("fabrication", "JB-901A")]
    state = {key: part for key, part in STATE.items() if key != "jobs"}
    assert seen(made, listed, of=yard(initial_state=state)) == []


def strange(one: Any, *before: Any, of: Any) -> list[str]:
    """The names that nobody knows among those that are known."""
    return [each.entity for each in strange_names(look(one, *before, of=of))]


def test_what_a_call_was_told_is_nothing_that_it_gave() -> None:
    used = [
        call("label_boat", {"label": one}, boat="BT-1", label=one)
        for one in ("north-crew", "south-crew", "HN-51")
    ]
    of = yard(tools=(tool("label_boat", "Labels a boat.", "boat", "label", effect="write"), *TOOLS))
    names = ["HN-51", "north-crew", "south-crew"]
    assert strange(boat("BT-3", marks=names), *used, of=of) == []
    assert strange(boat("BT-3", marks=[*names, "Overflow-2"]), *used, of=of) == ["Overflow-2"]


def test_a_list_of_names_of_closed_things_takes_no_others() -> None:
    state = {**STATE, "crews": {"CW-1": {"samples": ["HN-51", "HN-52"]}, "CW-2": {"samples": ["HN-53"]}}}
    of = yard(initial_state=state, tools=(tool("get_crew", "Shows a crew.", "crew"), *TOOLS))
    booked = call("book_hand", {"boat": "BT-1"}, boat="BT-1", hand="HN-53")

    def crewed(*names: str) -> list[str]:
        rows = [{"who": one, "turn": "early"} for one in names]
        return strange(call("get_crew", {"crew": "CW-1", "samples": rows}, crew="CW-1"), booked, of=of)

    assert crewed("HN-51", "HN-52", "HN-53", "Zeta Reserve") == ["Zeta Reserve"]
    assert crewed("HN-51", "HN-52", "HN-53") == []


def test_what_time_may_have_brought_is_none() -> None:
    passed = call("advance_time", {"status": "success"})
    tools = (*yard().tools, yard().tools[-1].model_copy(update={"name": "advance_time", "parameters": {}}))
    rows = [{"job": "JB-1"}, {"job": "JB-2"}]
    state = {**STATE, "jobs": {"JB-1": {"at": 1}, "JB-3": {"at": 1}}}
    of = yard(tools=tools, initial_state=state)
    listed = call("list_jobs", {"jobs": rows})
    assert ("fabrication", "JB-2") in seen(listed, of=of)
    assert ("fabrication", "JB-2") not in seen(passed, listed, of=of)
    # Of what is told to be all there are, time brings no more.
    assert seen(passed, boat("BT-3", lent_to="BT-77"), of=of) == [("fabrication", "BT-77")]
