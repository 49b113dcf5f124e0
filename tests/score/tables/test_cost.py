from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from replaylab.score.facts import Spent, Study
from replaylab.score.money import Prices
from replaylab.score.tables.cost import build, why_not
from replaylab.score.value import Selector
from tests.score.studies import model, study
from tests.score.tables.look import cell, keys, notes, text, texts

# A million tokens cost 1 USD (input) and 10 USD (output), whoever plays.
PRICES: Prices = {
    f"vendor/{name}": (Decimal(1), Decimal(10), None) for name in ("ann", "bob", "sim", "judge")
}
MILLION = 1_000_000


def spent(prompt: int = MILLION, completion: int = 0, **more: Any) -> Spent:
    return Spent(
        **({"calls": 1, "attempts": 1, "prompt_tokens": prompt, "completion_tokens": completion} | more)
    )


def played(
    conditions: Mapping[str, Mapping[str, str]], by_role: Mapping[str, Spent] | None = None, **fields: Any
) -> Study:
    return study(conditions, more=lambda key, outcome: {"spent": by_role or {"agent": spent()}}, **fields)


TWO = {"ann": {"s1": "pp", "s2": "pf"}, "bob": {"s1": "pf", "s2": "ff"}}


def test_everything_is_added_up_over_roles_and_trials() -> None:
    by_role = {
        "agent": spent(100, 10, calls=2, attempts=3, wall_ms=1500),
        "simulator": spent(50, 5, wall_ms=250),
        "verifier": spent(7, 1, calls=3, attempts=5, wall_ms=0.5),
    }
    table = build(played(TWO, by_role), "full", PRICES)
    assert table is not None
    assert keys(table) == [
        "agent",
        "trials",
        "calls",
        "retries",
        "prompt_tokens",
        "completion_tokens",
        "wall_s",
        "money",
        "money_per_solved",
    ]
    # Four trials an agent: 6 calls, 3 retries, 157 + 16 tokens each, 1.7505 seconds, 157 + 160 millionths of a dollar.
    assert texts(table) == [
        ["ann", "4", "24", "12", "628", "64", "7.0", "0.0013", "0.0004"],
        ["bob", "4", "24", "12", "628", "64", "7.0", "0.0013", "0.0013"],
        ["total", "8", "48", "24", "1256", "128", "14.0", "0.0025", "0.0006"],
    ]
    assert "By role, in USD: agent 0.0016, simulator 0.0008, verifier 0.0001." in notes(table)


def test_money_per_solved_is_the_money_of_all_trials_over_those_that_passed() -> None:
    table = build(played(TWO), "full", PRICES)
    assert [cell(table, name, "money").value for name in ("ann", "bob")] == [4, 4]
    assert [cell(table, name, "money_per_solved").value for name in ("ann", "bob")] == pytest.approx(
        [4 / 3, 4]
    )


def test_failed_and_errored_trials_cost_and_missing_ones_are_not_recorded() -> None:
    table = build(played({"ann": {"s1": "pfem"}}), "full", PRICES)
    assert texts(table, "trials", "money", "money_per_solved")[0] == ["3", "3.00", "3.00"]


def test_an_unknown_price_is_unknown_money_everywhere_and_is_named() -> None:
    prices = {"vendor/ann": PRICES["vendor/ann"]}
    table = build(played(TWO), "full", prices)
    assert (text(table, "ann", "money"), text(table, "ann", "money_per_solved")) == ("4.00", "1.33")
    for row in ("bob", "total"):
        for key in ("money", "money_per_solved"):
            assert cell(table, row, key).text == "unknown"
            assert cell(table, row, key).value is None
    assert cell(table, "total", "money").note == "bob: no price is known; without it 4.00 USD"
    assert "Unknown, and not taken for nothing: bob (no price is known)." in notes(table)


def test_a_simulator_without_a_price_makes_the_trial_unknown() -> None:
    prices = {"vendor/ann": PRICES["vendor/ann"]}
    made = played({"ann": {"s1": "p"}}, {"agent": spent(), "simulator": spent()})
    table = build(made, "full", prices)
    assert text(table, "ann", "money") == "unknown"
    assert "By role, in USD: agent 1.00, simulator unknown." in notes(table)


def test_programs_are_free_and_said_to_be_programs() -> None:
    made = played({"ann": {"s1": "p"}}, models={"ann": model("ann", player="program")})
    table = build(made, "full", {})
    assert (text(table, "ann", "money"), text(table, "ann", "money_per_solved")) == ("0.00", "0.00")
    assert "Played by programs, not LLMs: ann (agent)." in notes(table)


