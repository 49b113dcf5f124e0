from __future__ import annotations

import pytest

from replaylab.score.facts import Study
from replaylab.score.series import Series
from replaylab.score.slices import slices
from replaylab.score.tables.steps import Told, comparable, steps_of, table_of
from tests.score.studies import model, study
from tests.score.tables.look import cell, keys, notes, texts

SIX = [f"s{number}" for number in range(6)]
TOLD = Told("effort", "Effort", "model", "effort", "each against the one before", ("m: somebody",))


def played(**letters: str) -> Study:
    names = {name: model(name) for name in ("ann", "bob", "cat", "dan")}
    made = study({name: dict.fromkeys(SIX, word) for name, word in letters.items()})
    return made.model_copy(update={"agents": names})


def series(*steps: tuple[str, tuple[str, ...]], note: str = "") -> Series:
    return Series("m", steps, note)


THREE = series(("low", ("ann",)), ("high", ("bob",)), ("max", ("cat",)), note="something else differs too")


def test_each_step_is_compared_with_the_one_before() -> None:
    cut = slices(played(ann="pff", bob="ppf", cat="ppp"))
    table = table_of(cut, steps_of(cut, [THREE]), TOLD, "full")
    assert texts(table, "model", "effort", "agent", "k_n", "rate", "difference") == [
        ["m", "low", "ann", "6/18", "33.3", ""],
        ["m", "high", "bob", "12/18", "66.7", "33.3"],
        ["m", "max", "cat", "18/18", "100.0", "33.3"],
    ]
    assert cell(table, 0, "difference").note == "the first of its series"
    assert cell(table, 1, "p").value == pytest.approx(2 / 64)
    assert cell(table, 1, "p_holm").value == pytest.approx(4 / 64)


def test_holm_is_over_all_series_of_the_table() -> None:
    cut = slices(played(ann="pff", bob="ppf", cat="pff", dan="ppf"))
    pairs = [
        series(("low", ("ann",)), ("high", ("bob",))),
        series(("low", ("cat",)), ("high", ("dan",))),
    ]
    table = table_of(cut, steps_of(cut, pairs), TOLD, "full")
    assert cell(table, 1, "p_holm").value == pytest.approx(4 / 64)
    assert "one family of 2 tests: each against the one before" in notes(table)


def test_a_step_without_trials_has_no_number_and_the_next_is_compared_with_the_one_before_it() -> None:
    cut = slices(played(ann="pff", cat="ppp"))
    table = table_of(cut, steps_of(cut, [THREE]), TOLD, "full")
    assert texts(table, "agent", "rate", "difference") == [
        ["ann", "33.3", ""],
        ["bob", "", ""],
        ["cat", "100.0", "66.7"],
    ]
    assert cell(table, 1, "rate").note == "no trials"
    assert cell(table, 1, "difference").note == "no rate to compare"
    assert [one.agent for one in cell(table, 2, "difference").trials] == ["cat", "ann"]


def test_two_agents_at_one_step_are_no_single_step_before() -> None:
    cut = slices(played(ann="pff", bob="ppf", cat="ppp"))
    steps = steps_of(cut, [series(("low", ("ann", "bob")), ("high", ("cat",)))])
    table = table_of(cut, steps, TOLD, "full")
    assert cell(table, 2, "difference").text == ""
    assert cell(table, 2, "difference").note == "several agents are one step before: ann, bob"


def test_a_series_needs_two_steps_that_were_played() -> None:
    assert comparable(slices(played(ann="p", cat="p")), [THREE]) == (THREE,)
    assert comparable(slices(played(ann="p")), [THREE]) == ()
    twins = series(("low", ("ann", "bob")), ("high", ("cat",)))
    assert comparable(slices(played(ann="p", bob="p")), [twins]) == ()


def test_what_differs_besides_and_what_is_not_shown_stand_below() -> None:
    cut = slices(played(ann="p", bob="p"))
    told = notes(table_of(cut, steps_of(cut, [THREE]), TOLD, "paper"))
    assert "m: something else differs too." in told
    assert "Not shown: m: somebody." in told


def test_the_paper_layout_has_the_rates_alone() -> None:
    cut = slices(played(ann="p", bob="p"))
    table = table_of(cut, steps_of(cut, [THREE]), TOLD, "paper")
    assert keys(table) == ["model", "effort", "agent", "rate"]
    assert all(one.interval is None for row in table.rows for one in row)
