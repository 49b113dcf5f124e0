"""What a model's tokens cost, from the price list that comes with `genai-prices`; nothing is ever fetched.

Prices are US dollars per million tokens, as exact decimals. A model that the list doesn't know has no price, and a
cost that would need it is unknown rather than zero.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from replaylab.schema.base import Frozen
from replaylab.schema.interaction import Usage

if TYPE_CHECKING:
    from replaylab.cli.config import ModelConfig

MILLION = Decimal(1_000_000)


class Step(Frozen):
    """Prices of a request whose prompt has more than `above` tokens; they hold for all of its tokens."""

    above: int = Field(ge=0)
    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)


class Price(Frozen):
    """Dollars per million tokens. `cached` is for prompt tokens that the server took from its cache.

    `steps` are dearer prices of long prompts, by rising `above`. `source` says where the price comes from: `list`,
    `config`, or `none` for a program, which costs nothing.
    """

    input: Decimal = Field(ge=0)
    output: Decimal = Field(ge=0)
    cached: Decimal | None = Field(default=None, ge=0)
    steps: tuple[Step, ...] = ()
    source: Literal["list", "config", "none"] = "config"

    def cost(self, usage: Usage) -> Decimal:
        """Dollars for one answer. Reasoning tokens are part of the completion tokens, as OpenAI counts them."""
        reached = [step for step in self.steps if usage.prompt_tokens > step.above]
        rate = reached[-1] if reached else self
        cached = min(usage.cached_tokens, usage.prompt_tokens)
        cached_price = rate.input if rate.cached is None else rate.cached
        total = (usage.prompt_tokens - cached) * rate.input + cached * cached_price
        return (total + usage.completion_tokens * rate.output) / MILLION


FREE = Price(input=Decimal(0), output=Decimal(0), cached=Decimal(0), source="none")


def price_of(model: ModelConfig, overrides: Mapping[str, Price], now: datetime) -> Price | None:
    """The price of a model at the time `now` (with a zone); None when it is unknown.

    A price in the model's own settings comes first, then `[prices]` by the model's name, then the list. Programs are
    free.
    """
    if model.price is not None:
        return model.price
    if model.settings.model in overrides:
        return overrides[model.settings.model]
    if model.settings.player != "llm":
        return FREE
    return _listed(model.settings.model, model.base_url, now)


def _listed(model: str, base_url: str, now: datetime) -> Price | None:
    # Imported here: the list alone costs a quarter of a second.
    from genai_prices.data_snapshot import get_snapshot

    try:
        _, info = get_snapshot().find_provider_model(model, None, None, base_url)
    except LookupError:
        return None
    prices = info.get_prices(now)
    listed = [getattr(prices, name, None) for name in ("input_mtok", "output_mtok", "cache_read_mtok")]
    first = [_at(value, None) for value in listed]
    if first[0] is None or first[1] is None:
        return None
    starts = sorted({tier.start for value in listed for tier in getattr(value, "tiers", ())})
    steps = [
        {"above": start} | dict(zip(_FIELDS, (_at(value, start) for value in listed), strict=True))
        for start in starts
    ]
    return Price.model_validate(dict(zip(_FIELDS, first, strict=True)) | {"steps": steps, "source": "list"})


_FIELDS = ("input", "output", "cached")


def _at(value: Any, start: int | None) -> Decimal | None:
    """A listed price for prompts longer than `start` tokens (None: for short ones)."""
    tiers = getattr(value, "tiers", None)
    if tiers is None:
        return value if isinstance(value, Decimal) else None
    reached = [tier for tier in tiers if start is not None and tier.start <= start]
    price = max(reached, key=lambda tier: tier.start).price if reached else value.base
    return price if isinstance(price, Decimal) else None
