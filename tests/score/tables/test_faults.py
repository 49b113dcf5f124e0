from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.stats.robustness import robustness
from replaylab.score.tables.faults import build, column_key, plans_of, why_not
from tests.score.studies import Outcomes, study
from tests.score.tables.look import cell, keys, notes, text, texts


def small(**fields: object) -> Study:
    """R: ann 2/6 over 5/6, bob 3/6 over 4/6, cat 0 over 2/6."""
    conditions: dict[str, dict[str, Outcomes]] = {
        "ann|E0": {"s1": "ppp", "s2": "ppf"},
        "bob|E0": {"s1": "ppp", "s2": "pff"},
        "cat|E0": {"s1": "ppf", "s2": "fff"},
        "ann|E1": {"s1": "ppp", "s2": "pff"},
        "bob|E1": {"s1": "ppp", "s2": "fff"},
        "cat|E1": {"s1": "ppf", "s2": "fff"},
        "ann|E2": {"s1": "pff", "s2": "pff"},
        "bob|E2": {"s1": "ppp", "s2": "pff"},
        "cat|E2": {"s1": "fff", "s2": "fff"},
        "ann|E3": {"s1": "ppf", "s2": "pff"},
        "bob|E3": {"s1": "ppp", "s2": "ppf"},
        "cat|E3": {"s1": "pff", "s2": "fff"},
    }
    return study(conditions).model_copy(update=fields)


def test_agents_go_by_r_and_the_averages_of_the_columns_come_last() -> None:
    """Average R: (2/5 + 3/4 + 0) / 3 = 0.3833; the ratio of the means is (6/18) / (11/18) = 0.5455."""
    table = build(small(), "full")
    assert table is not None
    assert keys(table) == ["agent", "E0", "E1", "E2", "E3", "R", "n"]
    assert texts(table) == [
        ["bob", "66.7", "50.0", "66.7", "83.3", "0.75", "6"],
        ["ann", "83.3", "66.7", "33.3", "50.0", "0.40", "6"],
        ["cat", "33.3", "33.3", "0.0", "16.7", "0.00", "6"],
        ["Avg", "61.1", "50.0", "33.3", "50.0", "0.38", ""],
    ]
    assert "R: min(E1, E2, E3) / E0, from counts and not from rounded rates." in notes(table)
    assert "Avg: means of the columns, R the mean of R; the ratio of the means is 0.55." in notes(table)


def test_the_average_r_is_the_mean_of_the_ratios() -> None:
    assert cell(build(small(), "full"), "Avg", "R").value == float((Fraction(2, 5) + Fraction(3, 4)) / 3)


def test_the_paper_layout_has_the_published_columns() -> None:
    table = build(small(), "paper")
    assert table is not None
    assert [column.title for column in table.columns] == ["Model", "E0", "E1", "E2", "E3", "Rob."]
    assert texts(table)[0] == ["bob", "66.7", "50.0", "66.7", "83.3", "0.75"]
    assert texts(table)[-1] == ["Avg", "61.1", "50.0", "33.3", "50.0", "0.38"]
    assert all(one.interval is None for row in table.rows for one in row)


def test_r_is_sorted_unrounded_and_ties_go_by_name() -> None:
    """ann 998/999 and cat 997/998 both print 1.00; bob ties with ann."""
    held = study(
        {
            "cat|E0": {"s": "p" * 998 + "f" * 2},
            "cat|E1": {"s": "p" * 997 + "f" * 3},
            "bob|E0": {"s": "p" * 999 + "f"},
            "bob|E1": {"s": "p" * 998 + "f" * 2},
            "ann|E0": {"s": "p" * 999 + "f"},
            "ann|E1": {"s": "p" * 998 + "f" * 2},
        }
    )
    table = build(held, "paper")
    assert texts(table, "agent", "R")[:3] == [["ann", "1.00"], ["bob", "1.00"], ["cat", "1.00"]]
    assert [cell(table, agent, "R").best for agent in ("ann", "bob", "cat")] == [True, True, False]


def test_r_comes_from_counts_and_not_from_rounded_rates() -> None:
    """153/245 is 0.6245; from the rounded rates it would be 40.1/64.1 = 0.6256."""
    held = study({"k|E0": {"s": "p" * 245 + "f" * 137}, "k|E3": {"s": "p" * 153 + "f" * 229}})
    assert texts(build(held, "paper"))[0] == ["k", "64.1", "40.1", "0.62"]


def test_the_interval_of_r_resamples_scenarios_and_its_bias_is_printed() -> None:
    held = small()
    one = cell(build(held, "full"), "ann", "R")
    expected = robustness([3, 2], [[3, 1], [1, 1], [2, 1]], [3, 3], held.draws, held.seed)
    assert one.interval is not None
    assert (one.interval.low, one.interval.high) == (expected.low, expected.high)
    assert expected.bias is not None
    assert one.note == f"bias of the minimum {expected.bias:.3f}"
    other = cell(build(small(seed=2, draws=50), "full"), "ann", "R").interval
    assert other is not None
    assert "seed 1" in notes(build(held, "full"))
    assert "seed 2" in notes(build(small(seed=2), "full"))


