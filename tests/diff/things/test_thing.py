"""Things as they stand by now."""

from __future__ import annotations

from replaylab.diff.check import Observed
from replaylab.diff.things.thing import Thing, things_of
from replaylab.schema.base import Json
from tests.diff.omissions.test_alike import harbour
from tests.diff.ward import call, look


def thing(name: str, *calls: Observed) -> Thing:
    now = look(call("find_boats", {}), *calls, of=harbour())
    boats = next(one for one in now.contract.collections if one.name == "boats")
    return next(one for one in things_of(now, boats) if one.id == name)


def moored(said: Json) -> Observed:
    return call("moor_boat", said, boat="BT-1", moored="south")


def test_what_nothing_was_done_with_is_as_the_state_has_it() -> None:
    assert thing("BT-1").values["moored"] == "north"
    assert thing("BT-2", moored({"boat": "BT-1"})).knows("moored")


def test_what_a_call_speaks_of_is_unsure_and_so_is_what_is_empty_in_some() -> None:
    assert thing("BT-1", moored({"boat": "BT-1"})).unsure == {"moored", "sold"}


def test_what_no_tool_speaks_of_stays() -> None:
    assert thing("BT-1", moored({"boat": "BT-1"})).knows("length")


def test_what_a_call_made_has_what_it_was_given() -> None:
    made = thing("BT-5", call("enter_boat", {"boat": "BT-5"}, owner="SA-2"))
    assert (made.values["owner"], made.made) == ("SA-2", 0)
    assert not made.knows("length")
