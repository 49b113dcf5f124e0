"""What says that a list is not all."""

from __future__ import annotations

import pytest

from tests.diff.valley import BRIGADE, Asked, true_of, without


@pytest.mark.parametrize("tool", ["list_members", "list_shifts"])
def test_a_list_that_goes_on_elsewhere_leaves_out_nothing(tool: str) -> None:
    assert true_of(BRIGADE, (tool, {})) == []


def test_a_list_that_ends_here_does() -> None:
    for given in ({}, {"limit": 20}):
        found = without(BRIGADE, "items", "vehicle_id", "V-31", ("list_vehicles", given), total=4)
        assert found == [("omission", "V-31")]


def test_what_a_tool_can_be_told_to_include_is_hidden_until_then() -> None:
    assert true_of(BRIGADE, ("list_vehicles", {})) == []


def test_what_a_call_made_one_of_the_hidden_is_hidden_from_then_on() -> None:
    asked: list[Asked] = [("get_member", {"member_id": "FF-10"}), ("remove_member", {"member_id": "FF-10"})]
    asked += [
        ("list_members", {"station_id": "ST-P", "include_removed": True}),
        ("list_members", {"district": "water"}),
    ]
    assert true_of(BRIGADE, *asked) == []
    assert without(BRIGADE, "items", "member_id", "FF-11", *asked, total=2) == [("omission", "FF-11")]
