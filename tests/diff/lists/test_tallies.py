"""Plain counts beside a list."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

BOATS = DEPOT["boats"]


def boats(*names: str, owner: str = "", **told: Any) -> Observed:
    return call("boats", {"boats": [row(BOATS, one, "boat", "berth") for one in names], **told}, owner=owner)


@pytest.mark.parametrize(
    ("one", "wrong"),
    [
        (boats("B-1", "B-2", "B-3", count=3), False),
        (boats("B-1", "B-2", "B-3", count=4), True),
        (boats("B-1", "B-2", "B-3", count=2), True),
        (boats("B-1", "B-2", "B-3", total=5), True),
        (boats("B-1", "B-3", owner="Ilse", total=3), False),
        (boats("B-1", "B-3", owner="Ilse", count=2), False),
        (boats("B-1", "B-3", owner="Ilse", count=3), False),
        (boats("B-1", "B-3", owner="Ilse", count=4), True),
        (boats("B-2", owner="Finn", berth_count=2), False),
        (boats("B-2", owner="Finn", total=1), False),
    ],
)
def test_a_count_is_the_number_of_rows_beside_it(one: Observed, wrong: bool) -> None:
    assert bool(said(depot(), one)) is wrong


def test_a_sum_of_amounts_is_no_count() -> None:
    rows = [{"good": one, "price": DEPOT["goods"][one]["price"]} for one in DEPOT["goods"]]
    assert said(depot(), call("goods", {"goods": rows, "total": 27})) == []


def test_what_has_counted_something_else_before_counts_that() -> None:
    before = boats("B-2", owner="Finn", count=3)
    assert said(depot(), before, boats("B-1", "B-3", owner="Ilse", count=3)) == []
