"""Lists that are longer than the count beside them."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool

STATE: dict[str, Any] = {"ready_now": 3, "waiting_buses": 2, "max_buses": 3}
DESCRIPTION: dict[str, Any] = {
    "ready_now": "The number of buses in the 'Fuelled' state.",
    "waiting_buses": "The number of buses that wait (turning to fuelled).",
    "max_buses": "The most buses that fit.",
}


def depot() -> Environment:
    tools = (tool("get_depot", "Shows the depot."),)
    return Environment(
        id="depot",
        initial_state=STATE,
        system_prompt="You simulate.",
        state_description=DESCRIPTION,
        tools=tools,
    )


def depot_says(fuelled: str, waiting: str = "xy", **more: Any) -> Observed:
    lists = {"fuelled": [f"bus-{one}4" for one in fuelled], "waiting": [f"bus-{one}4" for one in waiting]}
    return call("get_depot", {"ready_now": 3, "waiting_buses": 2, "max_buses": 3, **lists, **more})


def extra(*calls: Observed) -> list[str]:
    return [entity for kind, _, entity in found(*calls, of=depot()) if kind == "fabrication"]


def test_one_more_than_are_counted_is_made_up() -> None:
    assert extra(depot_says("abcd")) == ["bus-d4"]
    assert extra(depot_says("abc", "xyz")) == ["bus-z4"]
    assert extra(depot_says("abc")) == []


def test_it_is_the_one_that_was_not_shown_before() -> None:
    assert extra(depot_says("abc"), depot_says("adbc")) == ["bus-d4"]


def test_fewer_may_be_shown_and_a_bound_counts_nothing() -> None:
    assert extra(depot_says("ab", "x")) == []
    assert extra(depot_says("abc", buses=["bus-14", "bus-24", "bus-34", "bus-44"])) == []
