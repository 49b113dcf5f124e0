from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.cells import Cell
from replaylab.audit.joint import Around, adds_up, sum_of_counts
from replaylab.score.rounding import percent

NS = {"a": 31, "b": 63, "c": 36, "d": 16}


def part(column: str, k: int, n: int | None = None) -> Cell:
    of = NS[column] if n is None else n
    return Cell("t", "r", column, percent(Fraction(k, of), 0), n=NS[column])


def total(k: int, n: int = sum(NS.values())) -> Cell:
    return Cell("t", "r", "avg", percent(Fraction(k, n), 1), n=n)


@given(st.fixed_dictionaries({name: st.integers(0, n) for name, n in NS.items()}))
def test_a_row_of_real_counts_always_adds_up(ks: dict[str, int]) -> None:
    assert adds_up(total(sum(ks.values())), [part(name, k) for name, k in ks.items()]).outcome == "holds"


@given(
    st.fixed_dictionaries({name: st.integers(3, n - 3) for name, n in NS.items()}),
    st.sampled_from(list(NS)),
    st.integers(1, 2),
)
def test_a_task_that_left_a_denominator_is_among_the_explanations(
    ks: dict[str, int], name: str, missing: int
) -> None:
    # The total counts the missing tasks as not passed.
    parts = [part(key, k, NS[key] - missing if key == name else None) for key, k in ks.items()]
    found = adds_up(total(sum(ks.values())), parts)
    assert found.numbers is not None
    if found.outcome == "fails" and found.numbers["missing"] == missing:
        assert f"{name} {ks[name]}/{NS[name] - missing}" in " ".join(found.numbers["ways"])
    elif found.outcome == "fails":
        assert found.numbers["missing"] < missing


def test_other_printings_choose_between_explanations() -> None:
    parts = [
        Cell("t", "r", "a", "77", n=32),
        Cell("t", "r", "b", "85", n=55),
        Cell("t", "r", "c", "80", n=50),
    ]
    whole = Cell("t", "r", "avg", percent(Fraction(110, 137), 1), n=137)
    alone = adds_up(whole, parts)
    assert alone.outcome == "fails"
    assert alone.explanation.count("; or ") >= 1
    drawn = {"a": "77.4", "b": "85.2"}

    def same(cell: Cell) -> list[Cell]:
        text = drawn.get(cell.column)
        return [Cell("f", "r", cell.column, text, n=cell.n, tolerance=Fraction("0.15"))] if text else []

    chosen = adds_up(whole, parts, around=Around(same))
    assert "a 24/31 and b 46/54" in chosen.explanation
    assert "the only one of" in chosen.explanation


def test_swapped_cells_are_recognised() -> None:
    parts = [part("a", 7), part("b", 50), part("c", 20), part("d", 4)]
    told = adds_up(
        total(81),
        [
            parts[0],
            Cell("t", "r", "b", parts[2].text, n=63),
            Cell("t", "r", "c", parts[1].text, n=36),
            parts[3],
        ],
    )
    assert told.outcome == "fails"
    assert "b and c were swapped" in told.explanation


def test_a_text_of_the_row_above_is_recognised() -> None:
    parts = [part("a", 7), part("b", 50), part("c", 20), part("d", 4)]
    edited = [parts[0], parts[1], Cell("t", "r", "c", "83", n=36), parts[3]]
    above = Cell("t", "q", "c", parts[2].text, n=36)
    told = adds_up(
        total(81), edited, around=Around(next_to=lambda cell: [above] if cell.column == "c" else [])
    )
    assert f"c {parts[2].text} (as t / q / c has)" in told.explanation


def test_denominators_have_to_add_up_too() -> None:
    told = adds_up(total(81, 200), [part("a", 7), part("b", 50)])
    assert (told.outcome, told.said, told.found) == ("fails", "200", "94")


def test_what_is_not_published_is_not_decided() -> None:
    assert adds_up(total(81), [Cell("t", "r", "a", "50"), part("b", 50)]).outcome == "undecided"
    assert adds_up(total(81), []).outcome == "undecided"


def test_whole_numbers_add_up_or_not() -> None:
    parts = [Cell("t", str(k), "n", str(k), "count") for k in (19, 16, 12)]
    assert sum_of_counts(Cell("t", "all", "n", "47", "count"), parts).outcome == "holds"
    assert sum_of_counts(Cell("t", "all", "n", "48", "count"), parts).outcome == "fails"


def test_a_wide_row_is_still_decided_quickly() -> None:
    parts = [Cell("t", "r", f"c{at}", "50", n=1000) for at in range(100)]
    assert adds_up(Cell("t", "r", "avg", "50.0", n=100_000), parts).outcome == "holds"
    assert adds_up(Cell("t", "r", "avg", "60.0", n=100_000), parts).outcome == "fails"
