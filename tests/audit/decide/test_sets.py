from __future__ import annotations

from typing import Any

import pytest

from replaylab.errors import UsageError
from tests.audit.files import decided, table

T = {
    "t": table(
        {
            "a": ["one", "72.3", "73.3"],
            "b": ["two", "53.9", "52.9"],
            "d": ["two", "79.6", "75.9"],
            "Avg": ["", "68.6", "67.4"],
        },
        {"family": {"unit": "text"}, "E0": {"n": 382}, "E1": {"n": 382}},
        summary={"Avg": {"how": "mean"}},
    )
}


@pytest.mark.parametrize(
    ("condition", "outcome"),
    [
        ("E1 < E0", "fails"),
        ("E1 < 80", "holds"),
        ("E0 >= 54", "fails"),
        ("E0 != E1", "holds"),
        ("E0 > 53", "holds"),
    ],
)
def test_one_counter_example_is_enough(condition: str, outcome: str) -> None:
    assert decided(T, type="universal", table="t", condition=condition).outcome == outcome


def test_a_counter_example_is_named_and_summary_rows_take_no_part() -> None:
    found = decided(T, type="universal", table="t", condition="E1 < E0")
    assert "in 2 of 3 rows; not in a (73.3 and 72.3)" in found.reason
    assert found.explanation == "holds without a"
    assert decided(T, type="universal", table="t", condition="E1 < E0", without=["a"]).outcome == "holds"


@pytest.mark.parametrize(
    ("more", "outcome"),
    [
        ({"expect": 2}, "holds"),
        ({"expect": 2, "of": 3}, "holds"),
        ({"expect": 2, "of": 9}, "fails"),
        ({"expect": 1}, "fails"),
        ({"expect": 1, "at_least": True}, "holds"),
        ({"expect": 2, "members": ["b", "d"]}, "holds"),
        ({"expect": 2, "members": ["a", "b"]}, "fails"),
        ({"expect": 1, "rows": ["a", "b"]}, "holds"),
    ],
)
def test_how_many_and_which(more: dict[str, Any], outcome: str) -> None:
    assert decided(T, type="count", table="t", condition="E1 < E0", **more).outcome == outcome


def test_members_are_told_apart_from_their_number() -> None:
    found = decided(T, type="count", table="t", condition="E1 < E0", expect=2, members=["a", "b"])
    assert "not in a; also in d" in found.reason


def test_rows_that_are_open_as_printed_are_no_counter_examples() -> None:
    one = {"t": table({"a": ["50", "50"], "b": ["50", "60"]}, {"x": {}, "y": {}})}
    assert decided(one, type="universal", table="t", condition="x < y").outcome == "undecided"
    assert decided(one, type="count", table="t", condition="x < y", expect=2).outcome == "undecided"
    assert decided(one, type="count", table="t", condition="x < y", expect=0).outcome == "fails"


@pytest.mark.parametrize(
    ("more", "expect", "outcome"),
    [
        ({}, 3, "holds"),
        ({}, 4, "fails"),
        ({"what": "columns"}, 2, "holds"),
        ({"what": "distinct", "column": "family"}, 2, "holds"),
        ({"what": "distinct", "column": "family"}, 3, "fails"),
        ({"without": ["a"]}, 2, "holds"),
    ],
)
def test_how_many_there_are(more: dict[str, Any], expect: int, outcome: str) -> None:
    found = decided(T, type="scope", table="t", expect=expect, **more)
    assert found.outcome == outcome
    if more.get("what") == "distinct":
        assert "several rows: two (b and d)" in found.reason


def test_a_column_or_row_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UsageError, match="E9"):
        decided(T, type="universal", table="t", condition="E9 < E0")
    with pytest.raises(UsageError, match="row of t"):
        decided(T, type="universal", table="t", condition="E1 < E0", rows=["x"])
