from __future__ import annotations

import math
from typing import Any

import pytest

from replaylab.report.figures import read
from replaylab.report.figures.value import Point
from replaylab.score.value import Cell, Column, Count, Interval, Selector, Table
from tests.report.figures.tables import AUTHORED, LARGE, NOTES, PROGRAMS, SMALL, rate

KNOWN = Interval(low=60.0, high=80.0, method="Wilson")


def table(*notes: str, unit: str = "%") -> Table:
    columns = (Column(key="rate", title="Rate", unit=unit),)
    return Table(id="t", title="T", layout="full", columns=columns, rows=(), notes=notes)


def test_a_line_has_its_cells_by_the_keys_of_their_columns() -> None:
    line = read.lines(SMALL.overall())[0]
    assert (read.text(line, "agent"), read.text(line, "nothing")) == ("scripted:hasty", "")


@pytest.mark.parametrize("value", [None, True, "70.0", math.nan, math.inf, [1, 2]])
def test_what_is_no_number_is_none(value: Any) -> None:
    assert read.number(Cell(text="70.0", value=value, interval=KNOWN)) is None
    assert read.point(Cell(text="70.0", value=value, interval=KNOWN)) == Point()


def test_a_point_has_its_interval_in_the_same_unit() -> None:
    cell = Cell(text="0.7", value=0.7, interval=Interval(low=0.5, high=0.75, method="m"))
    assert read.point(cell) == Point(0.7, 0.5, 0.75)
    assert read.point(cell, 100) == Point(70, 50, 75)
    assert read.point(Cell(text="7", value=7)) == Point(7)
    assert read.point(None) == Point()


def test_shares_are_made_percent_and_percent_stays() -> None:
    assert read.percent_scale(table(), "rate") == 1
    assert read.percent_scale(table(unit=""), "rate") == 100


def test_n_counts_errors_and_missing_trials_and_no_cell_without_a_rate() -> None:
    lost = Cell(text="50.0", value=50.0, count=Count(passed=4, failed=1, error=2, missing=1))
    empty = Cell(text="", count=Count(error=3))
    assert read.n_of([lost, empty, None], "agent") == ("n: 8 planned trials for each agent.",)
    assert read.n_of([lost, rate(1, 21)], "dot") == ("n: 8 to 21 planned trials for each dot.",)
    assert read.n_of([rate(1, 1)], "dot") == ("n: 1 planned trial for each dot.",)
    assert read.n_of([empty], "agent") == ()


def test_methods_are_named_with_their_level_and_with_what_they_ignore() -> None:
    exact = Interval(low=90.0, high=100.0, method="Clopper-Pearson", note="clusters ignored")
    other = Interval(low=1.0, high=2.0, method="Wilson", level=0.9)
    cells = [Cell(text="7", value=7.0, interval=one) for one in (KNOWN, KNOWN, exact)]
    assert read.methods(cells) == (
        "Whiskers: 95 % interval, Wilson (2 of 3); 95 % interval, Clopper-Pearson (1 of 3); clusters ignored (1 of 3).",
    )
    assert read.methods([Cell(text="7", value=7.0, interval=other)], "In brackets") == (
        "In brackets: 90 % interval, Wilson.",
    )
    assert read.methods([Cell(text="7", value=7.0), None]) == ("No intervals are known.",)


@pytest.mark.parametrize(
    "note",
    [
        AUTHORED,
        PROGRAMS,
        "Evidence: imported, recorded by another program.",
        "Played by humans: ann (agent).",
        "Every role is a program, not an LLM: programs, not LLMs",
    ],
)
def test_what_no_reader_may_miss_is_found(note: str) -> None:
    assert read.notices(table("Denominator: planned trials.", note)) == (note,)


def test_other_notes_are_no_notices() -> None:
    assert read.notices(table("Evidence: recorded.", "Clusters: 98 scenarios.")) == ()


def test_the_condition_is_told_in_its_first_sentences() -> None:
    assert read.condition(table(*NOTES)) == (
        "Denominator: planned trials.",
        "Condition: simulator twin, faults E0.",
    )


def test_an_industry_is_named_where_all_trials_behind_a_cell_are_of_it() -> None:
    both = Cell(text="", trials=(Selector(industry="A"), Selector(industry="B")))
    assert read.industry(rate(1, 2, industry="A")) == "A"
    assert read.industry(both) == ""
    assert read.industry(Cell(text="")) == ""


def test_scenarios_are_known_by_every_name_of_an_industry() -> None:
    assert read.scenarios({"difficulty": LARGE.difficulty()})["Science & Research"] == 4
    assert read.scenarios({}) == {}
