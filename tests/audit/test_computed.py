from __future__ import annotations

from typing import Any

import pytest

from replaylab.errors import UsageError
from tests.audit.files import audited, table

FAULTS = {
    "E0": {"n": 382},
    "E1": {"n": 382},
    "E2": {"n": 382},
    "R": {"unit": "ratio", "computed": {"how": "robustness", "of": ["E1", "E2"], "over": "E0"}},
}


def outcomes(tables: dict[str, Any]) -> dict[str, str]:
    return {name: one.outcome for name, one in audited(tables)[1].items()}


def test_a_column_that_was_computed_from_rounded_cells_is_found_by_its_one_wrong_cell() -> None:
    rows = {"kimi": ["64.1", "50.0", "40.1", "0.63"], "glm": ["62.6", "59.4", "47.4", "0.76"]}
    found = audited({"t": table(rows, FAULTS)})[1]
    assert found["robustness:t / kimi / R"].outcome == "fails"
    assert "rounded cells" in found["robustness:t / kimi / R"].explanation
    assert found["robustness:t / * / R, the others"].reason.startswith("1 of 2")


def test_a_summary_row_is_computed_column_by_column() -> None:
    rows = {"a": ["50", "10"], "b": ["100", "20"], "Avg": ["75", "16"]}
    one = table(rows, {"x": {"n": 2}, "y": {"n": 10}}, summary={"Avg": {"how": "mean"}})
    found = audited({"t": one})[1]
    assert found["mean:t / Avg / y"].outcome == "fails"
    assert found["mean:t / Avg / *, the others"].outcome == "holds"


def test_a_summary_row_of_counts_adds_up() -> None:
    rows = {"a": ["19"], "b": ["16"], "All": ["36"]}
    one = table(rows, {"x": {}}, unit="count", summary={"All": {"how": "sum"}})
    assert outcomes({"t": one})["sum:t / All / x"] == "fails"


def test_ranks_are_computed_with_ties() -> None:
    columns = {
        "x": {"n": 10},
        "rank": {"unit": "rank", "computed": {"how": "rank", "of": ["t / * / x"], "over": "x"}},
    }
    rows = {"a": ["70", "1"], "b": ["60", "2"], "c": ["60", "2"], "d": ["10", "4"]}
    assert outcomes({"t": table(rows, columns)})["rank:t / * / rank"] == "holds"
    rows["d"] = ["10", "3"]
    wrong = audited({"t": table(rows, columns)})[1]["rank:t / d / rank"]
    assert (wrong.outcome, wrong.explanation) == ("fails", "fits ranks without gaps (1, 2, 2, 3)")


def test_a_rank_among_the_cell_alone_is_refused_and_of_a_table_of_one_row_is_1() -> None:
    """Of no other cell, everybody comes first, and every honest rank but 1 would fail."""
    columns: dict[str, Any] = {
        "x": {},
        "rank": {"unit": "rank", "computed": {"how": "rank", "of": ["x"], "over": "x"}},
    }
    with pytest.raises(UsageError, match="among no other cell") as caught:
        audited({"t": table({"a": ["20", "1"], "b": ["10", "2"]}, columns)})
    assert "[t / * / x]" in caught.value.fix
    columns["rank"]["computed"]["of"] = ["t / * / x"]
    assert outcomes({"t": table({"a": ["20", "1"]}, columns)})["rank:t / * / rank"] == "holds"


def means(left_out: str) -> dict[str, Any]:
    """A table by industry and another with the averages of some of its models."""
    rows = {"m0": ["25", "12"], "m1": ["45", "31"], "m2": ["65", "56"], "m3": ["95", "94"]}
    averages = {"": ["57.5", "48.4"], "m3": ["45.0", "33.3"]}[left_out]
    two = {"x": ["x", averages[0]], "y": ["y", averages[1]]}
    columns = {"key": {"unit": "text"}, "avg": {"computed": {"how": "mean", "of": ["t / * / @key"]}}}
    return {"t": table(rows, {"x": {"n": 20}, "y": {"n": 16}}), "u": table(two, columns)}


def test_averages_over_a_subset_are_found_with_the_subset() -> None:
    assert outcomes(means(""))["mean:u / * / avg"] == "holds"
    found = audited(means("m3"))[1]["mean:u / * / avg"]
    assert found.outcome == "fails"
    assert found.explanation == "all 2 fit without m3 (the 3 others of 4), 0 with all of them"
    assert found.numbers["u / x / avg"] == ["45.0", "57.500"]


def test_a_weighted_average_says_how_few_plain_ones_would_fit() -> None:
    columns = {
        "avg": {"n": 40, "computed": {"how": "pooled", "of": ["a", "b"]}},
        "a": {"n": 10},
        "b": {"n": 30},
    }
    found = audited({"t": table({"x": ["65.0", "50", "70"], "y": ["50.0", "50", "50"]}, columns)})[1]
    assert (
        found["pooled:t / * / avg"].reason == "2 of 2 numbers follow; the plain mean of the parts would fit 1"
    )
    wrong = audited({"t": table({"x": ["60.0", "50", "70"]}, columns)})[1]
    assert wrong["pooled:t / x / avg"].outcome == "fails"


@pytest.mark.parametrize(("said", "outcome"), [("66.7", "holds"), ("33.3", "fails")])
def test_agreement_is_told_row_by_row_with_its_rule_for_ties(said: str, outcome: str) -> None:
    t = table({"a": ["90", "50"], "b": ["80", "40"], "c": ["70", "40"]}, {"s": {"n": 10}, "r": {"n": 10}})
    columns = {
        "p": {"unit": "text"},
        "q": {"unit": "text"},
        "agreement": {"computed": {"how": "agreement", "of": ["t / * / @p", "t / * / @q"]}},
    }
    found = audited({"t": t, "u": table({"s, r": ["s", "r", said]}, columns)})[1]
    one = found["agreement:u / s, r / agreement"]
    assert one.outcome == outcome
    assert "tied" in one.reason


def test_an_average_of_known_counts_is_known_better_than_it_prints() -> None:
    rows = {"a": ["33", "0"], "b": ["67", "33"], "Avg": ["50", "17"]}
    one = table(rows, {"x": {"n": 3}, "y": {"n": 3}}, summary={"Avg": {"how": "mean"}})
    claim = {
        "id": "c",
        "type": "recompute",
        "value": "33.3",
        "formula": {"how": "difference", "of": ["t / Avg / x", "t / Avg / y"]},
    }
    assert audited({"t": one}, claim)[1]["c"].outcome == "holds"
    claim["value"] = "33.0"
    assert audited({"t": one}, claim)[1]["c"].explanation == "fits when computed from the rounded cells"
