from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.stats.interval import clustered
from replaylab.score.tables.difficulty import build, why_not
from tests.score.studies import Outcomes, scenario, study
from tests.score.tables.look import cell, keys, notes, text, texts

HEALTH, TRADE, TECH = "Healthcare & Life Sciences", "Commerce & Consumer", "Technology & IT"
WHERE = {"h1": scenario("h1", HEALTH), "h2": scenario("h2", HEALTH), "c1": scenario("c1", TRADE)}


def small(**fields: object) -> Study:
    conditions: dict[str, dict[str, Outcomes]] = {
        "ann": {"h1": "ppf", "h2": "p", "c1": "pf", "t1": "pp"},
        "bob": {"h1": "fff", "h2": "p", "c1": "em", "t1": "pp"},
        "ann|E1": {"h1": "fff", "h2": "f", "c1": "ff", "t1": "ff"},
    }
    return study(conditions, scenarios=WHERE).model_copy(update=fields)


def test_industries_go_by_the_mean_of_the_agents_rates() -> None:
    table = build(small(), "full")
    assert table is not None
    assert keys(table) == ["industry", "rate", "mean", "agents", "tasks", "scenarios"]
    assert texts(table) == [
        [TECH, "100.0", "100.0", "2", "2", "1"],
        [HEALTH, "50.0", "50.0", "2", "4", "2"],
        [TRADE, "25.0", "25.0", "2", "2", "1"],
    ]


def test_the_pooled_rate_and_the_mean_differ_where_agents_have_other_tasks() -> None:
    """ann: 3/3, bob: 0/1 on the third task. Tasks: 1, 1, 1/2; agents: 1, 0."""
    held = study({"ann": {"s1": "ppp"}, "bob": {"s1": "f"}})
    table = build(held, "full")
    assert texts(table, "rate", "mean") == [["83.3", "50.0"]]
    assert "not k/n" in cell(table, 0, "rate").note


def test_rows_follow_the_mean_and_not_the_pooled_rate() -> None:
    held = study({"ann": {"t1": "ppp", "h1": "pppff"}, "bob": {"t1": "f", "h1": "pppff"}}, scenarios=WHERE)
    assert texts(build(held, "full"), "industry", "rate", "mean") == [
        [HEALTH, "60.0", "60.0"],
        [TECH, "83.3", "50.0"],
    ]


def test_the_pooled_interval_counts_a_task_once_however_many_agents_played_it() -> None:
    one = cell(build(small(), "full"), HEALTH, "rate").interval
    expected = clustered([[0.5, 0.5, 0.0], [1.0]])
    assert one is not None
    assert (one.low, one.high) == (100 * expected.low, 100 * expected.high)
    assert cell(build(small(), "full"), HEALTH, "mean").interval is None


def test_errors_and_missing_trials_follow_the_rule() -> None:
    assert cell(build(small(), "full"), TRADE, "rate").note.startswith("1 error; 1 missing")
    decided = build(small(denominator="decided"), "full")
    assert texts(decided)[1] == [TRADE, "50.0", "50.0", "1", "2", "1"]
    assert cell(decided, TRADE, "mean").note == "without bob"
    assert cell(decided, TRADE, "rate").note.startswith("1 error; 1 missing")


def test_which_agents_are_averaged_is_written_by_the_program() -> None:
    held = study({"ann": {"h1": "p"}, "bob": {"h1": "f"}, "eve|E1": {"h1": "p"}}, scenarios=WHERE)
    for layout in ("full", "paper"):
        assert "Averaged over 2 agents: ann, bob." in notes(build(held, layout))
    assert text(build(held, "full"), HEALTH, "agents") == "2"


def test_the_paper_layout_is_the_mean() -> None:
    table = build(small(), "paper")
    assert table is not None
    assert [column.title for column in table.columns] == ["Industry", "Avg"]
    assert texts(table) == [[TECH, "100.0"], [HEALTH, "50.0"], [TRADE, "25.0"]]


def test_declared_denominators_make_both_numbers_and_leave_no_interval() -> None:
    held = study(
        {"ann": {"h1": "pppf"}, "bob": {"h1": "pfff"}},
        scenarios=WHERE,
        declared={"ann|hlth": 3, "ann|edu": 9},
    )
    table = build(held, "full")
    assert texts(table, "rate", "mean") == [["57.1", "62.5"]]
    assert cell(table, 0, "rate").interval is None
    assert cell(table, 0, "rate").note == "declared denominators, so no interval"
    assert "Declared denominators: ann|hlth = 3." in notes(table)


def test_equally_hard_industries_go_by_name() -> None:
    held = study({"ann": {"h1": "p", "c1": "p", "t1": "p"}}, scenarios=WHERE)
    assert [row[0] for row in texts(build(held, "paper"))] == [TRADE, HEALTH, TECH]


def test_an_industry_without_a_judged_trial_is_empty_and_last() -> None:
    held = study({"ann": {"h1": "f", "c1": "e"}}, scenarios=WHERE, denominator="decided")
    table = build(held, "full")
    assert texts(table) == [[HEALTH, "0.0", "0.0", "1", "1", "1"], [TRADE, "", "", "0", "1", "1"]]
    assert cell(table, TRADE, "mean").note == "no agent was judged"


def test_numbers_name_their_trials() -> None:
    held = small()
    one = cell(build(held, "full"), HEALTH, "rate")
    assert [len(slices(held).select(which)) for which in one.trials] == [8]
    assert one.count is not None
    assert one.count.planned == 8


def test_without_a_judged_trial_there_is_no_table() -> None:
    held = study({"ann": {"s1": "u"}})
    assert build(held, "full") is None
    assert why_not(held).startswith("no agent has a judged trial")
    assert why_not(small()) == ""
