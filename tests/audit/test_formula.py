from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.audit.cells import Cell, Span
from replaylab.audit.formula import Terms, agreed, evaluate, pairs_of, sign
from replaylab.errors import UsageError
from replaylab.score.rounding import percent


def rate(row: str, k: int, n: int, digits: int = 1, column: str = "c") -> Cell:
    return Cell("t", row, column, percent(Fraction(k, n), digits), n=n)


ROWS = st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), min_size=2, max_size=6).map(
    lambda pairs: [(min(k, n), n) for k, n in pairs]
)


@given(ROWS, st.integers(0, 2))
def test_the_true_value_is_never_outside_the_span(rows: list[tuple[int, int]], digits: int) -> None:
    cells = tuple(rate(str(at), k, n, digits) for at, (k, n) in enumerate(rows))
    true = [Fraction(100 * k, n) for k, n in rows]
    whole = sum(n for _, n in rows)
    expected = {
        "mean": sum(true) / len(true),
        "sum": sum(true),
        "min": min(true),
        "max": max(true),
        "pooled": Fraction(100 * sum(k for k, _ in rows), whole),
    }
    for how, value in expected.items():
        span = evaluate(Terms(how, cells), "counts")  # type: ignore[arg-type]
        assert span is not None
        assert span.low <= value <= span.high
    pair = Terms("difference", cells[:2])
    span = evaluate(pair, "counts")
    assert span is not None
    assert span.low <= true[0] - true[1] <= span.high
    over = cells[0]
    score = evaluate(Terms("robustness", cells[1:], over), "counts")
    if score is not None:
        assert score.low <= min(true[1:]) / true[0] <= score.high


def test_r_of_counts_and_of_rounded_cells_differ() -> None:
    of = tuple(rate("kimi", k, 382, column=c) for c, k in (("E1", 191), ("E2", 155), ("E3", 153)))
    over = rate("kimi", 245, 382, column="E0")
    counts = evaluate(Terms("robustness", of, over), "counts")
    printed = evaluate(Terms("robustness", of, over), "printed")
    assert counts == (Fraction(153, 245), Fraction(153, 245))
    assert printed == (Fraction(401, 641), Fraction(401, 641))


def test_what_is_not_known_gives_no_number() -> None:
    empty, zero = Cell("t", "r", "c", ""), rate("r", 0, 9)
    assert evaluate(Terms("mean", (empty, zero)), "counts") is None
    assert evaluate(Terms("mean", ()), "counts") is None
    assert evaluate(Terms("ratio", (zero, zero)), "counts") is None
    assert evaluate(Terms("pooled", (Cell("t", "r", "c", "50"), zero)), "counts") is None


def test_a_difference_of_rounded_numbers_can_be_off_by_both_roundings() -> None:
    cells = (Cell("t", "a", "c", "50"), Cell("t", "b", "c", "10"))
    assert evaluate(Terms("difference", cells), "counts") == Span(Fraction(39), Fraction(41))
    ratio = evaluate(Terms("ratio", cells), "counts")
    assert ratio == Span(Fraction(99, 21), Fraction(101, 19))


def test_ranks_are_open_where_the_printed_numbers_leave_them_open() -> None:
    cells = tuple(Cell("t", name, "c", text) for name, text in (("a", "70"), ("b", "60"), ("d", "60")))
    assert evaluate(Terms("rank", cells, cells[1]), "counts") == Span(Fraction(2), Fraction(3))
    exact = tuple(rate(name, k, 10) for name, k in (("a", 7), ("b", 6), ("d", 6)))
    assert evaluate(Terms("rank", exact, exact[2]), "counts") == Span(Fraction(2), Fraction(2))


def test_order_is_told_by_counts_and_not_by_printing() -> None:
    assert sign(rate("a", 2, 3, 0), rate("b", 31, 46, 0)) == -1  # both print as 67
    assert sign(rate("a", 2, 3, 0), rate("b", 4, 6, 0)) == 0
    assert sign(Cell("t", "a", "c", "67"), Cell("t", "b", "c", "67")) is None
    assert sign(Cell("t", "a", "c", "67"), Cell("t", "b", "c", "60")) == 1


def test_pairs_of_two_columns() -> None:
    first = [rate(name, k, 100) for name, k in zip("abcd", (90, 80, 70, 60), strict=True)]
    second = [rate(name, k, 100, column="e") for name, k in zip("abcx", (30, 30, 40, 10), strict=True)]
    counts = agreed(pairs_of(first, second))
    assert counts._asdict() == {"pairs": 3, "same": 0, "other": 2, "tied": 1, "unclear": 0}
    assert counts.share("disagree") == 0
    assert counts.share("half") == Fraction(50, 3)
    assert counts.share("leave_out") == 0


def test_two_orders_of_too_many_rows_are_refused() -> None:
    cells = [Cell("t", f"r{at}", "a", str(at)) for at in range(601)]
    with pytest.raises(UsageError, match="601 rows of t"):
        pairs_of(cells, cells)
    assert len(pairs_of(cells[:600], cells)) == 600 * 599 // 2
