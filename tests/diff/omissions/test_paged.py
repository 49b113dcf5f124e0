"""Pages that are too short."""

from __future__ import annotations

from typing import Any

from replaylab.diff.check import Observed
from replaylab.diff.omissions.paged import short_pages
from replaylab.schema.scenario import Environment
from tests.diff.ward import call, found, look, tool

PAGING: dict[str, Any] = {"page": {"type": "integer"}}


def shop() -> Environment:
    state = {"note": "A shop."}
    tools = (tool("list_bills", "Shows one page of the bills.", **PAGING),)
    return Environment(
        id="shop", initial_state=state, system_prompt="You simulate.", state_description={}, tools=tools
    )


def page(rows: int, number: int = 1, pages: int = 1, total: int = 3, **more: Any) -> Observed:
    bills = [{"sum": f"{number}{at} crowns"} for at in range(rows)]
    node = {"page": number, "pages": pages, "total": total, "bills": bills, **more}
    return call("list_bills", node, page=number)


def short(*calls: Observed) -> int:
    return sum(kind == "omission" for kind, _, _ in found(*calls, of=shop()))


def test_the_only_page_holds_all() -> None:
    assert (short(page(3)), short(page(2)), short(page(0))) == (0, 1, 1)


def test_a_page_holds_as_many_as_fill_all_pages() -> None:
    assert short(page(1, 2, 2, 6)) == 0, "five may fit on a page"
    assert short(page(0, 2, 2, 6)) == 1
    assert short(page(2, 1, 2, 6)) == 1
    assert short(page(3, 1, 2, 6)) == 0


def test_another_page_or_its_size_says_how_many_fit() -> None:
    assert short(page(4, 1, 2, 6), page(1, 2, 2, 6)) == 1
    assert short(page(4, 1, 2, 6), page(2, 2, 2, 6)) == 0
    assert short(page(1, 2, 2, 6, page_size=4)) == 1
    assert list(short_pages(look(page(2, 2, 2, 6, page_size=4), of=shop()))) == []


def test_a_list_under_a_name_that_only_wraps_is_a_page_as_well() -> None:
    bills = [{"sum": "1 crown"}]
    node = {"page": 1, "total_pages": 1, "total_items": 3, "items": bills}
    assert short(call("list_bills", node, page=1)) == 1
    assert short(call("list_bills", {**node, "items": bills * 3}, page=1)) == 0
