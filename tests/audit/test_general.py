from __future__ import annotations

from typing import Any

import pytest

from tests.audit.files import audited, table

RATES = {"a": {"n": 16}, "b": {"n": 32}}


def kinds(tables: dict[str, Any]) -> dict[str, str]:
    """The outcome of every general check by its id."""
    return {name: one.outcome for name, one in audited(tables)[1].items()}


def test_an_impossible_cell_is_found_and_only_that_one() -> None:
    _, found = audited({"t": table({"x": ["62", "77"], "y": ["38", "50"]}, RATES)})
    assert found["grim:t / x / b"].outcome == "fails"
    assert found["grim:t / x / b"].explanation == "fits 24 of 31: 1 task left the denominator"
    assert found["grim:t, the others"].reason.startswith("3 of 4 cells")
    assert sum(one.outcome == "fails" for one in found.values()) == 1


def test_a_table_without_numbers_of_tasks_gets_no_such_check() -> None:
    assert not [name for name in kinds({"t": table({"x": ["77"]}, {"a": {}})}) if name.startswith("grim")]


@pytest.mark.parametrize(
    ("half", "rule"), [("62", "half to even"), ("63", "half away from zero"), ("62.5", "")]
)
def test_the_rounding_rule_is_detected_from_ties(half: str, rule: str) -> None:
    # 10/16 is 62.5 and 6/16 is 37.5, which prints as 38 under both rules that are common.
    found = audited({"t": table({"x": [half], "y": ["38"], "z": ["31"]}, {"a": {"n": 16}})})[1]
    if rule:
        assert (found["rounding_rule:t"].outcome, found["rounding_rule:t"].found) == ("holds", rule)
    else:
        assert found["rounding_rule:other tables"].outcome == "undecided"


def test_a_declared_rule_that_others_beat_fails() -> None:
    one = audited({"t": table({"x": ["62"]}, {"a": {"n": 16}}, rounding="half_up")})[1]["rounding_rule:t"]
    assert (one.outcome, "half to even" in one.explanation) == ("fails", True)


def test_texts_that_are_no_numbers_shares_or_alike_are_told() -> None:
    found = kinds({"t": table({"x": ["85.7%", "120"], "y": ["1", "50.0"]}, RATES)})
    assert found["number:t / * / a"] == "fails"
    assert found["range:t / * / b"] == "fails"
    assert found["digits:t / * / b"] == "undecided"


def test_a_row_out_of_order_is_found_beyond_what_is_printed() -> None:
    by_count = {"x": ["67"], "y": ["67"]}
    columns = {"a": {"n": 3}}
    tables = {"t": table(by_count, columns, sorted={"by": "a"}, cell_n={"y": {"a": 46}})}
    assert kinds(tables)["order:t / * / a"] == "fails"  # 31/46 is more than 2/3
    tables["t"]["sorted"]["falls"] = False
    assert kinds(tables)["order:t / * / a"] == "holds"
    printed = table({"x": ["50"], "y": ["60"]}, {"a": {}}, sorted={"by": "a"})
    assert kinds({"t": printed})["order:t / * / a"] == "fails"


def test_marks_of_the_best_have_to_name_every_tie() -> None:
    rows = {"x": ["81"], "y": ["81"], "z": ["76"]}
    one = table(rows, {"a": {"n": 21}}, bold={"a": ["x"]})
    assert kinds({"t": one})["bold:t / * / a"] == "fails"
    assert kinds({"t": one | {"bold": {"a": ["y", "x"]}}})["bold:t / * / a"] == "holds"


def test_one_measurement_in_two_tables_says_one_number() -> None:
    one = table({"m": ["79.6"]}, {"avg": {"n": 382, "condition": {"faults": "E0"}}}, rows_are="model")
    other = table({"m": ["79.8"]}, {"E0": {"n": 382, "condition": {"faults": "E0"}}}, rows_are="model")
    found = audited({"t": one, "u": other})[1]
    assert found["same_condition:u / m / E0"].outcome == "fails"
    other["rows"]["m"] = ["79.6"]
    assert kinds({"t": one, "u": other})["same_condition:all tables"] == "holds"
    other["columns"]["E0"]["condition"] = {"faults": "E1"}
    found = audited({"t": one, "u": other})[1]
    assert "same_condition:all tables" not in found
    assert found["exact_tie:all tables"].outcome == "undecided"
    assert "304/382" in found["exact_tie:all tables"].said


def test_every_unasked_check_says_so() -> None:
    report, _ = audited({"t": table({"x": ["62", "77"]}, RATES)})
    assert report.assessments
    assert not any(one.asked for one in report.assessments)
