"""Rows and their sums."""

from __future__ import annotations

from typing import Any

from tests.diff.ward import call, found, tool, ward

NORTH, SOUTH = {"part": "north", "carts": 2, "weight": 30}, {"part": "south", "carts": 1, "weight": 12}
EAST = {"part": "east", "carts": 4, "weight": 51}
OF = ward(
    state={"note": "A quarry."},
    state_description={},
    tools=(
        tool(
            "tally",
            "Counts what was carried.",
            day={"type": "string"},
            example={"parts": [NORTH, SOUTH], "carts": 3, "weight": 42},
        ),
    ),
)


def said(*rows: dict[str, Any], carts: int, weight: int, **more: Any) -> list[str]:
    node = {"parts": list(rows), "carts": carts, "weight": weight, **more}
    return [kind for kind, _, _ in found(call("tally", node, day="Mon"), of=OF)]


def test_two_sums_that_no_row_makes_up_tell_of_a_row_that_is_missing() -> None:
    assert said(NORTH, EAST, carts=6, weight=81) == []
    assert said(NORTH, carts=6, weight=81) == ["omission"]
    assert said(NORTH, carts=6, weight=30) == []  # one sum alone may have another value
    assert said(NORTH, carts=6, weight=81, page=1, total_pages=2) == []


def test_a_row_that_is_in_no_sum_is_invented() -> None:
    assert said(NORTH, SOUTH, EAST, carts=3, weight=42) == ["fabrication"]
    assert said(NORTH, SOUTH, EAST, carts=3, weight=93) == []


def test_what_never_added_up_tells_nothing() -> None:
    odd = call("tally", {"parts": [NORTH], "carts": 5, "weight": 99}, day="Sun")
    short = call("tally", {"parts": [NORTH], "carts": 6, "weight": 81}, day="Mon")
    assert found(odd, short, of=OF) == []
