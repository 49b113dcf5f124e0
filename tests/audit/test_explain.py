from __future__ import annotations

from fractions import Fraction

import pytest

from replaylab.audit.cells import Cell
from replaylab.audit.explain import nearest_counts, slips, why_impossible, why_not
from replaylab.audit.formula import Terms
from replaylab.score.rounding import Rule, percent


def rates(*ks: int, n: int = 40, digits: int = 1) -> tuple[Cell, ...]:
    return tuple(
        Cell("t", f"model {at}", "c", percent(Fraction(k, n), digits), n=n) for at, k in enumerate(ks)
    )


def test_a_mean_without_one_model_names_the_model() -> None:
    told = why_not("30.0", Terms("mean", rates(8, 12, 16, 40)), "half_even")
    assert told == "fits the plain mean without model 3 (1 of 4 ways to leave 1 out)"


def test_a_mean_without_two_models_names_both() -> None:
    told = why_not("30.0", Terms("mean", rates(8, 12, 16, 39, 33)), "half_even")
    assert "without model 3 and model 4" in told


def test_rounding_before_computing_is_recognised() -> None:
    # 1/3 and 2/3 print as 33 and 67, so their difference is 33.3 and that of the printed is 34.
    cells = (Cell("t", "a", "c", "67", n=3), Cell("t", "b", "c", "33", n=3))
    assert (
        why_not("34", Terms("difference", cells), "half_even") == "fits when computed from the rounded cells"
    )


@pytest.mark.parametrize(
    ("rule", "said", "words"), [("half_even", "13", "half away from zero"), ("half_up", "12", "half to even")]
)
def test_another_rounding_rule_is_recognised(rule: Rule, said: str, words: str) -> None:
    cells = (Cell("t", "a", "c", "12.50", n=8), Cell("t", "b", "c", "12.50", n=8))
    assert words in why_not(said, Terms("mean", cells), rule)


def test_a_plain_mean_instead_of_a_weighted_one_is_recognised() -> None:
    cells = (Cell("t", "a", "c", "50.0", n=10), Cell("t", "b", "c", "90.0", n=90 + 10))
    assert why_not("70.0", Terms("pooled", cells), "half_even") == "fits the plain mean"
    assert "weighted" in why_not("86.4", Terms("mean", cells), "half_even")


def test_slips_of_the_pen_are_recognised() -> None:
    cells = (Cell("t", "a", "c", "60.0", n=10), Cell("t", "b", "c", "20.0", n=10))
    assert "off by one" in why_not("40.1", Terms("difference", cells), "half_even")
    assert "swapped" in why_not("04.0", Terms("difference", cells), "half_even")
    assert why_not("17.3", Terms("difference", cells), "half_even") == ""
    assert dict(slips("62.5")) == {
        "62.6": "the last digit is off by one",
        "62.4": "the last digit is off by one",
        "26.5": "two digits are swapped",
    }


def test_an_explanation_that_anything_fits_is_none() -> None:
    few = rates(20, 20, 20, 34)
    assert "model 0, model 1 or model 2" in why_not("61.7", Terms("mean", few), "half_even")
    many = rates(*[20] * 6, 34)  # without any one of six it is the same
    assert "without" not in why_not("55.8", Terms("mean", many), "half_even")


def test_other_kinds_of_ranks_are_recognised() -> None:
    cells = rates(30, 20, 20, 10)
    assert "without gaps" in why_not("3", Terms("rank", cells, cells[3]), "half_even")
    assert "last of the tied" in why_not("3", Terms("rank", cells, cells[1]), "half_even")


def test_an_impossible_rate_gets_the_least_change_of_its_denominator() -> None:
    assert why_impossible(Cell("t", "r", "c", "77", n=32)) == "fits 24 of 31: 1 task left the denominator"
    assert "two" not in why_impossible(Cell("t", "r", "c", "63", n=16))
    assert "half away from zero" in why_impossible(Cell("t", "r", "c", "63", n=16))
    assert nearest_counts(Cell("t", "r", "c", "77", n=32)) == ["24/32 = 75.00", "25/32 = 78.12"]
