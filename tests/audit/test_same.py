from __future__ import annotations

from math import comb

import pytest

from replaylab.audit.cells import Cell
from replaylab.audit.same import agree, compatible, groups, poisson_tail, tie_chance, ties
from tests.audit.files import audited, table


def cell(table: str, text: str, n: int | None = 382, **condition: str) -> Cell:
    return Cell(
        table, condition.get("model", "m"), "c", text, n=n, condition=tuple(sorted(condition.items()))
    )


def test_cells_of_one_condition_are_found_wherever_they_stand() -> None:
    cells = [
        cell("t1", "79.6", model="a", faults="E0"),
        cell("t2", "79.6", faults="E0", model="a"),
        cell("t2", "60.0", model="b", faults="E0"),
    ]
    assert [[one.table for one in group] for group in groups(cells)] == [["t1", "t2"]]


def test_other_digits_are_no_contradiction_and_other_counts_are() -> None:
    assert compatible([cell("a", "79.6"), cell("b", "80")])
    assert compatible(
        [cell("a", "79.6"), Cell("b", "m", "c", "79.577", n=382, tolerance=cell("x", "0.06").value)]
    )
    assert not compatible([cell("a", "79.6"), cell("b", "79.8")])
    # 45.05 would be in both spans, but of 382 tasks 172 are behind the one and 173 behind the other.
    drawn = Cell("b", "m", "c", "45.2", n=382, tolerance=cell("x", "0.16").value)
    assert not compatible([cell("a", "45.0"), drawn])
    assert compatible([cell("a", "45.0", n=None), drawn])


def test_the_odd_one_is_named_with_its_distance() -> None:
    told = agree([cell("a", "63.9"), cell("b", "63.9"), cell("d", "66.0")])
    assert told.outcome == "fails"
    assert told.reason.startswith("66.0 (d / m / c) against 63.9")
    assert told.explanation == "8 tasks of 382 apart"


def test_a_number_of_a_neighbouring_condition_is_recognised() -> None:
    twin = cell("t", "54.2", model="q", faults="E3")
    odd = cell("b", "54.2", model="q", faults="E3 2x3")
    told = agree([cell("a", "55.8", model="q", faults="E3 2x3"), odd], [twin, odd])
    assert "it is the number of t / q / c" in told.explanation


def test_a_missing_number_is_not_decided() -> None:
    assert agree([cell("a", "-"), cell("b", "1")]).outcome == "undecided"


def test_ties_are_of_conditions_that_differ_in_one_thing() -> None:
    cells = [
        cell("t", "71.5", model="opus", faults="E0"),
        cell("t", "71.5", model="opus", faults="E3 1x2"),
        cell("t", "71.5", model="other", faults="E3"),
        cell("u", "71.5", model="opus", faults="E0"),
    ]
    found = ties(cells)
    assert [(one.k, one.a.condition != one.b.condition) for one in found.found] == [(273, True)]
    assert found.pairs == 1


def test_a_copied_table_is_beyond_chance() -> None:
    texts = ["71.5", "60.2", "55.0", "48.2", "66.0", "79.6", "52.9", "40.1"]
    texts = [text for text in texts if cell("t", text).counts()]
    copied = [cell("t", text, model=f"m{at}", sim=sim) for at, text in enumerate(texts) for sim in ("a", "b")]
    found = ties(copied)
    assert len(found.found) == len(texts)
    assert found.p < 0.001


@pytest.mark.parametrize(("k", "n"), [(30, 60), (200, 382), (50, 400)])
def test_the_chance_of_a_tie_is_near_the_exact_one(k: int, n: int) -> None:
    p = k / n
    exact = sum((comb(n, i) * p**i * (1 - p) ** (n - i)) ** 2 for i in range(n + 1))
    assert tie_chance(k, k, n) == pytest.approx(exact, rel=0.02)


def test_poissons_tail() -> None:
    assert poisson_tail(0, 3) == 1
    assert poisson_tail(1, 2) == pytest.approx(1 - 2.718281828459045**-2)
    assert poisson_tail(3, 1) == pytest.approx(0.0803014, rel=1e-5)


def test_of_many_cells_that_disagree_the_odd_ones_are_told_soon() -> None:
    """A hundred wrong conditions in one row: all choices of three of them would take hours."""
    columns = {f"c{at}": {"condition": {"of": "all"}} for at in range(190)}
    found = audited({"t": table({"X": [str(at % 97) for at in range(190)]}, columns)})[1]
    assert [one.outcome for one in found.values()] == ["fails"]
    # One that stands apart from so many is found still.
    columns = {f"c{at}": {"condition": {"of": "all"}} for at in range(190)}
    found = audited({"t": table({"X": ["50"] * 100 + ["53"] + ["50"] * 89}, columns)})[1]
    (one,) = found.values()
    assert one.id == "same_condition:t / X / c100"


def test_of_thousands_of_ties_some_are_named_and_all_are_counted() -> None:
    columns = {f"c{at}": {"n": 900, "condition": {"of": str(at)}} for at in range(60)}
    found = audited({"t": table({"X": ["50.0"] * 60}, columns)})[1]["exact_tie:all tables"]
    assert found.numbers["tied"] == 60 * 59 // 2
    assert len(found.numbers["ties"]) == 500
