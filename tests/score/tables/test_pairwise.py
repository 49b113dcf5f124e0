from __future__ import annotations

import pytest

from replaylab.score.facts import Study
from replaylab.score.tables.pairwise import build, why_not
from replaylab.score.value import Selector
from tests.score.studies import study
from tests.score.tables.look import cell, notes, text, texts

SIX = [f"s{number}" for number in range(6)]


def alike(letters: str, scenarios: list[str] = SIX) -> dict[str, str]:
    return dict.fromkeys(scenarios, letters)


def trio() -> Study:
    """ann beats bob and cat in each of six scenarios; bob and cat do the same."""
    return study({"bob": alike("pff"), "ann": alike("ppf"), "cat": alike("pff")})


def test_pairs_stand_in_the_order_of_ranks_the_better_first() -> None:
    assert texts(build(trio(), "full"), "a", "b", "difference") == [
        ["ann", "bob", "33.3"],
        ["ann", "cat", "33.3"],
        ["bob", "cat", "0.0"],
    ]


def test_the_p_is_of_sign_flips_and_holm_is_over_the_testable_pairs() -> None:
    table = build(trio(), "full")
    # All six scenarios point one way: 2 of 64 sign vectors.
    assert cell(table, 0, "p").value == pytest.approx(2 / 64)
    assert cell(table, 0, "p_holm").value == pytest.approx(2 * 2 / 64)
    assert "one family of 2 tests" in notes(table)
    assert "Not testable: 1 of 3 comparisons" in notes(table)


def test_mcnemar_stands_beside() -> None:
    table = build(trio(), "full")
    assert cell(table, 0, "discordant").text == "6 v 0"
    assert cell(table, 0, "mcnemar").value == pytest.approx(2 / 64)
    assert cell(table, 0, "mid_p").value == pytest.approx(1 / 64)


def test_only_an_adjusted_p_below_five_percent_supports_a_claim() -> None:
    # 2/64 alone is below 0.05; twice that is not.
    assert texts(build(trio(), "full"), "supported") == [["no"], ["no"], ["not testable"]]
    alone = study({"ann": alike("ppf"), "bob": alike("pff")})
    assert text(build(alone, "full"), 0, "supported") == "yes"


def test_five_scenarios_that_differ_are_not_testable_and_it_is_said_why() -> None:
    made = study({"ann": alike("p", SIX[:5]) | {"s6": "p"}, "bob": alike("f", SIX[:5]) | {"s6": "p"}})
    table = build(made, "full")
    for key in ("p", "p_holm", "supported"):
        assert text(table, 0, key) == "not testable"
        assert "smallest attainable p 0.0625" in cell(table, 0, key).note
    assert text(table, 0, "mcnemar") == "0.0625"


def test_whether_any_differ_is_said_first() -> None:
    # The reference case RC17: eight tasks, three agents, Q 5.2, p 0.0743.
    rows = [(1, 1, 0), (1, 1, 1), (0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (1, 1, 1), (1, 0, 0)]
    made = study(
        {
            agent: {f"s{task}": "fp"[row[number]] for task, row in enumerate(rows)}
            for number, agent in enumerate(("ann", "bob", "cat"))
        }
    )
    told = notes(build(made, "full"))
    assert "Cochran Q of 3 agents on the 8 tasks that all have: 5.2, p = 0.0743" in told
    assert told.index("Cochran Q") < told.index("Supported")


def test_a_supported_pair_among_agents_that_q_finds_alike_is_doubted() -> None:
    # Each scenario differs by one task, but within scenarios tasks go both ways: 18 v 12 for Q, 6 v 0 for sign flips.
    made = study({"ann": alike("pppff"), "bob": alike("fffpp")})
    shown = cell(build(made, "full"), 0, "supported")
    assert (shown.text, shown.note) == ("yes", "Cochran Q shows no difference among all agents")
    clear = study({"ann": alike("ppf"), "bob": alike("pff")})
    assert cell(build(clear, "full"), 0, "supported").note == ""


def test_errors_are_no_passes_and_both_sides_name_their_trials() -> None:
    made = study({"ann": alike("pp"), "bob": alike("pe")})
    shown = cell(build(made, "full"), 0, "difference")
    assert shown.text == "50.0"
    assert shown.trials == tuple(
        Selector(agent=agent, simulator="sim", verifier="judge", faults="E0") for agent in ("ann", "bob")
    )


def test_tasks_that_only_one_has_are_left_out_and_said() -> None:
    made = study({"ann": alike("pp"), "bob": alike("f")})
    shown = cell(build(made, "full"), 0, "difference")
    assert shown.text == "100.0"
    assert "6 that only one has left out" in shown.note


def test_repeats_are_averaged_before_anything_is_compared() -> None:
    once = study({"ann": alike("pf"), "bob": alike("ff")})
    again = study(
        {"ann": {name: ["ppp", "fff"] for name in SIX}, "bob": {name: ["fff", "fff"] for name in SIX}}
    )
    keys = ("difference", "p", "discordant")
    assert texts(build(once, "full"), *keys) == texts(build(again, "full"), *keys)


def test_one_agent_is_no_table() -> None:
    alone = study({"ann": alike("p"), "bob|E1": alike("p")})
    assert build(alone, "full") is None
    assert why_not(alone) == "it takes two agents under the reference condition, and there is ann"