def test_all_agents_share_the_same_resamples() -> None:
    """bob lacks a scenario; what he has is drawn as it is for ann."""
    conditions: dict[str, dict[str, Outcomes]] = {
        f"{agent}|{plan}": dict.fromkeys(names, "pf" if plan == "E0" else "ff")
        for agent, names in (("ann", ["s0", "s1", "s2"]), ("bob", ["s1", "s2"]))
        for plan in ("E0", "E1")
    }
    conditions["ann|E1"]["s1"] = conditions["bob|E1"]["s1"] = "pf"
    held = study(conditions)
    expected = robustness([0, 1, 1], [[0, 1, 0]], [0, 2, 2], held.draws, held.seed)
    found = cell(build(held, "full"), "bob", "R").interval
    assert found is not None
    assert (found.low, found.high) == (expected.low, expected.high)


def test_repeats_are_averaged_before_r() -> None:
    """Task means: E0 1 and 0 (mean 1/2), E1 1/3 and 1/3; pooled trials would give 2/6 over 3/4."""
    held = study({"ann|E0": {"s1": ["ppp", "f"]}, "ann|E1": {"s1": ["pff", "pff"]}})
    assert texts(build(held, "full"))[0][1:4] == ["50.0", "33.3", "0.67"]


def test_errors_and_missing_trials_follow_the_rule() -> None:
    conditions = {"ann|E0": {"s1": "ppff", "s2": "pp"}, "ann|E1": {"s1": "pfee", "s2": "pm"}}
    planned = build(study(conditions), "full")
    assert texts(planned)[0] == ["ann", "66.7", "33.3", "0.50", "6"]
    assert cell(planned, "ann", "E1").note == "2 errors; 1 missing"
    decided = build(study(conditions, denominator="decided"), "full")
    assert texts(decided)[0] == ["ann", "66.7", "66.7", "1.00", "6"]


def test_an_agent_that_lacks_a_plan_has_an_empty_cell_no_r_and_no_part_in_the_means() -> None:
    held = study(
        {
            "ann|E0": {"s1": "pp"},
            "ann|E1": {"s1": "pf"},
            "bob|E0": {"s1": "pf"},
        }
    )
    table = build(held, "full")
    assert [row[:4] for row in texts(table)] == [
        ["ann", "100.0", "50.0", "0.50"],
        ["bob", "50.0", "", ""],
        ["Avg", "100.0", "50.0", "0.50"],
    ]
    assert cell(table, "bob", "E1").note == "no trials"
    assert cell(table, "bob", "R").note == "no rate under E1"
    assert {cell(table, "Avg", key).note for key in ("E0", "E1", "R")} == {"mean of 1 of 2 agents"}
    assert {one.agent for one in cell(table, "Avg", "E0").trials} == {"ann"}
    assert "the ratio of the means is 0.50" in notes(table)
    assert texts(build(held, "paper")) == [["ann", "100.0", "50.0", "0.50"], ["Avg", "100.0", "50.0", "0.50"]]


def test_no_pass_without_faults_is_no_r() -> None:
    held = study({"ann|E0": {"s1": "ff", "s2": "f"}, "ann|E1": {"s1": "pf", "s2": "f"}})
    table = build(held, "full")
    assert texts(table)[0] == ["ann", "0.0", "33.3", "", "3"]
    assert cell(table, "ann", "R").note == "no trial passed under E0"
    assert (text(table, "Avg", "R"), cell(table, "Avg", "R").note) == ("", "no R")
    assert "ratio" not in notes(table)


def test_one_scenario_has_no_interval_of_r() -> None:
    table = build(study({"ann|E0": {"s1": "pp"}, "ann|E1": {"s1": "pf"}}), "full")
    assert cell(table, "ann", "R").interval is None
    assert cell(table, "ann", "R").note == "one scenario, so no interval"


def test_scenarios_that_are_all_alike_have_no_interval_instead_of_a_sure_one() -> None:
    held = study({"ann|E0": {"s1": "pp", "s2": "pp"}, "ann|E1": {"s1": "pf", "s2": "pf"}})
    one = cell(build(held, "full"), "ann", "R")
    assert (one.text, one.interval) == ("0.50", None)
    assert one.note.startswith("every resample gives the same, so no interval")


def test_resamples_without_a_clean_pass_are_said() -> None:
    held = study({"ann|E0": {"s1": "pp", "s2": "ff"}, "ann|E1": {"s1": "pf", "s2": "pf"}})
    assert "% of the resamples have no clean rate" in cell(build(held, "full"), "ann", "R").note


def test_declared_denominators_make_r_and_leave_no_interval() -> None:
    held = study(
        {"ann|E0": {"s1": "pp", "s2": "ff"}, "ann|E1": {"s1": "pf", "s2": "ff"}},
        declared={"ann|E1": 2, "ann|all": 3},
    )
    table = build(held, "full")
    assert texts(table)[0] == ["ann", "50.0", "50.0", "1.00", "4"]
    assert cell(table, "ann", "R").interval is None
    assert cell(table, "ann", "R").note == "declared denominators, so no interval"
    assert "Declared denominators: ann|E1 = 2." in notes(table)