def test_money_per_solved_has_an_interval_where_scenarios_can_be_drawn() -> None:
    many = {f"s{number}": "pppf" if number % 2 else "ppff" for number in range(30)}
    table = build(played({"ann": many}), "full", PRICES)
    interval = cell(table, "ann", "money_per_solved").interval
    assert interval is not None
    assert 4 / 3 < interval.low < 1.6 < interval.high < 2
    assert interval.note == ""
    assert build(played({"ann": many}), "full", PRICES) == table


def test_agents_are_resampled_together() -> None:
    many = {f"s{number}": "pppf" if number % 2 else "ppff" for number in range(30)}
    table = build(played({"ann": many, "bob": many}), "full", PRICES)
    assert cell(table, "ann", "money_per_solved").interval == cell(table, "bob", "money_per_solved").interval


def test_few_scenarios_are_said_and_one_has_no_interval() -> None:
    two = cell(
        build(played({"ann": {"s1": "pppf", "s2": "ppff"}}), "full", PRICES), "ann", "money_per_solved"
    )
    assert two.interval is not None
    assert two.interval.note == "2 scenarios are few: too narrow"
    one = cell(build(played({"ann": {"s1": "pppf"}}), "full", PRICES), "ann", "money_per_solved")
    assert (one.interval, one.note) == (None, "no interval: fewer than two scenarios")


def test_where_draws_have_no_passed_trial_there_is_no_interval() -> None:
    table = build(played({"ann": {"s1": "p", "s2": "f"}}), "full", PRICES)
    shown = cell(table, "ann", "money_per_solved")
    assert shown.text == "2.00"
    assert shown.interval is None
    assert shown.note == "no interval: on many draws of scenarios no trial passed"


def test_an_agent_that_solved_nothing_has_no_money_per_solved() -> None:
    shown = cell(build(played({"ann": {"s1": "ff"}}), "full", PRICES), "ann", "money_per_solved")
    assert (shown.text, shown.value, shown.note) == ("", None, "no trial passed")


def test_other_conditions_are_in_a_row_of_their_own() -> None:
    table = build(played({"ann": {"s1": "p"}, "ann|E1": {"s1": "pp"}}), "full", PRICES)
    assert texts(table, "agent", "trials", "money") == [
        ["ann", "1", "1.00"],
        ["total", "1", "1.00"],
        ["all conditions", "3", "3.00"],
    ]
    assert cell(table, "all conditions", "money").trials == (Selector(),)


def test_an_agent_without_recorded_trials_has_empty_cells() -> None:
    made = played({"ann": {"s1": "p"}, "bob": {"s1": "m"}})
    shown = cell(build(made, "full", PRICES), "bob", "money")
    assert (shown.text, shown.note) == ("", "no recorded trials")


def test_copied_lanes_and_further_tries_are_said() -> None:
    made = played({"ann": {"s1": "pp"}})
    first, second = made.trials
    assert first.facts is not None
    copied = first.model_copy(
        update={"facts": first.facts.model_copy(update={"mode": "rejudge"}), "tries": 3}
    )
    told = notes(build(made.model_copy(update={"trials": (copied, second)}), "full", PRICES))
    assert "1 trial holds copied lanes" in told
    assert "Further tries of trials, not in these sums: 2." in told


def test_without_calls_there_is_no_table() -> None:
    made = study({"ann": {"s1": "p"}})
    assert build(made, "full", PRICES) is None
    assert why_not(made) == "no call is recorded, so what the trials cost is not known"


def test_tokens_that_nobody_counted_and_times_that_nobody_took_are_unknown() -> None:
    table = build(played(TWO, {"agent": spent(0, 0)}), "full", PRICES)
    assert table is not None
    found = cell(table, 0, "prompt_tokens")
    assert (found.text, found.value, found.note) == (
        "unknown",
        None,
        "4 trials without a count of all tokens",
    )
    assert cell(table, 0, "wall_s").text == "unknown"


def test_a_sum_that_lacks_some_counts_says_of_how_many_trials() -> None:
    table = build(played(TWO, {"agent": spent(5, wall_ms=1000), "simulator": spent(0)}), "full", PRICES)
    assert table is not None
    found = cell(table, 0, "prompt_tokens")
    assert (found.text, found.note) == ("20", "4 trials without a count of all tokens")
    assert cell(table, 0, "wall_s").note == "4 trials without all times"
