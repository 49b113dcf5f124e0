from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.score.tables.repeats import build, why_not
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts


def test_all_and_any_of_k_trials() -> None:
    # Tasks pass 3 of 3, 1 of 3, 0 of 3 times.
    table = build(study({"ann": {"s1": ["ppp", "pff"], "s2": ["fff"]}}), "full")
    assert table is not None
    assert keys(table) == ["agent", "tasks", "trials", "pass_1", "pass_k", "pass_at_k", "run_sd"]
    assert texts(table, "agent", "tasks", "trials", "pass_1", "pass_k", "pass_at_k") == [
        ["ann", "3", "9", "44.4", "33.3", "66.7"]
    ]
    assert [column.title for column in table.columns[3:6]] == [
        "pass@1",
        "pass^3 (all of 3)",
        "pass@3 (any of 3)",
    ]


def test_k_is_the_same_for_all_agents_and_unbiased_where_there_are_more_trials() -> None:
    # The reference case: 3 of 5 passed, any and all of 2.
    table = build(study({"ann": {"s1": ["ppfpf"]}, "bob": {"s1": ["pf"]}}), "full")
    assert (text(table, "ann", "pass_k"), text(table, "ann", "pass_at_k")) == ("30.0", "90.0")
    assert (text(table, "bob", "pass_k"), text(table, "bob", "pass_at_k")) == ("0.0", "100.0")
    assert "pass^2" in notes(table)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.text("pf", min_size=4, max_size=4)), min_size=1, max_size=3))
def test_the_chances_are_shares_of_all_ways_to_take_k(tasks: list[tuple[str]]) -> None:
    words = [word for (word,) in tasks]
    made = study({"ann": {"s1": words}, "bob": {"s1": ["pp"]}})
    every = [[word[i] + word[j] for i, j in combinations(range(4), 2)] for word in words]
    alls = [Fraction(sum(taken == "pp" for taken in ways), len(ways)) for ways in every]
    anys = [Fraction(sum("p" in taken for taken in ways), len(ways)) for ways in every]
    table = build(made, "full")
    assert cell(table, "ann", "pass_k").value == pytest.approx(float(sum(alls) / len(alls) * 100))
    assert cell(table, "ann", "pass_at_k").value == pytest.approx(float(sum(anys) / len(anys) * 100))


def test_errored_and_missing_trials_pass_in_no_case() -> None:
    table = build(study({"ann": {"s1": ["pe", "pp", "mp"]}}), "full")
    assert (text(table, "ann", "pass_k"), text(table, "ann", "trials")) == ("33.3", "6")


def test_decided_trials_alone_count_where_the_study_says_so() -> None:
    table = build(study({"ann": {"s1": ["pe", "pp", "fp"]}}, denominator="decided"), "full")
    shown = cell(table, "ann", "tasks")
    assert (shown.text, shown.note) == ("2", "1 task with fewer than 2 trials that count left out")
    assert text(table, "ann", "pass_k") == "50.0"


def test_intervals_are_clustered_by_scenario() -> None:
    one = build(study({"ann": {"s1": ["pp", "pp", "ff", "ff"]}}), "full")
    two = build(study({"ann": {"s1": ["pp", "pp"], "s2": ["ff", "ff"]}}), "full")
    assert cell(one, "ann", "pass_k").interval != cell(two, "ann", "pass_k").interval
    interval = cell(two, "ann", "pass_k").interval
    assert interval is not None
    assert 0 <= interval.low < 50 < interval.high <= 100


def test_the_spread_between_repeats_is_that_of_their_rates() -> None:
    # First trials pass 2 of 2, second ones 1 of 2: 100 and 50 points.
    table = build(study({"ann": {"s1": ["pp", "pf"]}}), "full")
    assert cell(table, "ann", "run_sd").value == pytest.approx(50 / sqrt(2))


@pytest.mark.parametrize("denominator", ["planned", "decided"])
def test_errored_and_missing_trials_are_no_noise_between_repeats(denominator: str) -> None:
    made = study({"ann": {"s1": ["pp", "pf", "fe", "pm"]}}, denominator=denominator)
    shown = cell(build(made, "full"), "ann", "run_sd")
    assert shown.value == pytest.approx(50 / sqrt(2))
    assert cell(build(made, "full"), "ann", "trials").note == "1 error, 1 missing"
    if denominator == "planned":
        assert shown.note == "over the 2 tasks whose trials are all decided"


def test_where_no_task_is_decided_in_all_trials_there_is_no_spread() -> None:
    shown = cell(build(study({"ann": {"s1": ["pm", "fe"]}}), "full"), "ann", "run_sd")
    assert (shown.text, shown.note) == ("", "no task has two trials or more that are all decided")


def test_agents_with_one_trial_a_task_are_not_in_it() -> None:
    made = study({"ann": {"s1": ["pp"]}, "bob": {"s1": "p"}})
    assert [row[0] for row in texts(build(made, "full"))] == ["ann"]


def test_without_repeats_there_is_no_table() -> None:
    made = study({"ann": {"s1": "pp"}})
    assert build(made, "full") is None
    assert why_not(made) == "no task was played twice under the reference condition"
