from __future__ import annotations

from fractions import Fraction

from replaylab.score.facts import Study
from replaylab.score.tables.simulators import build, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts


def small(**more: dict[str, str]) -> Study:
    return study(
        {
            "ann|E0|one": {"s1": "ppp", "s2": "pf"},
            "bob|E0|one": {"s1": "ppf", "s2": "pf"},
            "cat|E0|one": {"s1": "ppf", "s2": "pf"},
            "ann|E0|two": {"s1": "fff", "s2": "pf"},
            "bob|E0|two": {"s1": "ppf", "s2": "pf"},
            "cat|E0|two": {"s1": "ppp", "s2": "ff"},
        }
        | more
    )


def test_rows_follow_the_reference_simulator_and_ties_go_by_name() -> None:
    assert texts(build(small(), "full")) == [
        ["ann", "80.0", "1", "20.0", "3"],
        ["bob", "60.0", "2", "60.0", "1"],
        ["cat", "60.0", "2", "60.0", "1"],
    ]


def test_the_reference_simulator_is_the_studys() -> None:
    other = small().model_copy(update={"sim": "two"})
    assert [row[0] for row in texts(build(other, "paper"))] == ["bob", "cat", "ann"]


def test_the_columns_are_a_rate_and_a_rank_a_simulator() -> None:
    table = build(small(), "paper")
    assert table is not None
    assert keys(table) == ["agent", "one", "one_rank", "two", "two_rank"]
    assert [column.title for column in table.columns] == ["Model", "one CR", "one Rk", "two CR", "two Rk"]


def test_every_tied_maximum_is_the_best() -> None:
    table = build(small(), "full")
    assert [cell(table, agent, "two").best for agent in ("ann", "bob", "cat")] == [False, True, True]
    assert [cell(table, agent, "one").best for agent in ("ann", "bob", "cat")] == [True, False, False]


def test_ranks_after_a_tie_leave_a_gap() -> None:
    dan = {"dan|E0|one": {"s1": "pff", "s2": "ff"}, "dan|E0|two": {"s1": "fff", "s2": "ff"}}
    table = build(small(**dan), "full")
    assert [row[2] for row in texts(table)] == ["1", "2", "2", "4"]


def test_an_agent_that_a_simulator_lacks_has_no_rate_and_no_rank_there() -> None:
    table = build(small(**{"dan|E0|two": {"s1": "ppp", "s2": "pp"}}), "full")
    assert [row[0] for row in texts(table)] == ["ann", "bob", "cat", "dan"]
    assert (text(table, "dan", "one"), text(table, "dan", "one_rank")) == ("", "")
    assert cell(table, "dan", "one").value is None
    assert cell(table, "dan", "one").note == "no trials"
    assert text(table, "dan", "two") == "100.0"


def test_ranks_are_among_the_agents_that_every_simulator_played_with() -> None:
    alone = small(**{"dan|E0|one": {"s1": "ppp", "s2": "pp"}})
    table = build(alone, "full")
    assert [row[:3] for row in texts(table)] == [
        ["ann", "80.0", "1"],
        ["bob", "60.0", "2"],
        ["cat", "60.0", "2"],
        ["dan", "100.0", ""],
    ]
    assert cell(table, "dan", "one_rank").note == "not ranked: other simulators did not play with it"
    assert [row[0] for row in texts(build(alone, "paper"))] == ["ann", "bob", "cat"]


def test_where_no_agent_met_every_simulator_each_ranks_its_own() -> None:
    apart = study({"ann|E0|one": {"s1": "pp"}, "bob|E0|one": {"s1": "pf"}, "cat|E0|two": {"s1": "pf"}})
    table = build(apart, "full")
    assert [
        (text(table, name, "one_rank"), text(table, name, "two_rank")) for name in ("ann", "bob", "cat")
    ] == [
        ("1", ""),
        ("2", ""),
        ("", "1"),
    ]


def test_errors_and_missing_trials_are_no_passes_and_are_said() -> None:
    made = cell(build(small(**{"dan|E0|one": {"s1": "pem", "s2": "pp"}}), "full"), "dan", "one")
    assert made.text == "60.0"
    assert made.count is not None
    assert (made.count.error, made.count.missing) == (1, 1)
    assert made.note == "1 error; 1 missing"


def test_a_declared_denominator_counts_for_its_simulator_alone() -> None:
    made = small().model_copy(update={"declared": {"ann|one": 4}})
    table = build(made, "paper")
    assert (text(table, "ann", "one"), text(table, "ann", "two")) == ("100.0", "20.0")
    assert "ann|one = 4" in notes(table)


def test_each_rate_names_its_trials() -> None:
    assert cell(build(small(), "full"), "ann", "two").trials == (
        Selector(agent="ann", simulator="two", verifier="judge", faults="E0"),
    )


def test_other_fault_plans_and_verifiers_take_no_part() -> None:
    more = {"ann|E1|two": {"s1": "ppp"}, "ann|E0|two|strict": {"s1": "ppp"}}
    assert text(build(small(**more), "full"), "ann", "two") == "20.0"


def test_an_interval_stands_in_the_full_layout_alone() -> None:
    full = cell(build(small(), "full"), "ann", "one")
    assert full.interval is not None
    assert full.interval.low < float(Fraction(80)) < full.interval.high
    assert cell(build(small(), "paper"), "ann", "one").interval is None


def test_one_simulator_is_no_table() -> None:
    alone = study({"ann|E0|one": {"s1": "p"}, "ann|E1|two": {"s1": "p"}})
    assert build(alone, "full") is None
    assert why_not(alone) == "nothing to compare: one alone played with agents under judge and E0"


def test_an_agent_of_whose_trials_none_is_decided_has_a_row_and_no_rate() -> None:
    made = study({"ann|E0|one": {"s1": "p"}, "bob|E0|one": {"s1": "em"}, "ann|E0|two": {"s1": "p"}})
    table = build(made.model_copy(update={"denominator": "decided"}), "full")
    assert texts(table, "agent", "one", "one_rank") == [["ann", "100.0", "1"], ["bob", "", ""]]
    assert cell(table, "bob", "one").note == "no judged trials (1 error, 1 missing)"
