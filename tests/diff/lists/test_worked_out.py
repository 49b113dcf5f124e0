"""Numbers that follow from two known ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

GOODS = DEPOT["goods"]


def taken(good: str, quantity: int, **told: Any) -> Observed:
    return call("take_goods", {"ok": True, **told}, good=good, quantity=quantity)


def brought(good: str, quantity: int, **told: Any) -> Observed:
    return call("receive_goods", {"ok": True, **told}, good=good, quantity=quantity)


def goods(**stock: int) -> Observed:
    return call(
        "goods",
        {
            "goods": [
                row(GOODS, one, "good", "price", stock=stock.get(one, GOODS[one]["stock"])) for one in GOODS
            ]
        },
    )


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([taken("rope", 4, stock=5)], []),
        ([taken("rope", 4, stock=6)], ["rope"]),
        ([taken("rope", 4, remaining=5)], []),
        ([taken("rope", 4, left=4)], ["rope"]),
        ([taken("lamp", 2, stock=0)], []),
        ([taken("buoy", 1, stock=-1)], ["buoy"]),
        ([brought("lamp", 3, stock=5)], []),
        ([brought("lamp", 3, stock=2)], ["lamp"]),
        ([taken("rope", 4), goods(rope=5)], []),
        ([taken("rope", 4), goods()], ["rope"]),
        ([taken("rope", 4), brought("rope", 4), goods()], []),
        ([taken("rope", 4), call("good", {"good": "rope", "stock": 9}, good="rope")], ["rope"]),
        ([taken("rope", 4), call("good", {"good": "lamp", "stock": 2}, good="lamp")], []),
    ],
)
def test_a_stock_is_less_by_what_was_taken(calls: list[Observed], wrong: list[str]) -> None:
    assert [name for _, name in said(depot(), *calls)] == wrong


@pytest.mark.parametrize(
    ("place", "nights", "told", "wrong"),
    [
        ("berth", 3, {"total": 60}, False),
        ("berth", 3, {"total": 60.0, "per_night": 20}, False),
        ("berth", 3, {"total": 70}, True),
        ("dry dock", 2, {"price": 150}, False),
        ("dry dock", 2, {"price": 140}, True),
        ("cradle", 2, {"price": 140}, False),
    ],
)
def test_a_price_is_so_many_times_its_rate(
    place: str, nights: int, told: dict[str, Any], wrong: bool
) -> None:
    found = said(depot(), call("quote", told, place=place, nights=nights))
    assert bool([one for one in found if one[0] == "contradiction"]) is wrong


def test_a_price_that_something_is_taken_off_is_not_worked_out() -> None:
    of = depot("You simulate a depot. From the third night on there is a discount.")
    assert said(of, call("quote", {"total": 55}, place="berth", nights=3)) == []
