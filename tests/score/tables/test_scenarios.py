from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.tables.scenarios import build, why_not
from tests.score.studies import scenario, study, study_of
from tests.score.tables.look import cell, keys, notes, texts

HEALTH, TRADE, LAND = "Healthcare & Life Sciences", "Commerce & Consumer", "Agriculture & Environment"


def small() -> Study:
    scenarios = {
        "h1": scenario("h1", HEALTH, "care"),
        "h2": scenario("h2", HEALTH, "care"),
        "c1": scenario("c1", TRADE, "shops"),
        "a1": scenario("a1", LAND, "farms"),
        "x1": scenario("x1", "Space", "care"),
    }
    outcomes = {"h1": "pp", "h2": "f", "c1": "ppp", "a1": "p", "x1": "p"}
    return study({"ann": outcomes, "bob|E1": {"h1": "pf"}}, scenarios=scenarios)


def test_industries_go_by_scenarios_and_ties_in_the_order_of_industries() -> None:
    assert texts(build(small(), "full")) == [
        [HEALTH, "2", "3", "1", "5"],
        [LAND, "1", "1", "1", "1"],
        [TRADE, "1", "3", "1", "3"],
        ["Space", "1", "1", "1", "1"],
        ["Total", "5", "8", "3", "10"],
    ]


def test_the_paper_layout_has_four_columns() -> None:
    table = build(small(), "paper")
    assert table is not None
    assert [column.title for column in table.columns] == ["Industry", "Scenarios", "Tasks", "Domains"]
    assert texts(table)[-1] == ["Total", "5", "8", "3"]
    assert keys(build(small(), "full") or table) == ["industry", "scenarios", "tasks", "domains", "trials"]


def test_a_task_counts_once_under_all_conditions_and_repeats() -> None:
    held = study({"ann": {"s1": ["pp", "pf"]}, "bob": {"s1": ["pp", "pf"]}})
    assert texts(build(held, "full")) == [
        ["Technology & IT", "1", "2", "1", "8"],
        ["Total", "1", "2", "1", "8"],
    ]


def test_a_missing_trial_of_a_known_task_counts_and_one_of_an_unknown_task_has_its_own_line() -> None:
    table = build(study({"ann": {"s1": "pm", "?a": "m"}}), "full")
    assert texts(table) == [
        ["Technology & IT", "1", "2", "1", "2"],
        ["?", "0", "1", "0", "1"],
        ["Total", "1", "3", "1", "3"],
    ]
    assert '"?": 1 task with no trial but missing ones' in notes(table)


def test_numbers_name_their_trials() -> None:
    held = small()
    table = build(held, "full")
    assert len(slices(held).select(cell(table, HEALTH, "trials").trials[0])) == 5
    assert len(slices(held).select(cell(table, "Total", "trials").trials[0])) == 10


def test_missing_trials_alone_tell_of_no_scenario() -> None:
    held = study({"ann": {"?a": "mm"}})
    assert build(held, "full") is None
    assert why_not(held) == why_not(study_of([])) == "no trial was recorded, so no scenario is known"
