from __future__ import annotations

from fractions import Fraction

import pytest

from replaylab.report.score_cells import (
    Beside,
    Footnotes,
    headings,
    number_of,
    plain_value,
    shorten,
    summaries,
    title,
    undecided,
    whole,
)
from replaylab.score.value import Cell, Column, Count, Interval, Layout, Table


def table(
    *rows: tuple[Cell, ...], layout: Layout = "full", keys: str = "agent rate", unit: str = "%"
) -> Table:
    columns = tuple(
        Column(key=key, title=key.title(), unit="" if key == "agent" else unit, numeric=key != "agent")
        for key in keys.split()
    )
    return Table(id="t", title="Title", layout=layout, columns=columns, rows=rows)


def rated(text: str, value: float | None, count: Count, note: str = "") -> Cell:
    interval = Interval(low=12.345, high=98.765, method="m")
    return Cell(text=text, value=value, count=count, interval=interval, note=note)


def test_a_long_text_is_cut_and_two_that_differ_past_the_cut_still_differ() -> None:
    one, other = shorten("x" * 500 + "a"), shorten("x" * 500 + "b")
    assert one != other
    assert one.startswith("x" * 80 + "… (501 characters, ")
    assert shorten("a\x1b\n\u202e") == "aU+001BU+000AU+202E"


def test_values_are_plain_json() -> None:
    found = plain_value({"a": [Fraction(1, 2), float("nan"), float("inf"), True, None, 3], 1: "x"})
    assert found == {"a": [0.5, None, None, True, None, 3], "1": "x"}
    assert found["a"][3] is True


def test_numbers_of_numpy_are_plain_json() -> None:
    numpy = pytest.importorskip("numpy")
    found = plain_value([numpy.float64(0.1), numpy.int64(3)])
    assert [type(one) for one in found] == [float, int]


@pytest.mark.parametrize(
    ("value", "number"), [(3, 3.0), ([2, 9], 2.0), ([], None), (None, None), ("x", None), (True, None)]
)
def test_a_column_is_sorted_by_the_first_number_of_a_cell(value: object, number: float | None) -> None:
    assert number_of(Cell(text="x", value=value)) == number


@pytest.mark.parametrize(
    ("value", "denominator", "found"),
    [
        (75.0, "planned", 4),
        (60.0, "decided", 5),
        (75.0, "decided", 4),  # declared: it is the share of the other
        (300 / 7, "planned", 7),  # declared
        (0.31, "planned", None),
    ],
)
def test_of_how_many_follows_from_the_rule_or_from_what_was_declared(
    value: float, denominator: str, found: int | None
) -> None:
    count = Count(passed=3, failed=1 if value == 75 else 2, error=0)
    assert whole(rated("x", value, count), denominator) == found  # type: ignore[arg-type]


def test_a_rate_of_nothing_passed_is_out_of_what_the_rule_says() -> None:
    cell = rated("0.0", 0.0, Count(failed=4, missing=1))
    assert (whole(cell, "planned"), whole(cell, "decided")) == (5, 4)
    assert whole(Cell(text="x", value=1), "planned") is None


def test_the_full_layout_shows_counts_and_interval_with_the_decimals_of_the_text() -> None:
    one = rated("75.0", 75.0, Count(passed=3, failed=1))
    assert Beside.of(one, table((Cell(text="a"), one)), "planned") == ("3/4", "[12.3, 98.8]")
    none = one.model_copy(update={"text": "75"})
    assert Beside.of(none, table((Cell(text="a"), none)), "planned").inline() == ("(3/4)", "[12, 99]")
    assert Beside.of(one, table((Cell(text="a"), one), layout="paper"), "planned") == ("", "")
    assert Beside.of(one, table((Cell(text="a"), one), keys="k_n rate"), "planned").passed == ""


def test_what_the_text_says_is_not_said_again() -> None:
    told = rated("75.0 (3/4) [12, 99]", 75.0, Count(passed=3, failed=1))
    assert Beside.of(told, table((Cell(text="a"), told)), "planned") == ("", "")


def test_an_interval_has_no_negative_zero() -> None:
    cell = Cell(text="0.0", value=0.0, interval=Interval(low=-0.01, high=0.01, method="m"))
    assert Beside.of(cell, table((Cell(text="a"), cell)), "planned").interval == "[0.0, 0.0]"


def test_only_the_full_layout_has_units_and_many_alike_are_said_once() -> None:
    assert headings(table()) == ["Agent", "Rate (%)"]
    assert headings(table(layout="paper")) == ["Agent", "Rate"]
    wide = table(keys="agent a b c d e")
    assert headings(wide) == ["Agent", "A", "B", "C", "D", "E"]
    assert (title(wide), title(table())) == ("Title, in %", "Title")


def test_rows_that_sum_up_are_the_last_ones_with_such_a_name() -> None:
    rows = [(Cell(text=name), Cell(text="1")) for name in ("total", "a", "Avg", "tasks")]
    assert summaries(table(*rows)) == 2
    assert summaries(table(*rows[:2])) == 0


def test_each_note_stands_once_and_cells_carry_its_letter() -> None:
    one = rated("1", 1.0, Count(), note="few")
    other = rated("1", 1.0, Count(), note="many")
    found = Footnotes.of(table((Cell(text="a"), one), (Cell(text="b"), other), (Cell(text="c"), one)))
    assert found.texts == ("few", "many")
    assert found.marks == (((), ("a",)), ((), ("b",)), ((), ("a",)))


def test_letters_go_on_after_z() -> None:
    cells = [(Cell(text="x"), Cell(text="1", note=str(at))) for at in range(28)]
    assert [mark for mark, _ in Footnotes.of(table(*cells)).told()][-3:] == ["z", "aa", "ab"]


def test_a_cell_with_errors_says_so_unless_a_column_or_its_note_does() -> None:
    count = Count(passed=3, failed=5, error=2, missing=1)
    cell = rated("27.3", 100 * 3 / 11, count)
    said = "2 errors, 1 missing: between 27.3 and 54.5 % if they were decided"
    assert undecided(count) == said
    assert Footnotes.of(table((Cell(text="a"), cell))).texts == (said,)
    assert Footnotes.of(table((Cell(text="a"), cell), keys="agent error")).texts == ()
    noted = cell.model_copy(update={"note": "2 errors; 1 missing"})
    assert Footnotes.of(table((Cell(text="a"), noted))).texts == ("2 errors; 1 missing",)
    assert undecided(Count(passed=1)) == ""


def test_the_note_of_an_interval_is_told_once() -> None:
    interval = Interval(low=0, high=1, method="m", note="clusters ignored")
    cell = Cell(text="1", interval=interval)
    assert Footnotes.of(table((Cell(text="a"), cell))).texts == ("clusters ignored",)
    both = cell.model_copy(update={"note": "interval: clusters ignored"})
    assert Footnotes.of(table((Cell(text="a"), both))).texts == ("interval: clusters ignored",)
