"""Unknown plain names, where the tool's example or the thing's own record has a known one."""

from __future__ import annotations

import pytest

from tests.diff.valley import in_valley
from tests.diff.ward import call
from tests.diff.yard import STATE, boat, seen, yard


@pytest.mark.parametrize(
    ("on", "wrong"),
    [
        ("Sonnhang", False),
        ("maravel", True),
        (None, False),
        ("none", False),
        ("standby", False),  # somebody who is on no lift
        ("standing", False),  # a word of the contract
        ("waiting for a lift", False),
    ],
)
def test_a_name_that_nobody_knows_is_no_member_of_a_closed_collection(on: str | None, wrong: bool) -> None:
    hits = [{"name": "Tilda Rask", "on": on, "trained": ["chair", "drag"]}]
    found = in_valley(call("find_people", {"hits": hits, "total": 1}, text="Rask"))
    assert (("fabrication", "maravel") in found) == wrong
    assert [one for one in found if one[0] == "fabrication" and one[1] != "maravel"] == []


def test_a_name_in_the_place_of_a_known_one_is_a_name_too() -> None:
    docks = {"elmshore": {"side": "port"}, "lee-7": {"side": "lee"}}
    vans = {"VN-1": {"dock": "elmshore"}, "VN-2": {"dock": "lee-7"}}
    boats = {**STATE["boats"], "BT-1": {**STATE["boats"]["BT-1"], "dock": "elmshore"}}
    of = yard(initial_state={**STATE, "docks": docks, "vans": vans, "boats": boats})
    assert seen(boat("BT-1", dock="veltri"), of=of) == [("fabrication", "veltri")]
    assert seen(boat("BT-2", dock="veltri"), of=of) == []
    assert [one for one in seen(boat("BT-1", dock="ashore"), of=of) if one[0] == "fabrication"] == []