def test_r_is_over_the_published_plans_and_others_only_stand_beside() -> None:
    held = study(
        {
            "ann|E0": {"s1": "pp"},
            "ann|slow": {"s1": "ff"},
            "ann|E2": {"s1": "pf"},
        }
    )
    full, paper = build(held, "full"), build(held, "paper")
    assert texts(full)[0] == ["ann", "100.0", "0.0", "50.0", "0.50", "2"]
    assert texts(paper)[0] == ["ann", "100.0", "50.0", "0.50"]
    assert "Rob.: min(E2) / E0" in notes(paper)
    assert "Rob. of other plans than E1, E2, E3 is not comparable with theirs." in notes(paper)
    assert "not comparable" not in notes(build(small(), "full"))


def test_without_published_plans_r_is_over_what_there_is() -> None:
    held = study({"ann|E0": {"s1": "pp"}, "ann|slow": {"s1": "pf"}, "ann|semantic": {"s1": "pp"}})
    assert plans_of(held, "paper").disturbed == ("slow", "semantic")
    table = build(held, "paper")
    assert texts(table)[0] == ["ann", "100.0", "50.0", "100.0", "0.50"]


def test_plans_stand_in_the_order_of_the_spec() -> None:
    held = study({"ann|E3": {"s": "p"}, "ann|E0": {"s": "p"}, "ann|E1": {"s": "p"}})
    table = build(held, "full")
    assert table is not None
    assert keys(table) == ["agent", "E3", "E0", "E1", "R", "n"]
    assert "R: min(E3, E1) / E0" in notes(table)


def test_another_clean_plan_is_what_r_is_over() -> None:
    table = build(small(clean="E1"), "full")
    assert texts(table)[0][0] == "bob"
    assert cell(table, "bob", "R").value == pytest.approx(4 / 3)
    assert "R: min(E2, E3) / E1" in notes(table)


def test_plans_with_other_tasks_are_said() -> None:
    held = study({"ann|E0": {"s1": "ppp"}, "ann|E1": {"s1": "pp"}})
    one = cell(build(held, "full"), "ann", "n")
    assert (one.text, one.note) == ("3", "other tasks by plan: E0 3, E1 2")


def test_a_plan_never_takes_another_columns_key() -> None:
    assert [column_key(name) for name in ("E1", "R", "n", "agent")] == [
        "E1",
        "plan R",
        "plan n",
        "plan agent",
    ]


def test_every_tied_maximum_is_the_best_and_the_average_never() -> None:
    table = build(small(), "paper")
    assert [cell(table, agent, "E1").best for agent in ("ann", "bob", "cat", "Avg")] == [
        True,
        False,
        False,
        False,
    ]
    assert [cell(table, agent, "R").best for agent in ("ann", "bob", "cat", "Avg")] == [
        False,
        True,
        False,
        False,
    ]


def test_numbers_name_their_trials() -> None:
    held = small()
    table = build(held, "full")
    sliced = slices(held)
    assert {t.faults for t in sliced.select(cell(table, "ann", "E2").trials[0])} == {"E2"}
    assert [which.faults for which in cell(table, "ann", "R").trials] == ["E0", "E1", "E2", "E3"]
    assert {t.agent for t in sliced.select(cell(table, "Avg", "E1").trials[0])} == {"ann", "bob", "cat"}


@settings(max_examples=30)
@given(data=st.data())
def test_r_is_the_worst_rate_over_the_clean_one(data: st.DataObject) -> None:
    letters = {plan: data.draw(st.text("pfem", min_size=4, max_size=4)) for plan in ("E0", "E1", "E2", "E3")}
    held = study({f"ann|{plan}": {"s1": text[:2], "s2": text[2:]} for plan, text in letters.items()})
    one = cell(build(held, "full"), "ann", "R")
    clean, *others = (text.count("p") for text in letters.values())
    if not clean:
        assert one.value is None
        return
    assert one.value == float(Fraction(min(others), clean))
    if one.interval is not None:
        assert one.interval.low <= one.interval.high


def test_it_needs_a_clean_plan_and_another_one() -> None:
    held = study({"ann|E1": {"s1": "p"}, "ann|E2": {"s1": "p"}}).model_copy(update={"clean": "E0"})
    assert build(held, "full") is None
    assert why_not(held) == "needs trials with E0 and with another fault plan; there are E1, E2"
    alone = study({"ann": {"s1": "p"}})
    assert build(alone, "paper") is None
    assert why_not(alone) == "needs trials with E0 and with another fault plan; there are E0"
    other = study({"ann|E0": {"s1": "p"}, "ann|E1|two": {"s1": "p"}})
    assert why_not(other) == "needs trials with E0 and with another fault plan; there are E0"
    assert why_not(small()) == ""
