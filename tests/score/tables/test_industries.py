from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.industries import INDUSTRIES
from replaylab.score.slices import slices
from replaylab.score.tables.industries import build, column_keys, why_not
from replaylab.score.value import Layout
from tests.score.studies import Outcomes, scenario, study
from tests.score.tables.look import cell, keys, notes, text, texts

HEALTH, TRADE, TECH = "Healthcare & Life Sciences", "Commerce & Consumer", "Technology & IT"
WHERE = {
    "h1": scenario("h1", HEALTH),
    "h2": scenario("h2", HEALTH),
    "c1": scenario("c1", TRADE),
    "t1": scenario("t1", TECH),
}


def small(**fields: object) -> Study:
    conditions: dict[str, dict[str, Outcomes]] = {
        "bob": {"t1": "pp", "h1": "pf", "h2": "p", "c1": "fff"},
        "ann": {"t1": "fp", "h1": "pp", "h2": "f", "c1": "pef"},
        "cat": {"t1": "ff", "h1": "ff", "h2": "f", "c1": "ffm"},
        "ann|E1": {"t1": "ff", "h1": "ff", "h2": "f", "c1": "fff"},
    }
    return study(conditions, scenarios=WHERE).model_copy(update=fields)


def test_the_average_is_pooled_and_ties_go_by_name() -> None:
    table = build(small(), "full")
    assert table is not None
    assert keys(table) == ["agent", "avg", "macro", "comm", "hlth", "tech"]
    assert texts(table) == [
        ["ann", "50.0", "50.0", "33.3", "66.7", "50.0"],
        ["bob", "50.0", "55.6", "0.0", "66.7", "100.0"],
        ["cat", "0.0", "0.0", "0.0", "0.0", "0.0"],
        ["tasks", "8", "", "3", "3", "2"],
    ]


def test_the_paper_layout_has_whole_percents_by_industry_and_no_macro() -> None:
    table = build(small(), "paper")
    assert table is not None
    assert [column.title for column in table.columns] == ["Model", "Avg", "Comm", "Hlth", "Tech"]
    assert texts(table) == [
        ["ann", "50.0", "33", "67", "50"],
        ["bob", "50.0", "0", "67", "100"],
        ["cat", "0.0", "0", "0", "0"],
    ]
    assert all(one.interval is None for row in table.rows for one in row)


def test_the_macro_mean_weighs_industries_alike() -> None:
    """bob: comm 0/3, hlth 2/3, tech 2/2."""
    assert cell(build(small(), "full"), "bob", "macro").value == 100 * 5 / 9


def test_every_tied_maximum_of_a_column_is_the_best() -> None:
    for layout in ("full", "paper"):
        table = build(small(), layout)
        best = {
            key: [agent for agent in ("ann", "bob", "cat") if cell(table, agent, key).best]
            for key in ("avg", "comm", "hlth", "tech")
        }
        assert best == {"avg": ["ann", "bob"], "comm": ["ann"], "hlth": ["ann", "bob"], "tech": ["bob"]}


def test_rounded_ties_are_none() -> None:
    held = study({"ann": {"s1": "p" * 201 + "ff"}, "bob": {"s1": "p" * 200 + "fff"}})
    table = build(held, "paper")
    assert texts(table, "tech") == [["99"], ["99"]]
    assert [cell(table, agent, "tech").best for agent in ("ann", "bob")] == [True, False]


def test_all_ten_industries_stand_in_their_order_and_unknown_ones_after_by_name() -> None:
    names = [industry.name for industry in INDUSTRIES]
    scenarios = {f"s{n}": scenario(f"s{n}", name) for n, name in enumerate(["Zoo", *reversed(names), "Art"])}
    table = build(study({"ann": dict.fromkeys(scenarios, "p")}, scenarios=scenarios), "paper")
    assert table is not None
    assert [column.title for column in table.columns] == [
        "Model", "Avg", "Agri", "Biz", "Comm", "Edu", "Hlth", "Ind", "Pub", "Sci", "Tech", "Trans", "Art", "Zoo",
    ]  # fmt: skip
    assert keys(table)[2:] == [*[industry.key for industry in INDUSTRIES], "Art", "Zoo"]


def test_two_industries_never_share_a_column() -> None:
    names = ["Science & Research", "sci", "macro"]
    found = column_keys(names)
    assert found["Science & Research"] == "sci"
    assert len(set(found.values()) - {"macro"}) == 3
    scenarios = {f"s{n}": scenario(f"s{n}", name) for n, name in enumerate(names)}
    table = build(study({"ann": {"s0": "pp", "s1": "pf", "s2": "ff"}}, scenarios=scenarios), "paper")
    assert table is not None
    assert sorted(texts(table)[0][2:]) == ["0", "100", "50"]
    assert len(set(keys(table))) == len(keys(table))


