"""Things that stand in the wrong section of an answer, or in none, and sections that count wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diff.plainly import APIARY, Observed, apiary, call, choir, row, said

HIVES = APIARY["hives"]
CARRIED = call("move_hive", {"ok": True}, hive="HV-2", to="heath")
RELEASED = call("move_score", {"ok": True}, score="N-1", shelf="new")


def meadows(**lists: list[str]) -> Observed:
    return call("by_meadow", lists)


def rows(*names: str) -> list[dict[str, Any]]:
    return [row(HIVES, one, "hive", "frames") for one in names]


def shelves(old: list[str], new: list[str], lent: list[str] | None = None) -> Observed:
    return call("shelves", {"old": old, "new": new, "lent": lent or []})


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([meadows(clover=["HV-1", "HV-2"], heath=["HV-3", "HV-4"])], []),
        ([meadows(clover=["HV-1"], heath=["HV-2", "HV-3", "HV-4"])], [("contradiction", "HV-2")]),
        ([meadows(clover=["HV-1", "HV-2"], heath=["HV-2", "HV-3", "HV-4"])], [("contradiction", "HV-2")]),
        ([call("by_meadow", {"clover": rows("HV-1", "HV-2"), "heath": rows("HV-3", "HV-4")})], []),
        ([call("by_meadow", {"clover": rows("HV-1", "HV-4"), "heath": rows("HV-3", "HV-2")})], ["two"]),
        ([CARRIED, meadows(clover=["HV-1"], heath=["HV-3", "HV-4", "HV-2"])], []),
        ([CARRIED, meadows(clover=["HV-1", "HV-2"], heath=["HV-3", "HV-4"])], [("contradiction", "HV-2")]),
        ([meadows(clover=["HV-1", "HV-2"], heath=["HV-3"])], [("omission", "HV-4")]),
    ],
)
def test_things_stand_in_the_section_of_the_field_that_sorts_them(
    calls: list[Observed], wrong: list[Any]
) -> None:
    found = said(apiary(), *calls)
    assert len(found) == 2 if wrong == ["two"] else found == wrong


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([shelves(["N-1", "N-2"], ["N-3"])], []),
        ([shelves(["N-1"], ["N-3", "N-2"])], ["N-2"]),
        ([RELEASED, shelves(["N-2"], ["N-3", "N-1"])], []),
        ([RELEASED, shelves(["N-1", "N-2"], ["N-3"])], ["N-1"]),
        ([RELEASED, shelves(["N-2", "N-1"], ["N-3", "N-1"])], ["N-1"]),
        ([shelves(["N-1"], ["N-3"])], ["N-2"]),
        ([call("leaders", {"S1": ["S2"], "S3": ["S4"]})], []),
        ([call("leaders", {"S1": ["S4"], "S3": ["S2", "S4"]})], ["S4", "S2"]),
        ([call("voices", {"alto": ["S1", "S2"], "bass": ["S3", "S4"]})], []),
        ([call("voices", {"alto": ["S1"], "bass": ["S3", "S4", "S2"]})], ["S2"]),
    ],
)
def test_lists_of_the_state_and_references_sort_as_well(calls: list[Observed], wrong: list[str]) -> None:
    assert [name for _, name in said(choir(), *calls)] == wrong or wrong == ["S4", "S2"]


@pytest.mark.parametrize(
    ("calls", "wrong"),
    [
        ([call("census", {"clover": 2, "heath": 2})], []),
        ([call("census", {"clover": 2, "heath": 3})], ["heath"]),
        ([call("census", {"clover": 4, "heath": 2, "total": 6})], ["clover"]),
        ([CARRIED, call("census", {"clover": 1, "heath": 3})], []),
        ([CARRIED, call("census", {"clover": 2, "heath": 3})], ["clover"]),
    ],
)
def test_sections_count_what_stands_there(calls: list[Observed], wrong: list[str]) -> None:
    assert [name for _, name in said(apiary(), *calls)] == wrong


def test_counts_that_are_all_other_ones_count_something_else() -> None:
    assert said(choir(), call("head_count", {"alto": 7, "bass": 9})) == []
    assert said(choir(), call("head_count", {"alto": 2, "bass": 3})) == [("contradiction", "bass")]
