"""Price: US dollars per million tokens, as exact decimals."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen
from replaylab.schema.interaction import Usage

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
