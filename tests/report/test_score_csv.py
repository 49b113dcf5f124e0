from __future__ import annotations

import csv
import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.report.markup import seen
from replaylab.report.score_csv import csv_text, table_csv
from replaylab.score.value import Cell, Column, Count, Interval, Table
from tests.report.scored import HOSTILE, TINY, hostile, scored


def read(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


@given(st.lists(st.lists(st.text(max_size=12), min_size=2, max_size=2), max_size=3))
def test_every_text_comes_back_as_it_is_seen(rows: list[list[str]]) -> None:
    made = read(csv_text(("a", "b"), rows))
    for given_row, row in zip(rows, made[1:], strict=True):
        assert [one.removeprefix("'") for one in row] == [seen(one).removeprefix("'") for one in given_row]


def test_lines_end_with_both_marks_and_only_what_needs_quotes_has_them() -> None:
    assert csv_text(("a", "b"), [('x,"y', "z")]) == 'a,b\r\n"x,""y",z\r\n'


@pytest.mark.parametrize(
    "formula",
    ["=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(A1)", "  =1", "＝1", "-", "=", "+1 (2)", "-1.5 [-2, 0]"],
)
def test_a_text_that_a_spreadsheet_would_run_gets_an_apostrophe(formula: str) -> None:
    assert read(csv_text(("a",), [(formula,)]))[1] == [f"'{formula}"]


@pytest.mark.parametrize("number", ["-3.5", "+4", "-0.0", "-1e-07", "12", "-5%"])
def test_a_number_stays_a_number(number: str) -> None:
    assert read(csv_text(("a",), [(number,)]))[1] == [number]


@pytest.mark.parametrize(
    ("value", "text"), [(None, ""), (True, "true"), (False, "false"), (-3.25, "-3.25"), (7, "7")]
)
def test_values_are_written_unrounded(value: object, text: str) -> None:
    assert read(csv_text(("a", "b"), [(value, "x")]))[1][0] == text


def test_a_column_is_followed_by_what_stands_behind_it() -> None:
    rate = Cell(
        text="-33.3",
        value=-100 / 3,
        count=Count(passed=1, failed=2, error=1),
        interval=Interval(low=-5.5, high=70.25, method="m"),
        note="few",
    )
    columns = (Column(key="agent", title="Agent", numeric=False), Column(key="rate", title="Rate", unit="%"))
    table = Table(id="t", title="T", layout="full", columns=columns, rows=((Cell(text="=a"), rate),))
    head, row = read(table_csv(table).decode())
    said = dict(zip(head, row, strict=True))
    assert head[0] == "agent"
    assert said["agent"] == "'=a"
    assert float(said["rate value"]) == -100 / 3
    assert [said[f"rate {part}"] for part in ("k", "error", "low", "high", "note")] == [
        "1",
        "1",
        "-5.5",
        "70.25",
        "few",
    ]
    assert "rate missing" not in head


def test_every_line_of_every_table_has_a_field_a_column() -> None:
    for made in (scored(TINY), hostile()):
        for table in (*made.full, *made.paper):
            rows = read(table_csv(table).decode())
            assert len({len(row) for row in rows}) == 1
            assert len(rows) == len(table.rows) + 1


def test_no_field_of_a_hostile_study_runs_or_moves_a_cursor() -> None:
    for table in (*hostile().full, *hostile().paper):
        text = table_csv(table).decode()
        assert not re.search(r"[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u202e]", text)
        for row in read(text):
            for field in row:
                assert not re.match(r"\s*[=+@]", field) or re.fullmatch(r"\+?[\d.]+", field)
        names = {row[0].removeprefix("'") for row in read(text)[1:]}
        assert seen(HOSTILE[1]) in names


def test_the_same_table_gives_the_same_bytes() -> None:
    assert [table_csv(one) for one in scored(TINY).full] == [table_csv(one) for one in scored(TINY).full]
