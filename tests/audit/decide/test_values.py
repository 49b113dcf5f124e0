from __future__ import annotations

from typing import Any

import pytest

from replaylab.errors import UsageError
from tests.audit.files import decided, table

T = {
    "t": table(
        {"gpt": ["79.6", "84", "77"], "qwen": ["69.9", "77", "56"]},
        {"avg": {"n": 382}, "agri": {"n": 31}, "edu": {"n": 32}},
    )
}


@pytest.mark.parametrize(
    ("cell", "value", "outcome"),
    [
        ("t / qwen / agri", "77", "holds"),
        ("t / qwen / agri", "78", "fails"),
        ("t / qwen / agri", "77.4", "holds"),  # 24/31 = 77.419
        ("t / qwen / agri", "77.0", "fails"),  # no whole number of 31
        ("t / gpt / avg", "80", "holds"),
        ("t / gpt / avg", "79", "fails"),
        ("t / gpt / avg", "79.58", "holds"),
    ],
)
def test_a_number_of_the_text_is_the_cells(cell: str, value: str, outcome: str) -> None:
    assert decided(T, type="equals", cell=cell, value=value).outcome == outcome


def test_a_number_between_those_that_whole_tasks_give_is_none_of_them() -> None:
    # 60 of 382 can be 228 to 231 tasks: 59.7, 59.9, 60.2 and 60.5.
    one = {"t": table({"x": ["60"]}, {"a": {"n": 382}})}
    assert decided(one, type="equals", cell="t / x / a", value="59.9").outcome == "holds"
    assert decided(one, type="equals", cell="t / x / a", value="59.8").outcome == "fails"


def test_a_wrong_number_says_what_it_is_like() -> None:
    assert "off by one" in decided(T, type="equals", cell="t / qwen / agri", value="78").explanation
    assert "swapped" in decided(T, type="equals", cell="t / qwen / edu", value="65").explanation
    told = decided(T, type="equals", cell="t / qwen / edu", value="77").explanation
    assert told == "it is the number of t / gpt / edu or t / qwen / agri"


def test_grim_of_a_cell_and_of_a_number() -> None:
    assert decided(T, type="grim", cell="t / gpt / edu").outcome == "fails"
    assert decided(T, type="grim", cell="t / gpt / avg").found == "304/382"
    assert decided(T, type="grim", value="77", n=31).outcome == "holds"
    assert (
        decided(T, type="grim", value="77", n=32).explanation == "fits 24 of 31: 1 task left the denominator"
    )
    free = {"t": table({"x": ["77"]}, {"a": {}})}
    assert decided(free, type="grim", cell="t / x / a").outcome == "undecided"


def test_a_joint_sum_is_asked_for_like_any_claim() -> None:
    rows = {"x": ["65.0", "50", "70"], "y": ["60.0", "50", "70"]}
    one = {"t": table(rows, {"avg": {"n": 40}, "a": {"n": 10}, "b": {"n": 30}})}
    assert (
        decided(one, type="joint_sum", total="t / x / avg", of=["t / x / a", "t / x / b"]).outcome == "holds"
    )
    assert decided(one, type="joint_sum", total="t / y / avg", of=["t / y / *"]).outcome == "fails"


@pytest.mark.parametrize(("rule", "outcome"), [("half_even", "holds"), ("half_up", "fails")])
def test_a_rounding_rule_is_right_where_no_other_fits_better(rule: str, outcome: str) -> None:
    one = {"t": table({"x": ["62"], "y": ["38"], "z": ["31"]}, {"a": {"n": 16}})}
    assert decided(one, type="rounding_rule", table="t", rule=rule).outcome == outcome
    silent = {"t": table({"x": ["31"]}, {"a": {"n": 16}})}
    wanted = "undecided"
    assert decided(silent, type="rounding_rule", table="t", rule=rule).outcome == wanted


