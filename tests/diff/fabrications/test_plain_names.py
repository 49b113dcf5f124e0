"""Unknown plain names, where the tool's example has a known one."""

from __future__ import annotations

import pytest

from tests.diff.valley import in_valley
from tests.diff.ward import call


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
