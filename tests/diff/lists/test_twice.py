"""The same row twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import DEPOT, Observed, call, depot, row, said

BOATS = DEPOT["boats"]


def boats(*names: str, name: str = "boats", **other: Any) -> Observed:
    rows = [row(BOATS, one, "boat", "owner") for one in names]
    rows[-1].update(other)
    return call("boats", {name: rows})


@pytest.mark.parametrize(
    ("one", "twice"),
    [
        (boats("B-1", "B-2", "B-3"), []),
        (boats("B-1", "B-2", "B-2", "B-3"), ["B-2"]),
        (boats("B-1", "B-2", "B-3", "B-1"), ["B-1"]),
        (boats("B-1", "B-2", "B-3", "B-3", seat=2), []),
        (call("boats", {"boats": ["B-1", "B-2", "B-3", "B-3"]}), ["B-3"]),
        (call("boats", {"boats": ["B-1", "B-2", "B-3"]}), []),
        (call("boats", [row(BOATS, one, "boat", "owner") for one in ("B-1", "B-1", "B-2", "B-3")]), ["B-1"]),
        (boats("B-1", "B-2", "B-3", "B-3", name="moves"), []),
    ],
)
def test_a_thing_has_one_row(one: Observed, twice: list[str]) -> None:
    assert [name for kind, name in said(depot(), one) if kind == "fabrication"] == twice
