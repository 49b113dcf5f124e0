"""How things stand."""

from __future__ import annotations

from replaylab.diff.check import Observed
from replaylab.diff.things.profile import Profile, profile
from replaylab.diff.things.thing import things_of
from tests.diff.omissions.test_alike import harbour
from tests.diff.ward import call, look


def stands(name: str, *calls: Observed, whole: bool = False) -> Profile | None:
    now = look(call("find_boats", {}), *calls, of=harbour())
    boats = next(one for one in now.contract.collections if one.name == "boats")
    return profile(now, boats, next(one for one in things_of(now, boats) if one.id == name), whole=whole)


def test_what_is_empty_in_some_tells_how_a_thing_stands() -> None:
    assert stands("BT-1") == stands("BT-4") != stands("BT-3")


def test_what_is_not_known_stands_nohow() -> None:
    assert stands("BT-1", call("moor_boat", {"boat": "BT-1"}, boat="BT-1", moored="south")) is None


def test_the_whole_profile_has_what_a_thing_names_and_what_names_it() -> None:
    told = dict(stands("BT-1", whole=True) or ())
    assert told.keys() == {"sold", "length", "=moored", "owner>", "@", "done"}
