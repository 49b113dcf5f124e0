"""What says that a list is not all."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.valley import BRIGADE, Asked, true_of, without
from tests.diff.ward import call, found, tool, ward


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


DOGS: dict[str, Any] = {
    "D-1": {"name": "Asta", "size": "large", "left_on": None},
    "D-2": {"name": "Bodo", "size": "small", "left_on": None},
    "D-3": {"name": "Cleo", "size": "small", "left_on": "2025-03-01"},
    "D-4": {"name": "Duke", "size": "large", "left_on": None},
}
FLAG = {"type": "boolean"}
KENNEL = ward(
    state={"patients": {}, "dogs": DOGS},
    system_prompt="You simulate a kennel.",
    state_description={"dogs": "All dogs by number. left_on is null for those that live here."},
    tools=(
        tool("list_dogs", "Lists the dogs.", page_size={"type": "integer"}, group_by={"type": "string"}),
        tool("all_dogs", "Lists dogs.", include_strangers=FLAG, size={"type": "string"}),
        tool("dogs_here", "Lists the dogs.", all={**FLAG, "description": "Also those that went."}),
    ),
)


def kennel(name: str, *ids: str, more: dict[str, Any] | None = None, **given: Any) -> list[str]:
    """Whom a list of these dogs leaves out."""
    rows = [{"dog_id": one, **DOGS[one]} for one in ids]
    return [who for _, _, who in found(call(name, {"dogs": rows, **(more or {})}, **given), of=KENNEL)]


def test_one_of_several_pages_leaves_out_nothing_and_the_only_one_does() -> None:
    three = ("D-1", "D-2", "D-3")
    assert kennel("list_dogs", *three) == ["D-4"]
    for pages in ({"page": 1, "total_pages": 2}, {"page": 1, "page_size": 3, "total_items": 4}):
        assert kennel("list_dogs", *three, more=pages) == []
    assert kennel("list_dogs", *three, more={"page": 1, "total_pages": 1}) == ["D-4"]


def test_what_is_held_back_is_counted_beside_the_list() -> None:
    assert kennel("list_dogs", "D-1", "D-2", "D-3", more={"withheld": 1}) == []
    assert kennel("list_dogs", "D-1", "D-2", "D-3", more={"withheld": 0}) == ["D-4"]


def test_a_list_that_is_as_long_as_its_limit_may_be_cut() -> None:
    entered = {"type": "integer"}
    of = ward(tools=(tool("list_nurses", "Lists nurses.", limit=entered),))
    rows = [{"nurse_id": "N-7", "shift": "day"}, {"nurse_id": "N-9", "shift": "day"}]
    for limit, out in ((2, []), (5, ["N-8"])):
        said = call("list_nurses", {"nurses": rows}, limit=limit)
        assert [who for kind, _, who in found(said, of=of) if kind == "omission"] == out


def test_groups_are_none_of_the_things_that_they_are_called_after() -> None:
    assert kennel("list_dogs", "D-1", "D-2", group_by="dog") == []


@pytest.mark.parametrize("name", ["all_dogs", "dogs_here"])
def test_a_sort_that_nobody_knows_is_hidden_where_it_stands_as_none_that_is_shown(name: str) -> None:
    # Cleo has left, and nobody says whether that makes a stranger.
    assert kennel(name, "D-1", "D-2", "D-4") == []
    assert kennel(name, "D-1", "D-2") == ["D-4"]
    if name == "all_dogs":
        assert kennel(name, "D-1", "D-2", "D-4", include_strangers=True) == ["D-3"]


def test_who_was_given_a_new_status_may_be_in_a_list_no_more() -> None:
    jobs = {"J-1": {"day": "Mon", "state": "set"}, "J-2": {"day": "Mon", "state": "set"}}
    of = ward(
        state={"jobs": jobs},
        state_description={},
        tools=(
            tool("list_jobs", "Lists jobs.", "day"),
            tool("call_off_job", "Calls a job off.", "job_id", "reason", effect="write"),
        ),
    )
    off = call(
        "call_off_job", {"job_id": "J-2", "state": "off", "reason": "rain"}, job_id="J-2", reason="rain"
    )

    def left_out(row: dict[str, Any], *before: Any) -> list[str]:
        listed = call("list_jobs", {"jobs": [{"job_id": "J-1", **row}]}, day="Mon")
        return [who for _, _, who in found(*before, listed, of=of)]

    assert left_out(jobs["J-1"]) == ["J-2"]
    assert left_out(jobs["J-1"], off) == []


def test_a_step_that_is_taken_back_may_be_in_no_log() -> None:
    rows = [{"entry": "E-1", "what": "fed Asta"}, {"entry": "E-2", "what": "washed Bodo"}]
    of = ward(
        state={"entries": rows},
        state_description={},
        tools=(
            tool("list_entries", "Lists the entries."),
            tool("step_back", "Undoes the newest of the entries.", effect="write"),
            tool("step_aside", "Calls the keeper.", effect="write"),
        ),
    )
    shown = call("list_entries", {"entries": rows[:1]})
    assert [who for _, _, who in found(shown, of=of)] == ["E-2"]
    assert found(call("step_back", {"undone": 1}), shown, of=of) == []
