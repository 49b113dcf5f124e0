from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replaylab.score.facts import Study
from replaylab.score.tables.agreement import build, why_not
from tests.score.studies import study
from tests.score.tables.look import cell, keys, notes, text, texts

# Passed tasks of 382 by agent, as published.
PUBLISHED = {
    "gemini": (304, 276, 273, 267, 266, 245, 239, 206),
    "qwen": (284, 262, 253, 236, 249, 200, 245, 209),
    "gpt": (162, 108, 128, 108, 113, 88, 90, 97),
}


def of_counts(counts: Mapping[str, tuple[int, ...]], tasks: int, **fields: Any) -> Study:
    """Agents that pass their first tasks, in scenarios of four tasks."""
    conditions = {}
    for simulator, passed in counts.items():
        for agent, k in enumerate(passed):
            letters = "p" * k + "f" * (tasks - k)
            cut = {f"s{start:03}": letters[start : start + 4] for start in range(0, tasks, 4)}
            conditions[f"a{agent}|E0|{simulator}"] = cut
    return study(conditions, **fields)


def test_the_published_counts_give_the_published_matrix() -> None:
    published = of_counts(PUBLISHED, 382)
    table = build(published, "full")
    assert texts(table, "a", "b", "pairs", "concordant", "discordant", "tied", "agreement", "half") == [
        ["gemini", "qwen", "28", "24", "4", "0", "85.7", "85.7"],
        ["gemini", "gpt", "28", "21", "6", "1", "75.0", "76.8"],
        ["qwen", "gpt", "28", "23", "4", "1", "82.1", "83.9"],
    ]
    assert [cell(table, row, "tau_b").value for row in range(3)] == pytest.approx(
        [0.7142857143, 0.5455447256, 0.6910233191]
    )
    assert [cell(table, row, "p").value for row in range(3)] == pytest.approx(
        [0.01413690476, 0.07976190476, 0.02003968254]
    )
    assert texts(build(published, "paper")) == [
        ["gemini", "qwen", "85.7"],
        ["gemini", "gpt", "75.0"],
        ["qwen", "gpt", "82.1"],
    ]


@pytest.mark.parametrize("layout", ["paper", "full"])
def test_the_tie_rule_is_named(layout: Any) -> None:
    table = build(of_counts({"one": (3, 2), "two": (3, 3)}, 8), layout)
    assert "equal rates under either simulator counts as disagreement" in notes(table)
    assert text(table, 0, "agreement") == "0.0"


def test_ties_count_half_beside() -> None:
    assert text(build(of_counts({"one": (3, 2), "two": (3, 3)}, 8), "full"), 0, "half") == "50.0"


def test_the_interval_draws_scenarios_for_both_simulators_at_once() -> None:
    # Under both simulators the same tasks are passed, so on every draw of scenarios both orders are the same.
    table = build(of_counts({"one": (40, 20, 4), "two": (40, 20, 4)}, 44), "full")
    interval = cell(table, 0, "agreement").interval
    assert interval is not None
    assert interval.high == 100
    assert interval.note == "11 scenarios are few: too narrow"
    assert (
        cell(build(of_counts({"one": (40, 20), "two": (40, 20)}, 44), "paper"), 0, "agreement").interval
        is None
    )


def test_an_interval_needs_two_scenarios() -> None:
    table = build(of_counts({"one": (3, 2), "two": (3, 1)}, 4), "full")
    made = cell(table, 0, "agreement")
    assert made.interval is None
    assert made.note == "no interval: fewer than two scenarios that all agents played with both"


def test_an_agent_that_one_of_them_lacks_is_left_out_and_named() -> None:
    made = study(
        {
            "ann|E0|one": {"s1": "ppp"},
            "bob|E0|one": {"s1": "pff"},
            "cat|E0|one": {"s1": "ppf"},
            "ann|E0|two": {"s1": "ppp"},
            "bob|E0|two": {"s1": "fff"},
        }
    )
    table = build(made, "full")
    assert text(table, 0, "pairs") == "1"
    assert "played with one of the two alone: cat" in cell(table, 0, "pairs").note


def test_few_agents_are_not_testable() -> None:
    p = cell(build(of_counts({"one": (4, 3, 2, 1), "two": (4, 3, 2, 1)}, 8), "full"), 0, "p")
    assert p.text == "not testable"
    assert p.note == "with 4 agents the smallest attainable p is 0.0833"
    assert (
        text(build(of_counts({"one": (5, 4, 3, 2, 1), "two": (5, 4, 3, 2, 1)}, 8), "full"), 0, "p")
        == "0.0167"
    )


def test_where_all_are_tied_there_is_no_order_to_test() -> None:
    table = build(of_counts({"one": (3, 3), "two": (4, 2)}, 8), "full")
    assert (text(table, 0, "tau_b"), text(table, 0, "p")) == ("", "")
    assert cell(table, 0, "p").note == "no order to compare"


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=2, max_size=5))
def test_every_pair_is_counted_once(passed: list[tuple[int, int]]) -> None:
    one, two = (tuple(pair[side] for pair in passed) for side in (0, 1))
    table = build(of_counts({"one": one, "two": two}, 6, draws=9), "full")
    signs = [
        ((a[0] > b[0]) - (a[0] < b[0])) * ((a[1] > b[1]) - (a[1] < b[1])) for a, b in combinations(passed, 2)
    ]
    counted = [cell(table, 0, key).value for key in ("pairs", "concordant", "discordant", "tied")]
    assert counted == [len(signs), signs.count(1), signs.count(-1), signs.count(0)]


def test_the_same_seed_gives_the_same_table() -> None:
    made = of_counts({"one": (9, 7, 3), "two": (8, 7, 5)}, 12)
    assert build(made, "full") == build(made, "full")


def test_one_simulator_or_one_agent_is_no_table() -> None:
    alone = study({"ann|E0|one": {"s1": "p"}, "bob|E0|one": {"s1": "p"}})
    assert build(alone, "full") is None
    assert why_not(alone) == "it takes two simulators under judge and E0, and there is 1"
    apart = study({"ann|E0|one": {"s1": "p"}, "bob|E0|two": {"s1": "p"}})
    assert build(apart, "full") is None
    assert why_not(apart) == "no two agents played with the same two simulators"


def test_the_paper_layout_has_the_published_numbers_alone() -> None:
    table = build(of_counts({"one": (3, 2), "two": (3, 3)}, 8), "paper")
    assert table is not None
    assert keys(table) == ["a", "b", "agreement"]
