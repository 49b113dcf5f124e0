from __future__ import annotations

from typing import Any

import pytest

from replaylab.audit.check import audit_claims
from replaylab.audit.value import Assessment
from replaylab.score.tables import agreement, faults, industries, simulators
from replaylab.score.value import Table
from tests.audit.files import file_of, table
from tests.score.studies import Outcomes, scenario, study

HEALTH, TRADE, TECH = "Healthcare & Life Sciences", "Commerce & Consumer", "Technology & IT"
WHERE = {"h1": scenario("h1", HEALTH), "c1": scenario("c1", TRADE), "t1": scenario("t1", TECH)}
CONDITIONS: dict[str, dict[str, Outcomes]] = {
    "bob": {"t1": "pp", "h1": "ppf", "c1": "fff"},
    "ann": {"t1": "fp", "h1": "pff", "c1": "pef"},
}
COLUMNS = {
    "avg": {"n": 8, "computed": {"how": "pooled", "of": ["comm", "hlth", "tech"]}},
    "comm": {"n": 3},
    "hlth": {"n": 3},
    "tech": {"n": 2},
}
ROWS = {"Bob 1": ["50.0", "0", "67", "100"], "ann": ["37.5", "33", "33", "50"]}


def made() -> dict[str, Table]:
    found = industries.build(study(CONDITIONS, scenarios=WHERE), "full")
    assert found is not None
    return {"industries": found}


def compared(rows: dict[str, list[str]], **more: Any) -> dict[str, Assessment]:
    one = table(rows, COLUMNS, rebuilds="industries", names={"Bob 1": "bob"}, rounding="half_even") | more
    report = audit_claims(file_of({"t": one}), made())
    return {found.id: found for found in report.assessments if found.kind.startswith("rebuild")}


def with_cell(row: str, at: int, text: str) -> dict[str, list[str]]:
    return {
        name: [text if (name, n) == (row, at) else cell for n, cell in enumerate(cells)]
        for name, cells in ROWS.items()
    }


def test_an_honest_table_follows_from_the_recordings() -> None:
    found = compared(ROWS)
    assert found["rebuild:t, the others"].reason.startswith("8 cells follow")
    assert not [one for one in found.values() if one.outcome == "fails"]


def test_an_edited_cell_is_found_with_what_it_stands_for() -> None:
    one = compared(with_cell("Bob 1", 2, "100"))["rebuild:t / Bob 1 / hlth"]
    assert (one.outcome, one.found) == ("fails", "66.7 (2 of 3)")
    assert "stands for 3 of 3: 1 more" in one.explanation


@pytest.mark.parametrize(
    ("row", "at", "text", "words"),
    [
        ("ann", 1, "50", "errors and missing trials left out of the denominator"),
        ("ann", 1, "67", "errors and missing trials counted as passed"),
        ("Bob 1", 2, "66", "rounded cut off"),
        ("Bob 1", 0, "37.5", "is the number of ann"),
        ("Bob 1", 0, "57.1", "fits 4 of 7: 1 task left the denominator"),
        ("ann", 0, "37.6", "off by one"),
    ],
)
def test_the_nearest_reading_of_a_wrong_cell_is_told(row: str, at: int, text: str, words: str) -> None:
    name = list(COLUMNS)[at]
    one = compared(with_cell(row, at, text))[f"rebuild:t / {row} / {name}"]
    assert one.outcome == "fails"
    assert words in one.explanation


def test_what_was_not_recorded_and_what_was_left_out_is_told_and_no_failure() -> None:
    found = compared({"Bob 1": ROWS["Bob 1"], "eve": ["10.0", "0", "33", "0"]})
    assert found["rebuild:t, not recorded"].outcome == "undecided"
    assert "ann" in found["rebuild_rows:t"].found
    assert not [one for one in found.values() if one.outcome == "fails"]
    absent = compared(ROWS, rebuilds="cost")
    assert absent["rebuild:t"].outcome == "undecided"


def test_a_table_that_names_none_is_compared_with_none() -> None:
    assert compared(ROWS, rebuilds=None) == {}


def test_the_other_tables_fit_as_they_are_printed() -> None:
    conditions: dict[str, dict[str, Outcomes]] = {
        f"{agent}|{plan}|{sim}": {"a": letters, "b": letters[::-1]}
        for agent, letters in (("ann", "ppf"), ("bob", "pff"))
        for plan in ("E0", "E1", "E2", "E3")
        for sim in ("one", "two")
    }
    whole = study(conditions)
    tables = {
        built.id: built
        for module in (faults, simulators, agreement)
        if (built := module.build(whole, "paper")) is not None
    }
    plans = {name: {"n": 6} for name in ("E0", "E1", "E2", "E3")}
    claims = {
        "f": table(
            {"ann": ["66.7"] * 4 + ["1.00"], "bob": ["33.3"] * 4 + ["1.00"], "Avg": ["50.0"] * 4 + ["1.00"]},
            plans | {"R": {"title": "Rob.", "unit": "ratio"}},
            rebuilds="faults",
            summary={"Avg": {"how": "mean"}},
        ),
        "s": table(
            {"ann": ["66.7", "1"], "bob": ["33.3", "2"]},
            {"one": {"n": 6}, "one rank": {"unit": "rank"}},
            rebuilds="simulators",
            names={"one rank": "one_rank"},
        ),
        "g": table({"one, two": ["100.0"]}, {"agreement": {}}, rebuilds="agreement"),
    }
    report = audit_claims(file_of(claims), tables)
    found = {one.id: one for one in report.assessments}
    assert found["rebuild:f, the others"].reason.startswith("15 cells")
    assert found["rebuild:s, the others"].reason.startswith("4 cells")
    assert found["rebuild:g, the others"].reason.startswith("1 cell ")
    assert not [one for one in found.values() if one.kind == "rebuild" and one.outcome == "fails"]
    assert not any("no recordings were read" in notice for notice in report.notices)
