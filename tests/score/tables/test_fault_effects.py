from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.stats.many import holm
from replaylab.score.tables.fault_effects import build, pairs_of, why_not
from tests.score.studies import Outcomes, study
from tests.score.tables.look import cell, keys, notes, texts

EIGHT = [f"s{n}" for n in range(8)]


def small() -> Study:
    """ann loses 8 scenarios to E1, 7 to E2 and 3 to E3; bob has no E3."""
    conditions: dict[str, dict[str, Outcomes]] = {
        "ann|E0": dict.fromkeys(EIGHT, "pf"),
        "bob|E0": dict.fromkeys(EIGHT, "pp"),
        "ann|E1": dict.fromkeys(EIGHT, "ff"),
        "bob|E1": dict.fromkeys(EIGHT, "pp"),
        "ann|E2": {name: "pf" if name == "s0" else "ff" for name in EIGHT},
        "bob|E2": {name: "fp" if name == "s0" else "pp" for name in EIGHT},
        "ann|E3": {name: "ff" if name < "s3" else "pf" for name in EIGHT},
    }
    return study(conditions)


def test_each_agent_has_the_clean_plan_against_the_others_and_e3_against_e2() -> None:
    table = build(small(), "full")
    assert table is not None
    assert keys(table) == ["agent", "pair", "difference", "p", "p_holm", "mcnemar", "discordant", "testable"]
    assert texts(table, "agent", "pair", "difference", "discordant") == [
        ["ann", "E0-E1", "50.0", "8 v 0"],
        ["ann", "E0-E2", "43.8", "7 v 0"],
        ["ann", "E0-E3", "18.8", "3 v 0"],
        ["ann", "E3-E2", "25.0", "5 v 1"],
        ["bob", "E0-E1", "0.0", "0 v 0"],
        ["bob", "E0-E2", "6.2", "1 v 0"],
        ["bob", "E0-E3", "", ""],
        ["bob", "E3-E2", "", ""],
    ]


def test_p_is_of_scenarios_mcnemar_of_tasks_and_holm_over_what_is_testable() -> None:
    table = build(small(), "full")
    ps = [cell(table, number, "p").value for number in range(4)]
    # E3 against E2: six scenarios differ, one of them the other way; 2 (1 + 6) of the 64 sign vectors are as extreme.
    assert ps == [2 / 2**8, 2 / 2**7, None, 14 / 64]
    tested = [ps[0], ps[1], ps[3]]
    assert [cell(table, number, "p_holm").value for number in (0, 1, 3)] == holm(tested)
    assert cell(table, 2, "mcnemar").value == 0.25
    assert texts(table, "p", "p_holm", "testable")[2] == ["not testable"] * 3
    assert (
        cell(table, 2, "testable").note
        == "only 3 scenarios differ of 8: smallest attainable p 0.25; 6 would have to"
    )
    assert "one family of 3 tests: every agent and pair of plans in this table" in notes(table)
    assert "Not testable: 3 of 6 comparisons" in notes(table)


def test_what_an_agent_has_not_played_is_empty_and_says_so() -> None:
    table = build(small(), "full")
    for number in (6, 7):
        assert texts(table)[number][2:] == [""] * 6
        assert cell(table, number, "difference").note == "no trials under E3"
        assert cell(table, number, "difference").value is None


def test_the_difference_has_its_interval_in_points() -> None:
    one = cell(build(small(), "full"), 1, "difference")
    assert one.value == 43.75
    assert one.interval is not None
    assert one.interval.low < 43.75 < one.interval.high <= 100
    assert [which.faults for which in one.trials] == ["E0", "E2"]


def test_one_scenario_is_not_testable() -> None:
    held = study({"ann|E0": {"s1": "p" * 30}, "ann|E1": {"s1": "f" * 30}})
    table = build(held, "full")
    assert texts(table, "difference", "p", "testable") == [["100.0", "not testable", "not testable"]]
    assert "Holm" not in notes(table)


def test_pairs_follow_the_spec_and_name_other_plans_too() -> None:
    held = study({f"ann|{plan}": {"s1": "p"} for plan in ("E2", "E0", "slow", "E3")})
    assert pairs_of(held) == (("E0", "E2"), ("E0", "slow"), ("E0", "E3"), ("E3", "E2"))
    two = study({f"ann|{plan}": {"s1": "p"} for plan in ("E0", "E3")})
    assert pairs_of(two) == (("E0", "E3"),)


def test_errors_are_no_passes_when_planned_and_leave_their_pair_when_decided() -> None:
    conditions = {"ann|E0": {"s1": "pppp"}, "ann|E1": {"s1": "pfee"}}
    assert texts(build(study(conditions), "full"), "difference", "discordant") == [["75.0", "3 v 0"]]
    decided = build(study(conditions, denominator="decided"), "full")
    assert texts(decided, "difference", "discordant") == [["50.0", "1 v 0"]]
    assert "2 that only one has left out" in cell(decided, 0, "difference").note


def test_no_task_in_common_leaves_the_table_out() -> None:
    held = study({"ann|E0": {"s1": "p"}, "ann|E1": {"s2": "p"}})
    assert build(held, "full") is None
    assert why_not(held) == "no agent has the same task under two fault plans"
    assert why_not(study({"ann": {"s1": "p"}})).startswith("needs trials with E0")
    assert why_not(small()) == ""


def test_the_paper_has_no_such_table() -> None:
    assert build(small(), "paper") is None