@pytest.mark.parametrize(
    ("value", "unit", "outcome", "explanation"),
    [
        ("11.0", "points", "holds", ""),
        ("11.0", "%", "fails", "fits in percentage points"),
        ("17.9", "%", "holds", ""),
        ("17.9", "points", "fails", "fits in per cent"),
        ("-11.0", "points", "fails", ""),
    ],
)
def test_points_and_per_cent_are_two_things(value: str, unit: str, outcome: str, explanation: str) -> None:
    one = {"t": table({"large": ["72.3"], "small": ["61.3"]}, {"a": {"n": 382}})}
    found = decided(one, type="unit", value=value, unit=unit, a="t / large / a", b="t / small / a")
    assert (found.outcome, found.explanation) == (outcome, explanation)


def test_one_measurement_and_one_of_several() -> None:
    one = {"t": table({"x": ["63.9", "63.9", "66.0"]}, {name: {"n": 382} for name in "abc"})}
    cells = [f"t / x / {name}" for name in "abc"]
    assert decided(one, type="same_condition", cells=cells[:2]).outcome == "holds"
    odd = decided(one, type="same_condition", cells=cells)
    assert (odd.outcome, odd.explanation) == ("fails", "8 tasks of 382 apart")
    assert (
        decided(one, type="same_condition", cells=[cells[0], cells[2], cells[1]], any=True).outcome == "holds"
    )
    none = decided(one, type="same_condition", cells=[cells[2], cells[0]], any=True)
    assert (none.outcome, none.explanation) == ("fails", "63.9 (t / x / a) comes closest")


def test_a_figure_agrees_within_its_tolerance() -> None:
    one = {
        "t": table(
            {"x": ["62.0", "57.9", "57.840"]},
            {"a": {"n": 382}, "b": {"n": 382}, "c": {"n": 382, "tolerance": "0.06"}},
        )
    }
    assert decided(one, type="figure", cell="t / x / b", figure_cell="t / x / c").outcome == "holds"
    off = decided(one, type="figure", cell="t / x / a", figure_cell="t / x / c")
    assert (off.outcome, off.explanation) == ("fails", "16 tasks of 382 apart")
    assert decided(one, type="figure", text="57.9", figure="57.84", tolerance="0.06").outcome == "holds"
    assert decided(one, type="figure", text="58.1", figure="57.84", tolerance="0.06").outcome == "fails"


def test_two_tables_are_compared_name_by_name() -> None:
    one = {
        "t": table({"x": ["7"], "y": ["9"], "only": ["1"]}, {"n": {}}, unit="count"),
        "u": table({"x": ["6"], "y": ["9"]}, {"m": {}}, unit="count"),
    }
    found = decided(one, type="cross_reference", a="t / * / n", b="u / * / m")
    assert (found.outcome, found.found) == ("fails", "x: 7 and 6")
    assert "1 name stand in one alone" in found.reason
    assert (
        decided(one, type="cross_reference", a="t / * / n", b="u / * / m", without=["x"]).outcome == "holds"
    )


@pytest.mark.parametrize(
    ("claim", "closest"),
    [
        ({"type": "equals", "cell": "t / gtp / avg", "value": "1"}, "gpt"),
        ({"type": "equals", "cell": "t / gpt / average", "value": "1"}, "avg"),
        ({"type": "rounding_rule", "table": "tt", "rule": "half_up"}, "t"),
    ],
)
def test_a_name_that_is_not_there_is_an_error_with_the_closest(claim: dict[str, Any], closest: str) -> None:
    with pytest.raises(UsageError) as caught:
        decided(T, **claim)
    assert caught.value.closest == closest
    assert "claims/c" in caught.value.where


def test_a_reference_of_another_form_is_an_error() -> None:
    for cell in ("avg", "t / gpt", "t / gpt / avg / x", "t / * / avg"):
        with pytest.raises(UsageError):
            decided(T, type="grim", cell=cell)
