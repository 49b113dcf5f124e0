"""Things as they stand by now."""

from __future__ import annotations

from replaylab.diff.check import Observed
from replaylab.diff.things.thing import Thing, things_of
from replaylab.schema.base import Json
from tests.diff.omissions.test_alike import harbour
from tests.diff.ward import call, look, tool
from tests.diff.yard import looked


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


def test_what_was_given_its_end_is_still_there() -> None:
    ended = call("scrap_boat", {"boat": "BT-1"}, boat="BT-1")
    assert thing("BT-1", ended).gone
    given = looked(
        call("find_boats", {}),
        call("scrap_boat", {"boat": "BT-1", "sold": "2025-06-01"}, boat="BT-1"),
        of=harbour(),
    )
    boats = next(one for one in given.contract.collections if one.name == "boats")
    first = things_of(given, boats)[0]
    assert (first.gone, first.values["sold"]) == (False, "2025-06-01"), (
        "sold is filled in some from the beginning"
    )


def test_a_tool_that_lets_time_pass_speaks_of_no_pass() -> None:
    passes = {"PS-1": {"holder": "Ada"}, "PS-2": {"holder": "Bo"}}
    visits = {"VS-1": {"pass": "PS-1", "lane": 3}, "VS-2": {"pass": "PS-2", "lane": 4}}
    wait = tool("let_time_pass", "Moves the clock on.", "minutes", effect="write", example={"now": "10:00"})
    of = harbour().model_copy(
        update={
            "initial_state": {"now": "09:00", "passes": passes, "visits": visits},
            "tools": (*harbour().tools, wait),
        }
    )
    now = look(call("find_boats", {}), call("let_time_pass", {"now": "09:20"}, minutes=20), of=of)
    first = things_of(now, next(one for one in now.contract.collections if one.name == "visits"))[0]
    assert first.knows("pass")
