from __future__ import annotations

from typing import Any

import pytest

from replaylab.canonical import digest
from replaylab.faults.plan import named
from replaylab.schema.fault import FaultPlan
from replaylab.score.facts import Study
from replaylab.score.tables.fault_ablation import build, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts

SIX = [f"s{number}" for number in range(6)]


def plan(name: str, count: int = 2, duration: int = 2) -> FaultPlan:
    return named("E3", count, duration).model_copy(update={"name": name})


PLANS = {
    one.name: one for one in (plan("E3"), plan("c1", 1), plan("c4", 4), plan("d3", duration=3), plan("again"))
}


def played(conditions: dict[str, str], **fields: Any) -> Study:
    """Each condition has the same letters in each of six scenarios."""
    return study({name: dict.fromkeys(SIX, word) for name, word in conditions.items()}, plans=PLANS, **fields)


ANN = {"ann": "ppp", "ann|E3": "ppf", "ann|c4": "pff", "ann|c1": "ppp"}


def test_plans_of_an_axis_stand_by_rising_value_against_the_first() -> None:
    table = build(played(ANN | {"ann|d3": "fff"}), "full")
    assert texts(table, "plan", "axis", "count", "duration", "k_n", "rate", "difference") == [
        ["c1", "count", "1", "2", "18/18", "100.0", ""],
        ["E3", "count", "2", "2", "12/18", "66.7", "-33.3"],
        ["c4", "count", "4", "2", "6/18", "33.3", "-66.7"],
        ["E3", "duration", "2", "2", "12/18", "66.7", ""],
        ["d3", "duration", "2", "3", "0/18", "0.0", "-66.7"],
    ]
    assert cell(table, 0, "difference").note == "the first of its axis"


def test_p_values_are_adjusted_over_the_whole_table() -> None:
    table = build(played(ANN), "full")
    assert cell(table, 1, "p").value == pytest.approx(2 / 64)
    assert cell(table, 1, "p_holm").value == pytest.approx(4 / 64)
    assert "family of 2 tests: each plan against the first of its axis" in notes(table)


def test_agents_stand_by_their_rate_in_the_reference_condition() -> None:
    bob = {"bob": "ppf", "bob|E3": "ppp", "bob|c1": "ppp"}
    assert [row[0] for row in texts(build(played(bob | ANN), "full"))] == ["ann"] * 3 + ["bob"] * 3


def test_an_agent_that_lacks_a_plan_has_no_number_there() -> None:
    bob = {"bob": "fff", "bob|E3": "ppf", "bob|c1": "ppp"}
    table = build(played(ANN | bob), "full")
    assert [(row[0], row[1]) for row in texts(table)][-1] == ("bob", "c4")
    for key in ("k_n", "rate", "difference", "p", "p_holm"):
        assert cell(table, 5, key).value is None
        assert text(table, 5, key) == ""
        assert cell(table, 5, key).note


def test_the_first_is_the_first_that_the_agent_has() -> None:
    table = build(played({"ann|E3": "ppf", "ann|c4": "pff", "bob|c1": "ppp", "bob|E3": "ppp"}), "full")
    rows = {(row[0], row[1]): row[2] for row in texts(table, "agent", "plan", "difference")}
    assert rows["ann", "c1"] == ""
    assert rows["ann", "E3"] == ""
    assert rows["ann", "c4"] == "-33.3"


def test_an_agent_with_one_plan_of_the_axis_is_named_below() -> None:
    table = build(played(ANN | {"bob|E3": "ppp"}), "full")
    assert {row[0] for row in texts(table)} == {"ann"}
    assert "With one plan of the axis only (count), and so not shown: bob." in notes(table)


def test_a_condition_that_was_run_again_is_flagged() -> None:
    table = build(played(ANN | {"ann|again": "fff"}), "full")
    assert [row[1] for row in texts(table)] == ["c1", "E3", "again", "c4"]
    assert (
        cell(table, 1, "plan").note
        == "E3 and again are one condition, run again: they differ by chance alone."
    )
    assert cell(table, 2, "plan").note
    assert cell(table, 0, "plan").note == ""
    assert "E3 and again are one condition" in notes(table)


def test_the_default_condition_of_another_run_is_flagged() -> None:
    made = played(ANN)
    runs = [
        made.runs[0].model_copy(update={"name": name, "run": digest(name)}) for name in ("main", "ablation")
    ]
    trials = tuple(
        trial.model_copy(update={"run": digest("main" if trial.faults == "E3" else "ablation")})
        for trial in made.trials
    )
    table = build(made.model_copy(update={"trials": trials, "runs": tuple(runs)}), "full")
    assert "E3 is of another run (main)" in cell(table, 1, "plan").note
    assert cell(table, 0, "plan").note == ""
    assert "E3 is of another run (main)" in notes(table)


def test_trials_that_were_recorded_with_other_settings_are_flagged() -> None:
    made = played(ANN)
    last = made.trials[-1]
    assert last.facts is not None
    other = last.facts.model_copy(update={"faults": plan("c1", 3)})
    trials = (*made.trials[:-1], last.model_copy(update={"facts": other}))
    table = build(made.model_copy(update={"trials": trials}), "full")
    assert cell(table, 0, "plan").note == (
        "c1: 1 trial recorded with other settings of the plan than those shown."
    )


def test_plans_of_one_run_are_not_flagged() -> None:
    table = build(played(ANN), "full")
    assert all(row[1].note == "" for row in (table.rows if table else ()))


def test_the_trials_of_each_rate_are_those_of_its_plan() -> None:
    table = build(played(ANN), "full")
    assert cell(table, 2, "rate").trials == (
        Selector(agent="ann", simulator="sim", verifier="judge", faults="c4"),
    )


def test_a_declared_denominator_is_of_one_plan() -> None:
    table = build(played(ANN, declared={"ann|c4": 12}), "paper")
    assert (text(table, 1, "rate"), text(table, 2, "rate")) == ("66.7", "50.0")
    assert "ann|c4 = 12" in notes(table)


def test_the_paper_layout_has_rates_alone() -> None:
    table = build(played(ANN), "paper")
    assert table is not None
    assert keys(table) == ["agent", "plan", "axis", "count", "duration", "rate"]
    assert all(one.interval is None for row in table.rows for one in row)


def test_plans_that_differ_in_two_things_are_no_table() -> None:
    made = study(
        {"ann|a": {"s": "p"}, "ann|b": {"s": "p"}}, plans={"a": plan("a", 1, 1), "b": plan("b", 2, 2)}
    )
    assert build(made, "full") is None
    assert why_not(made).startswith("no two fault plans differ in the number of faults alone")


def test_an_axis_that_nobody_played_twice_is_no_table() -> None:
    made = played({"ann|E3": "p", "bob|c1": "p"})
    assert build(made, "full") is None
    assert why_not(made) == "no agent played under two plans of c1/E3"
