"""What is known for sure of a thing."""

from __future__ import annotations

from typing import Any

from replaylab.diff.lists.standing import sure
from replaylab.diff.things.listing import by_key, collections_of_things
from tests.diff.plainly import Observed, apiary, call
from tests.diff.ward import look

NOW = call("by_meadow", {})


def known(field: str, *before: Observed, name: str = "hv2") -> Any:
    seen = look(NOW, *before, of=apiary())
    collection = next(one for one in collections_of_things(seen) if one.name == "hives")
    return sure(seen, collection, by_key(seen, collection)[name], field)


def test_what_nothing_was_done_with_is_as_at_first() -> None:
    assert known("meadow") == ("clover",)
    assert known("meadow", call("carry", {"ok": True}, hive="HV-3", meadow="clover")) in (("clover",), ())


def test_what_a_call_sets_is_so_from_then_on() -> None:
    moved = call("move_hive", {"ok": True}, hive="HV-2", to="heath")
    assert known("meadow", moved) == ("heath",)
    assert known("state", call("set_state", "OK", hive="HV-2", state="strong")) == ("strong",)


def test_what_a_call_returned_of_the_thing_comes_first() -> None:
    moved = call("carry", {"hive": "HV-2", "meadow": "heath"}, hive="HV-2", meadow="heath")
    assert known("meadow", moved) == ("heath",)


def test_what_a_call_does_not_say_is_not_known() -> None:
    carried = call("carry", {"ok": True}, hive="HV-2", meadow="heath")
    assert known("meadow", carried) == ()
    assert known("frames", carried) == ()
