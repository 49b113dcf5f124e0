from __future__ import annotations

from typing import Any

import pytest

from tests.audit.files import decided, table

T = {
    "t": table(
        {"a": ["81", "90"], "b": ["81", "80"], "d": ["76", "81"], "e": ["52", "10"]},
        {"x": {"n": 21}, "y": {"n": 100}},
    )
}


@pytest.mark.parametrize(
    ("claim", "outcome", "explanation"),
    [
        ({"of": "t / * / y", "named": ["a"]}, "holds", ""),
        ({"of": "t / * / y", "named": ["d"]}, "fails", "d (81) is at place 2"),
        ({"of": "t / * / x", "named": ["a"]}, "fails", "shared with b"),
        ({"of": "t / * / x", "named": ["a", "b"]}, "fails", "holds as a tie"),
        ({"of": "t / * / x", "named": ["a", "b"], "shared": True}, "holds", ""),
        ({"of": "t / * / x", "named": ["e"], "least": True}, "holds", ""),
        ({"of": "t / * / y", "named": ["a", "d"], "top": 2}, "holds", ""),
        ({"of": "t / * / y", "named": ["a", "b"], "top": 2}, "fails", "b (80) is at place 3"),
        ({"of": "t / * / y", "named": ["d"], "without": ["a"]}, "holds", ""),
        ({"of": "t / a / *", "named": ["y"]}, "holds", ""),
    ],
)
def test_who_is_best(claim: dict[str, Any], outcome: str, explanation: str) -> None:
    found = decided(T, type="argmax", **claim)
    assert (found.outcome, found.explanation) == (outcome, explanation)


def test_the_best_is_open_where_the_printed_numbers_leave_it_open() -> None:
    rounded = {"t": table({"a": ["81.0"], "b": ["81"], "d": ["70"]}, {"x": {}})}
    assert decided(rounded, type="argmax", of="t / * / x", named=["a"]).outcome == "undecided"


@pytest.mark.parametrize(
    ("cells", "more", "outcome"),
    [
        (["54", "60", "70"], {}, "holds"),
        (["54", "60", "60"], {}, "holds"),
        (["54", "60", "60"], {"strict": True}, "fails"),
        (["54", "60", "59"], {}, "fails"),
        (["70", "60", "59"], {"falls": True}, "holds"),
    ],
)
def test_what_rises_rises_at_each_step(cells: list[str], more: dict[str, bool], outcome: str) -> None:
    one = {"t": table({"m": cells}, {name: {"n": 100} for name in "abc"})}
    found = decided(one, type="monotone", cells=[f"t / m / {name}" for name in "abc"], **more)
    assert found.outcome == outcome


def test_the_step_that_goes_the_other_way_is_named() -> None:
    one = {
        "t": table({"m": ["70.2", "67.3", "71.5"]}, {name: {"n": 382} for name in ("low", "medium", "high")})
    }
    found = decided(one, type="monotone", cells=["t / m / low", "t / m / medium", "t / m / high"])
    assert "from low to medium it falls (70.2 to 67.3)" in found.reason


def test_equal_prints_of_unknown_numbers_leave_a_strict_order_open() -> None:
    one = {"t": table({"m": ["60", "60"]}, {"a": {}, "b": {}})}
    assert decided(one, type="order", cells=["t / m / a", "t / m / b"]).outcome == "undecided"
    apart = {"t": table({"m": ["61", "60"]}, {"a": {}, "b": {}})}
    assert decided(apart, type="order", cells=["t / m / a", "t / m / b"]).outcome == "holds"
    assert decided(apart, type="order", cells=["t / m / b", "t / m / a"]).outcome == "fails"


PAIRS = {
    "t": table(
        {"a": ["90", "90"], "b": ["80", "70"], "d": ["75", "80"], "e": ["40", "85"]},
        {"x": {"n": 100}, "y": {"n": 100}},
    )
}


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"expect": 3}, "holds"),
        ({"expect": 2}, "fails"),
        ({"among": ["b", "d", "e"]}, "holds"),
        ({"among": ["b", "d"]}, "fails"),
        ({"gap_at_most": "40"}, "holds"),
        ({"gap_at_most": "39.9"}, "fails"),
    ],
)
def test_pairs_that_two_columns_order_differently(more: dict[str, Any], outcome: str) -> None:
    found = decided(PAIRS, type="disagreements", a="t / * / x", b="t / * / y", **more)
    assert found.outcome == outcome
    assert "b and e (40.0 apart)" in found.reason


@pytest.mark.parametrize(("top", "outcome"), [(1, "holds"), (2, "fails")])
def test_two_columns_begin_alike(top: int, outcome: str) -> None:
    assert decided(PAIRS, type="same_top", a="t / * / x", b="t / * / y", top=top).outcome == outcome
    assert decided(T, type="same_top", a="t / * / x", b="t / * / y", top=1).outcome == "undecided"
