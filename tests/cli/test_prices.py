from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from replaylab.cli.config import ModelConfig, load
from replaylab.cli.price import Price, Step
from replaylab.cli.prices import no_price, price_of
from replaylab.schema.interaction import Usage
from replaylab.schema.model import ModelSettings
from tests.cli.conftest import process

NOW = datetime(2026, 12, 1, tzinfo=UTC)
MILLION = 1_000_000


def model(name: str, base_url: str, price: Price | None = None) -> ModelConfig:
    return ModelConfig(
        settings=ModelSettings(alias="x", model=name), base_url=base_url, price=price, source="config"
    )


def usage(prompt: int, completion: int, cached: int = 0) -> Usage:
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)


def test_a_cost_is_exact() -> None:
    price = Price(input=Decimal("0.1"), output=Decimal("0.2"))
    assert price.cost(usage(3, 0)) == Decimal("0.0000003")
    assert sum((price.cost(usage(1, 1)) for _ in range(10)), Decimal()) == Decimal("0.000003")


def test_cached_tokens_are_part_of_the_prompt_and_cheaper() -> None:
    price = Price(input=Decimal(10), output=Decimal(0), cached=Decimal(1))
    assert price.cost(usage(MILLION, 0, cached=MILLION // 2)) == Decimal("5.5")


def test_without_a_price_for_cached_tokens_they_cost_like_others() -> None:
    assert Price(input=Decimal(10), output=Decimal(0)).cost(usage(MILLION, 0, cached=MILLION)) == 10


def test_more_cached_tokens_than_prompt_never_give_a_negative_cost() -> None:
    assert Price(input=Decimal(10), output=Decimal(0), cached=Decimal(0)).cost(usage(5, 0, cached=9)) == 0


def test_a_long_prompt_costs_its_step_for_all_tokens() -> None:
    steps = (
        Step(above=100, input=Decimal(2), output=Decimal(3)),
        Step(above=200, input=Decimal(4), output=Decimal(5)),
    )
    price = Price(input=Decimal(1), output=Decimal(1), steps=steps)
    costs = [price.cost(usage(prompt, 0)) * MILLION for prompt in (100, 101, 200, 201)]
    assert costs == [100, 202, 400, 804]


@pytest.mark.parametrize("name", ["gemini", "gpt", "claude", "deepseek"])
def test_ready_made_models_have_a_price_in_the_list(name: str) -> None:
    price = price_of(load(None).models[name], {}, NOW)
    assert price is not None
    assert price.source == "list"
    assert 0 < price.input < price.output


def test_a_listed_price_is_that_of_the_list() -> None:
    found = price_of(model("gpt-4o-mini", "https://api.openai.com/v1"), {}, NOW)
    assert found is not None
    assert (found.input, found.output, found.cached) == (Decimal("0.15"), Decimal("0.6"), Decimal("0.075"))


def test_listed_steps_are_kept() -> None:
    found = price_of(
        model("gemini-2.5-pro", "https://generativelanguage.googleapis.com/v1beta/openai/"), {}, NOW
    )
    assert found is not None
    assert [step.above for step in found.steps] == [200_000]
    assert found.steps[0].input > found.input


@pytest.mark.parametrize(
    ("name", "base_url"),
    [
        ("no-such-model", "https://api.openai.com/v1"),
        ("gpt-4o-mini", "https://unknown.example/v1"),
        ("gpt-4o-mini", "http://127.0.0.1:8080/v1"),
    ],
)
def test_what_the_list_does_not_know_has_no_price_and_not_zero(name: str, base_url: str) -> None:
    assert price_of(model(name, base_url), {}, NOW) is None


def test_a_models_own_price_beats_the_files_which_beats_the_list() -> None:
    own, file = Price(input=Decimal(1), output=Decimal(1)), Price(input=Decimal(2), output=Decimal(2))
    url = "https://api.openai.com/v1"
    assert price_of(model("gpt-4o-mini", url, own), {"gpt-4o-mini": file}, NOW) == own
    assert price_of(model("gpt-4o-mini", url), {"gpt-4o-mini": file}, NOW) == file


def test_programs_are_free() -> None:
    price = price_of(load(None).models["twin"], {}, NOW)
    assert price is not None
    assert price.cost(usage(MILLION, MILLION)) == 0


def test_looking_up_a_price_touches_no_network_and_starts_no_thread(tmp_path: Path) -> None:
    code = """
import sys, threading
events = []
sys.addaudithook(lambda event, args: events.append(event) if event.startswith("socket.") else None)
from datetime import UTC, datetime
from replaylab.cli.config import load
from replaylab.cli.prices import no_price, price_of
for model in load(None).models.values():
    price_of(model, {}, datetime(2026, 12, 1, tzinfo=UTC))
assert "genai_prices" in sys.modules
print(events, threading.active_count())
"""
    ended = process("-c", code, cwd=tmp_path)
    assert ended.stdout.decode() == "[] 1\n", ended.stderr.decode()


@pytest.mark.parametrize(
    ("base_urls", "said"),
    [
        (["http://127.0.0.1:8080/v1"], "no price set"),
        (["http://localhost:1/v1", "http://[::1]/v1", "http://192.168.0.7/v1"], "no price set"),
        (["https://api.example.com/v1"], "cost unknown"),
        (["http://127.0.0.1/v1", "https://api.example.com/v1"], "cost unknown"),
        ([], "cost unknown"),
    ],
)
def test_only_a_server_of_ones_own_has_no_price_set(base_urls: list[str], said: str) -> None:
    assert no_price([model("m", url) for url in base_urls], {}) == said


def test_a_model_with_a_price_does_not_make_a_cost_unknown() -> None:
    price = Price(input=Decimal(1), output=Decimal(1))
    local, far = model("m", "http://127.0.0.1/v1"), model("far", "https://api.example.com/v1")
    assert no_price([local, far.model_copy(update={"price": price})], {}) == "no price set"
    assert no_price([local, far], {"far": price}) == "no price set"
