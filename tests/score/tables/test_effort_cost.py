from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import pytest

from replaylab.schema.callpath import TrialKey
from replaylab.score.facts import Spent, Study
from replaylab.score.money import Prices
from replaylab.score.tables.effort_cost import build, why_not
from tests.score.studies import model, study
from tests.score.tables.look import cell, keys, text, texts

PRICES: Prices = {"g": (Decimal(1), Decimal(10), None)}
SIX = [f"s{number}" for number in range(6)]
MODELS = {name: model(name, effort=name).model_copy(update={"model": "g"}) for name in ("low", "high", "max")}


def played(letters: Mapping[str, str], tokens: Mapping[str, int]) -> Study:
    """Each trial takes a million prompt tokens times the agent's number, and the simulator a thousand times that."""

    def more(key: TrialKey, outcome: object) -> dict[str, Any]:
        each = tokens.get(key.condition.agent, 0)
        if not each:
            return {}
        used = Spent(calls=1, attempts=1, prompt_tokens=each * 1_000_000)
        return {"spent": {"agent": used, "simulator": used.model_copy(update={"prompt_tokens": 10**9})}}

    return study(
        {name: dict.fromkeys(SIX, word) for name, word in letters.items()},
        models=MODELS,
        more=more,
    )


LETTERS = {"low": "pffff", "high": "pppff", "max": "ppfff"}


def test_a_point_costs_the_further_money_over_the_further_points() -> None:
    table = build(played(LETTERS, {"low": 1, "high": 3, "max": 7}), "full", PRICES)
    assert table is not None
    assert keys(table) == ["model", "effort", "agent", "tokens", "money", "points", "money_per_point"]
    # 2 USD a trial more for 40 points: 5 USD for each further solved task, a point of 100 tasks.
    assert texts(table, "effort", "tokens", "money", "points", "money_per_point") == [
        ["low", "1000000", "1.00", "", ""],
        ["high", "3000000", "3.00", "40.0", "5.00"],
        ["max", "7000000", "7.00", "-20.0", ""],
    ]
    assert cell(table, 1, "money_per_point").value == pytest.approx(5)
    assert cell(table, 2, "money_per_point").note == "nothing gained"
    assert cell(table, 0, "money_per_point").note == "the first of its series"


def test_only_the_agents_own_tokens_count() -> None:
    assert text(build(played(LETTERS, {"low": 1, "high": 2}), "full", PRICES), 0, "tokens") == "1000000"


def test_a_gain_that_tests_do_not_support_is_doubted() -> None:
    letters = {"low": "pffff", "high": "pppff"}
    sure = cell(build(played(letters, {"low": 1, "high": 3}), "full", PRICES), 1, "money_per_point")
    assert sure.note == ""
    both = cell(build(played(LETTERS, {"low": 1, "high": 3}), "full", PRICES), 1, "money_per_point")
    assert both.note == "the gain is not supported: adjusted p is not below 0.05"


def test_a_cheaper_gain_is_negative() -> None:
    table = build(played({"low": "pffff", "high": "pppff"}, {"low": 3, "high": 1}), "full", PRICES)
    assert text(table, 1, "money_per_point") == "-5.00"


def test_unknown_prices_make_unknown_costs() -> None:
    table = build(played(LETTERS, {"low": 1, "high": 3, "max": 7}), "full", {})
    assert texts(table, "money", "money_per_point")[1] == ["unknown", "unknown"]
    assert cell(table, 1, "money").value is None
    assert cell(table, 1, "money_per_point").value is None
    assert "no price is known" in cell(table, 1, "money_per_point").note


def test_an_effort_without_recorded_calls_has_no_cost() -> None:
    table = build(played(LETTERS, {"low": 1}), "full", PRICES)
    assert texts(table, "tokens", "money", "points", "money_per_point")[1] == ["", "", "", ""]


def test_where_nothing_can_be_said_there_is_no_table() -> None:
    silent = played(LETTERS, {})
    assert build(silent, "full", PRICES) is None
    assert why_not(silent) == "no call of an agent is recorded, so what its effort costs is not known"
    alone = played({"low": "p"}, {"low": 1})
    assert why_not(alone) == "no model has two reasoning efforts (settings: effort)"
