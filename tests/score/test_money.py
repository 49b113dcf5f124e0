from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replaylab.schema.model import ModelSettings, Player
from replaylab.score.facts import CassetteFacts, Spent
from replaylab.score.money import Money, Prices, Tab, Tally, dollars, total
from tests.score.studies import study

PRICES: Prices = {"vendor-large": (Decimal("2.50"), Decimal(10), Decimal("0.25"))}


def model(name: str = "vendor-large", player: Player = "llm") -> ModelSettings:
    return ModelSettings(alias="mine", model=name, player=player)


def spent(prompt: int, completion: int, cached: int = 0) -> Spent:
    return Spent(
        calls=1, attempts=1, prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached
    )


def cost(used: Spent, player: ModelSettings, prices: Prices) -> Money:
    tally = Tally(player)
    tally.add(used)
    return tally.cost(prices)


def test_tokens_cost_what_the_list_says() -> None:
    # 600 fresh at 2.50, 400 cached at 0.25, 100 completed at 10, each for a million
    assert cost(spent(1000, 100, 400), model(), PRICES).known == Fraction(1500 + 100 + 1000, 1_000_000)


def test_cached_tokens_cost_like_others_where_they_have_no_price() -> None:
    prices: Prices = {"vendor-large": (Decimal(2), Decimal(10), None)}
    assert cost(spent(1000, 0, 400), model(), prices).known == Fraction(2, 1000)


def test_more_cached_tokens_than_prompt_tokens_are_not_paid() -> None:
    assert cost(spent(100, 0, 400), model(), PRICES).known == Fraction(25, 1_000_000)


def test_an_alias_with_a_price_goes_before_the_name_of_the_model() -> None:
    prices: Prices = {**PRICES, "mine": (Decimal(1), Decimal(1), None)}
    assert cost(spent(1000, 0), model(), prices).known == Fraction(1, 1000)


def test_an_unknown_price_is_unknown_money() -> None:
    money = cost(spent(1000, 100), model("other"), PRICES)
    assert money.known is None
    assert money.text == "unknown"
    assert money.unknown == {"mine": "no price is known"}


def test_unknown_money_makes_the_sum_unknown_and_keeps_what_is_known() -> None:
    whole = total([Money(Fraction(1)), Money(unknown={"a": "?"}), Money(Fraction(2))])
    assert whole.known is None
    assert whole.usd == 3


def test_a_program_is_free() -> None:
    assert cost(spent(1000, 100), model("other", "program"), PRICES).known == 0


def test_a_human_is_not_free() -> None:
    assert cost(spent(0, 0), model("other", "human"), PRICES).known is None


def test_a_role_that_was_never_called_costs_nothing_at_any_price() -> None:
    assert cost(Spent(), model("other"), PRICES).known == 0


def test_calls_without_a_token_count_have_an_unknown_cost() -> None:
    money = cost(spent(0, 0), model(), PRICES)
    assert money.known is None
    assert money.unknown == {"mine": "no tokens were reported"}


def test_calls_without_a_token_count_stay_unknown_beside_others() -> None:
    tally = Tally(model())
    tally.add(spent(1000, 100))
    tally.add(spent(0, 0))
    assert tally.cost(PRICES).known is None
    assert tally.cost(PRICES).usd == Fraction(3500, 1_000_000)


@given(st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 9999), st.integers(0, 12000)), max_size=5))
def test_the_cost_of_a_sum_is_the_sum_of_the_costs(trials: list[tuple[int, int, int]]) -> None:
    together = Tally(model())
    for used in trials:
        together.add(spent(*used))
    assert together.cost(PRICES).usd == sum(cost(spent(*used), model(), PRICES).usd for used in trials)


def facts(**more: Any) -> CassetteFacts:
    (trial,) = study({"ann": {"s": "p"}}, more=lambda key, outcome: more).trials
    assert trial.facts is not None
    return trial.facts


def test_a_tab_is_kept_by_role() -> None:
    prices: Prices = {
        "vendor/ann": (Decimal(1), Decimal(1), None),
        "vendor/sim": (Decimal(2), Decimal(2), None),
    }
    tab = Tab()
    for _ in range(2):
        tab.add(facts(spent={"agent": spent(10, 0), "simulator": spent(10, 0), "verifier": Spent()}))
    assert {role: money.usd * 1_000_000 for role, money in tab.by_role(prices).items()} == {
        "agent": 20,
        "simulator": 40,
    }
    alone = Tab()
    alone.add(facts(spent={"agent": spent(10, 0), "simulator": spent(10, 0)}), ["agent"])
    assert list(alone.by_role(prices)) == ["agent"]


def test_a_role_that_nobody_is_named_for_is_unknown() -> None:
    tab = Tab()
    tab.add(facts(spent={"judge": spent(10, 0)}))
    assert tab.by_role({})["judge"].known is None


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (Fraction(0), "0.00"),
        (Fraction(1), "1.00"),
        (Fraction(12345, 10), "1234.50"),
        (Fraction(1005, 1000), "1.00"),  # half to even, which a binary float would not see
        (Fraction(1015, 1000), "1.02"),
        (Fraction(1, 8), "0.1250"),
        (Fraction(1, 10**6), "<0.0001"),
        (Fraction(-1, 10**6), "-<0.0001"),
        (Fraction(-5, 4), "-1.25"),
    ],
)
def test_dollars_are_printed_half_to_even_and_never_as_nothing(amount: Fraction, text: str) -> None:
    assert dollars(amount) == text


@given(st.fractions(min_value=0, max_value=10**6))
def test_printed_dollars_are_within_half_a_unit(amount: Fraction) -> None:
    text = dollars(amount)
    if not text.startswith("<"):
        unit = Fraction(1, 10 ** len(text.partition(".")[2]))
        assert abs(Fraction(text) - amount) <= unit / 2
