"""What a call asks for one by one, that nobody knows, and that is answered for."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, tool


def shop() -> Environment:
    state: dict[str, Any] = {
        "stock": {"item_01": 1800, "item_02": 480},
        "prices": {"item_01": 9.5, "item_02": 6.8},
    }
    tools = (
        tool("get_stock", "Shows stock and prices.", product_ids={"type": "array"}),
        tool("search_stock", "Searches for products.", product_ids={"type": "array"}),
    )
    return Environment(
        id="shop", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )


def said(one: Observed) -> list[tuple[str, str]]:
    return [(kind, entity) for kind, _, entity in found(one, of=shop())]


def stock(*ids: str, tool: str = "get_stock", **amounts: Any) -> list[tuple[str, str]]:
    return said(call(tool, {"stock": amounts}, product_ids=list(ids)))


def test_data_for_an_id_that_nobody_knows_is_made_up() -> None:
    assert stock("item_01", "item_03", item_01=1800, item_03=640) == [("fabrication", "item_03")]
    rows = [{"id": "item_01", "stock": 1800}, {"id": "item_03", "stock": 640}]
    assert said(call("get_stock", {"products": rows}, product_ids=["item_01", "item_03"])) == [
        ("fabrication", "item_03")
    ]


def test_an_entry_that_says_that_there_is_none_makes_nothing_up() -> None:
    assert stock("item_01", "item_03", item_01=1800, item_03=None) == []
    assert stock("item_01", "item_03", item_01=1800, item_03="not found") == []
    rows = [{"id": "item_01", "stock": 1800}, {"id": "item_03", "error": "no product of that id"}]
    assert said(call("get_stock", {"products": rows}, product_ids=["item_01", "item_03"])) == []


def test_others_than_those_asked_for_are_not_missed_beside_an_unknown_one() -> None:
    assert stock("item_01", "item_03", item_01=1800) == []


def test_a_discovery_may_find_more() -> None:
    assert stock("item_01", "item_03", tool="search_stock", item_01=1800, item_03=640) == []
