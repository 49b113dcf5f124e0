from __future__ import annotations

from fractions import Fraction

from replaylab.audit.cells import Cell
from replaylab.audit.compute import Row, follows, why_together
from replaylab.audit.formula import Terms
from replaylab.score.rounding import percent


def rate(row: str, k: int, n: int, column: str = "c", digits: int = 1) -> Cell:
    return Cell("t", row, column, percent(Fraction(k, n), digits), n=n)


def test_exact_numbers_hold_or_fail() -> None:
    cells = (rate("a", 10, 40), rate("b", 15, 40))
    assert follows("31.2", Terms("mean", cells), "half_even").outcome == "holds"  # 31.25
    assert follows("31.3", Terms("mean", cells), "half_even").outcome == "fails"
    assert follows("31.3", Terms("mean", cells), "half_up").outcome == "holds"


def test_rounded_numbers_hold_fail_or_leave_it_open() -> None:
    cells = (Cell("t", "a", "c", "10"), Cell("t", "b", "c", "13"))
    assert follows("11.5", Terms("mean", cells), "half_even").outcome == "holds"
    assert follows("11.9", Terms("mean", cells), "half_even").outcome == "undecided"
    assert follows("12.1", Terms("mean", cells), "half_even").outcome == "fails"


def test_what_is_missing_is_not_decided() -> None:
    assert follows("1", Terms("mean", (Cell("t", "a", "c", ""),)), "half_even").outcome == "undecided"
    assert follows("85.7%", Terms("mean", (rate("a", 1, 2),)), "half_even").outcome == "undecided"


def columns(first: list[int], second: list[int]) -> Terms:
    return Terms(
        "agreement",
        (
            *(rate(str(at), k, 100) for at, k in enumerate(first)),
            *(rate(str(at), k, 100, "d") for at, k in enumerate(second)),
        ),
    )


def test_agreement_says_under_which_rule_for_ties_it_fits() -> None:
    terms = columns([90, 80, 70], [50, 40, 40])
    disagree = follows("66.7", terms, "half_even")
    assert (disagree.outcome, "count as disagreement" in disagree.reason) == ("holds", True)
    half = follows("83.3", terms, "half_even")
    assert (half.outcome, "count as half" in half.reason) == ("holds", True)
    assert follows("100.0", terms, "half_even").outcome == "holds"
    named = follows("83.3", terms._replace(ties="disagree"), "half_even")
    assert (named.outcome, named.explanation) == ("fails", "fits if tied pairs count as half")
    off = follows("33.3", terms, "half_even")
    assert (off.outcome, off.explanation) == ("fails", "fits 1 of 3 pairs")


def test_agreement_of_what_can_not_be_ordered_is_open() -> None:
    cells = tuple(Cell("t", str(at), column, "50") for column in "cd" for at in range(3))
    assert follows("66.7", Terms("agreement", cells), "half_even").outcome == "undecided"


def industry(ks: list[int], n: int, said: list[int]) -> Row:
    cells = tuple(rate(f"m{at}", k, n) for at, k in enumerate(ks))
    kept = [Fraction(ks[at], n) for at in said]
    return Row(percent(sum(kept, Fraction(0)) / len(kept), 1), Terms("mean", cells), "half_even")


def test_one_thing_explains_a_whole_column() -> None:
    rows = {
        "x": industry([5, 9, 13, 20], 20, [0, 1, 2]),
        "y": industry([15, 9, 13, 30], 32, [0, 1, 2]),
        "z": industry([1, 9, 3, 8], 16, [0, 1, 2]),
    }
    assert why_together(rows) == "all 3 fit without m3 (the 3 others of 4), 0 with all of them"
    other = rows | {"z": industry([1, 9, 3, 8], 16, [0, 1, 3])}
    assert why_together(other) == ""


def test_a_column_of_rounded_cells_is_explained_at_once() -> None:
    cells = {
        name: (rate("a", k, 3, digits=0), rate("b", k, 3, digits=0), rate("d", 0, 3, digits=0))
        for name, k in (("x", 1), ("y", 2))
    }
    rows = {
        name: Row(text, Terms("mean", cells[name]), "half_even")
        for name, text in (("x", "22.0"), ("y", "44.7"))
    }
    assert why_together(rows).startswith("all 2 fit computed from the rounded cells")
