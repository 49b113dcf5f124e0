"""Lists of the cheapest and the like."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

GOODS, BOATS = DEPOT["goods"], DEPOT["boats"]


def goods(*names: str, **asked: Any) -> Observed:
    rows = [row(GOODS, one, "good", "price", "stock") for one in names]
    return call("cheapest", {"goods": rows}, n=len(names), **asked)


def boats(*names: str, **asked: Any) -> Observed:
    return call(
        "first_here",
        {"boats": [row(BOATS, one, "boat", "arrived") for one in names]},
        n=len(names),
        **asked,
    )


@pytest.mark.parametrize(
    ("one", "missed"),
    [
        (goods("rope", "flag"), []),
        (goods("flag", "lamp"), ["rope"]),
        (goods("rope", "lamp"), ["flag"]),
        (goods("rope"), []),
        (goods("buoy"), []),
        (goods("lamp", kind="light"), []),
        (goods("flag", kind="deck"), ["rope"]),
        (boats("B-2"), []),
        (boats("B-1"), ["B-2"]),
    ],
)
def test_nothing_that_is_left_out_comes_before_what_is_shown(one: Observed, missed: list[str]) -> None:
    assert [name for _, name in said(depot(), one)] == missed
