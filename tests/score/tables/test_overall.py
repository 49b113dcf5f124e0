from __future__ import annotations

from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.stats.interval import clustered
from replaylab.score.tables.overall import build, why_not
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, texts

KEYS = ["agent", "k_n", "rate", "rank", "rank_interval", "error", "missing", "worst", "best"]


def small() -> Study:
    return study(
        {
            "cat": {"s1": "ppf", "s2": "pf"},
            "ann": {"s1": "ppf", "s2": "ep"},
            "bob": {"s1": "fff", "s2": "pm"},
            "dan": {"s1": "ppp", "s2": "pp"},
        }
    )


def test_agents_go_by_rate_and_ties_by_name() -> None:
    table = build(small(), "full")
    assert table is not None
    assert keys(table) == KEYS
    assert texts(table) == [
        ["dan", "5/5", "100.0", "1", "1–4", "0", "0", "100.0", "100.0"],
        ["ann", "3/5", "60.0", "2", "1–4", "1", "0", "60.0", "80.0"],
        ["cat", "3/5", "60.0", "2", "1–4", "0", "0", "60.0", "60.0"],
        ["bob", "1/5", "20.0", "4", "1–4", "0", "1", "20.0", "40.0"],
    ]
    assert [cell(table, agent, "rate").best for agent in ("dan", "ann", "cat")] == [True, False, False]


def test_the_interval_is_clustered_by_scenario_in_points() -> None:
    one = cell(build(small(), "full"), "cat", "rate")
    expected = clustered([[1, 1, 0], [1, 0]])
    assert one.interval is not None
    assert (one.interval.low, one.interval.high) == (100 * expected.low, 100 * expected.high)


def test_rank_intervals_come_from_the_paired_tests() -> None:
    outcomes = {f"a{n}": {f"s{s:02}": "pp" if s < 12 - 4 * n else "ff" for s in range(12)} for n in range(3)}
    table = build(study(outcomes), "full")
    assert [cell(table, f"a{n}", "rank_interval").text for n in range(3)] == ["1–2", "1–3", "2–3"]
    assert cell(table, "a0", "rank_interval").value == [1, 2]
    assert "p adjusted by Holm in one family of 1 tests: every pair of agents." in notes(table)
    assert "Not testable: 2 of 3 comparisons" in notes(table)
    assert "Cochran Q of 3 agents on the 24 tasks" in notes(table)


def test_a_rank_that_is_sure_is_one_number() -> None:
    held = study({"ann": {f"s{s}": "p" for s in range(9)}, "bob": {f"s{s}": "f" for s in range(9)}})
    assert texts(build(held, "full"), "rank", "rank_interval") == [["1", "1"], ["2", "2"]]


def test_an_agent_without_the_reference_condition_comes_last_with_empty_cells() -> None:
    held = study({"aaa|E1": {"s1": "p"}, "zoe|E0": {"s1": "f"}})
    table = build(held.model_copy(update={"clean": "E0"}), "full")
    assert texts(table) == [
        ["zoe", "0/1", "0.0", "1", "1", "0", "0", "0.0", "0.0"],
        ["aaa", "", "", "", "", "", "", "", ""],
    ]
    assert cell(table, "aaa", "rate").note == "no trials"
    assert cell(table, "aaa", "rank").note == "no rate, so no rank"


def test_only_errors_have_no_rate_when_errors_are_left_out_and_are_still_shown_apart() -> None:
    held = study({"ann": {"s1": "pf"}, "bob": {"s1": "em"}}, denominator="decided")
    table = build(held, "full")
    assert texts(table)[1] == ["bob", "", "", "", "", "1", "1", "0.0", "100.0"]
    assert cell(table, "bob", "rate").note == "no judged trials (1 error, 1 missing)"


def test_only_errors_are_a_rate_of_zero_when_planned() -> None:
    assert texts(build(study({"bob": {"s1": "em"}}), "full"))[0][1:3] == ["0/2", "0.0"]


def test_a_declared_denominator_is_used_and_named() -> None:
    held = study({"ann": {"s1": "ppfm"}}, declared={"ann|all": 3, "ann|edu": 9})
    table = build(held, "full")
    assert texts(table, "k_n", "rate", "worst", "best")[0] == ["2/3", "66.7", "50.0", "75.0"]
    assert "Declared denominators: ann|all = 3." in notes(table)


def test_the_reference_simulator_and_verifier_are_fixed() -> None:
    held = study({"ann": {"s1": "p"}, "ann|E0|two": {"s1": "f"}, "ann|E0|sim|other": {"s1": "f"}})
    assert texts(build(held, "full"), "k_n") == [["1/1"]]
    assert texts(build(held.model_copy(update={"sim": "two"}), "full"), "k_n") == [["0/1"]]


def test_one_agent_has_nothing_to_rank() -> None:
    table = build(study({"ann": {"s1": "p"}}), "full")
    assert texts(table, "rank", "rank_interval") == [["1", "1"]]
    assert "One agent: there is nothing to rank." in notes(table)
    assert "Holm" not in notes(table)


def test_numbers_name_their_trials() -> None:
    held = small()
    table = build(held, "full")
    assert cell(table, "ann", "error").trials[0].outcome == "error"
    assert cell(table, "ann", "rank").trials == (slices(held).reference(),)


def test_the_paper_has_no_such_table() -> None:
    assert build(small(), "paper") is None
    assert why_not(small()) == ""


def test_without_a_judged_trial_there_is_no_table() -> None:
    held = study({"ann": {"s1": "u"}})
    assert build(held, "full") is None
    assert why_not(held) == "no agent has a judged trial with sim, judge and E0"