def test_an_agent_that_an_industry_lacks_has_an_empty_cell_there() -> None:
    held = study({"ann": {"h1": "pp", "c1": "ff"}, "bob": {"h1": "pf"}}, scenarios=WHERE)
    table = build(held, "full")
    assert texts(table) == [
        ["ann", "50.0", "50.0", "0.0", "100.0"],
        ["bob", "50.0", "50.0", "", "50.0"],
        ["tasks", "4", "", "2", "2"],
    ]
    assert cell(table, "bob", "comm").note == "no trials"
    assert cell(table, "bob", "macro").note == "mean of 1 of 2 industries"
    assert cell(table, "ann", "macro").note == ""


def test_an_agent_without_the_reference_condition_comes_last_and_empty() -> None:
    held = study({"aaa|E1": {"h1": "p"}, "zoe|E0": {"h1": "f"}}, scenarios=WHERE).model_copy(
        update={"clean": "E0"}
    )
    layouts: tuple[tuple[Layout, int], ...] = (("full", 3), ("paper", 2))
    for layout, columns in layouts:
        table = build(held, layout)
        assert [row[0] for row in texts(table)][:2] == ["zoe", "aaa"]
        assert texts(table)[1][1:] == [""] * columns


def test_only_industries_of_the_reference_condition_have_columns() -> None:
    held = study({"ann": {"h1": "p"}, "ann|E1": {"c1": "p"}}, scenarios=WHERE)
    table = build(held, "paper")
    assert table is not None
    assert keys(table) == ["agent", "avg", "hlth"]


def test_a_missing_trial_lies_in_the_denominator_of_its_industry() -> None:
    table = build(small(), "full")
    found = cell(table, "cat", "comm").count
    assert found is not None
    assert (found.failed, found.missing, found.planned) == (2, 1, 3)
    assert cell(table, "cat", "comm").note.startswith("1 missing")
    decided = build(small(denominator="decided"), "full")
    assert text(decided, "ann", "comm") == "50.0"
    assert text(decided, "ann", "avg") == "57.1"


def test_missing_trials_of_unknown_scenarios_have_their_own_column_and_count_in_the_average() -> None:
    table = build(study({"ann": {"h1": "pp", "?a": "mm"}}, scenarios=WHERE), "full")
    assert table is not None
    assert keys(table) == ["agent", "avg", "macro", "hlth", "?"]
    assert texts(table)[0] == ["ann", "50.0", "100.0", "100.0", "0.0"]
    assert cell(table, "ann", "macro").note == "without 2 trials of no known industry"


def test_declared_denominators_hold_for_their_cell_alone_and_are_named() -> None:
    held = small(declared={"cat|comm": 2, "ann|hlth": 4, "nobody|all": 3})
    for layout in ("full", "paper"):
        table = build(held, layout)
        assert text(table, "ann", "hlth") in ("50.0", "50")
        assert text(table, "ann", "avg") == "50.0"
        assert "Declared denominators: ann|hlth = 4, cat|comm = 2." in notes(table)
    assert text(build(held, "full"), "ann", "macro") == "44.4"


def test_slices_too_small_to_test_are_named() -> None:
    text = notes(build(small(), "full"))
    assert (
        "Not testable, too few scenarios for any p below 0.05: Comm (1 scenario, p >= 1), Hlth (2 scenarios, p >= 0.5)"
        in text
    )
    wide = study({"ann": {f"s{n}": "pf" for n in range(6)}})
    assert "too few scenarios" not in notes(build(wide, "full"))


def test_numbers_name_their_trials() -> None:
    held = small()
    table = build(held, "full")
    sliced = slices(held)
    for key, trials in (("avg", 8), ("comm", 3), ("hlth", 3), ("tech", 2)):
        one = cell(table, "ann", key)
        assert [len(sliced.select(which)) for which in one.trials] == [trials]
        assert {trial.agent for trial in sliced.select(one.trials[0])} == {"ann"}
    assert len(sliced.select(cell(table, "tasks", "hlth").trials[0])) == 9


def test_without_a_judged_trial_there_is_no_table() -> None:
    layouts: tuple[Layout, ...] = ("full", "paper")
    held = study({"ann": {"s1": "u"}})
    assert [build(held, layout) for layout in layouts] == [None, None]
    assert why_not(held).startswith("no agent has a judged trial")
    assert why_not(small()) == ""
    elsewhere = study({"ann|E1": {"s1": "p"}}).model_copy(update={"clean": "E0"})
    assert build(elsewhere, "full") is None
