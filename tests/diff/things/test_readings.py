"""Ways in which an argument may pick."""

from __future__ import annotations

from replaylab.diff.things.readings import readings
from replaylab.schema.base import Json
from tests.diff.omissions.test_alike import harbour
from tests.diff.valley import BRIGADE, true_of
from tests.diff.ward import call, look


def ways(name: str, value: Json) -> list[tuple[tuple[str, ...], str]]:
    now = look(call("find_boats", {}), of=harbour())
    boats = next(one for one in now.contract.collections if one.name == "boats")
    return [(one.path.fields, one.how) for one in readings(now, boats, name, value)]


def test_a_field_of_what_a_thing_refers_to_picks() -> None:
    assert ways("port", "Bergen") == [(("owner", "port"), "is")]


def test_a_bound_picks_by_the_field_that_it_is_called_like() -> None:
    assert ways("min_length", 8) == [(("length",), "at least")]
    assert ways("length_below", 8) == [(("length",), "at most")]


def test_a_text_picks_by_what_says_it() -> None:
    assert ways("name_part", "ad") == [(("owner", "name"), "says")]


def test_what_stands_nowhere_picks_by_nothing() -> None:
    assert ways("port", "Oslo") == []


def test_what_nobody_knows_by_now_may_be_what_picks() -> None:
    unassigned = ("unassign_member", {"shift_id": "SH-402", "member_id": "FF-01"})
    assert true_of(BRIGADE, unassigned, ("get_member", {"member_id": "FF-01"})) == []
