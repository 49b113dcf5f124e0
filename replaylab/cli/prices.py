"""What a model's tokens cost, from the price list that comes with `genai-prices`; nothing is ever fetched.

Prices are US dollars per million tokens, as exact decimals. A model that the list doesn't know has no price, and a
cost that would need it is unknown rather than zero.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Mapping
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from replaylab.cli.config import ModelConfig
from replaylab.cli.price import Price
from replaylab.cli.progress import UNKNOWN

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


def no_price(models: Iterable[ModelConfig], overrides: Mapping[str, Price]) -> str:
    """What is said in place of a cost that is not known: a server of one's own has no price until one is set."""
    unset = [
        one
        for one in models
        if one.settings.player == "llm" and one.price is None and one.settings.model not in overrides
    ]
    return "no price set" if unset and all(_is_local(one.base_url) for one in unset) else UNKNOWN


def _is_local(base_url: str) -> bool:
    host = urlsplit(base_url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:  # a name
        return host == "localhost" or host.endswith((".localhost", ".local"))


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
