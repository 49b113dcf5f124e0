"""What trials cost, with prices that are passed in. An unknown price makes unknown money, never none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from replaylab.schema.model import ModelSettings
from replaylab.score.facts import CassetteFacts, Spent

# US dollars per million tokens (input, output, cached input), by alias or else by the name of the model. Where there is
# no price for cached input, it costs as much as any other.
Rates = tuple[Decimal, Decimal, Decimal | None]
Prices = Mapping[str, Rates]

MILLION = 1_000_000


@dataclass
class Money:
    """A sum. `usd` holds what is known; `unknown` says, by model, why something is missing from it."""

    usd: Fraction = Fraction(0)
    unknown: dict[str, str] = field(default_factory=dict)

    @property
    def known(self) -> Fraction | None:
        """The sum; None where a part of it is unknown."""
        return None if self.unknown else self.usd

    def add(self, other: Money) -> None:
        self.usd += other.usd
        self.unknown |= other.unknown

    @property
    def text(self) -> str:
        return "unknown" if self.unknown else dollars(self.usd)


def cost(spent: Spent, model: ModelSettings, prices: Prices) -> Money:
    """What a role cost in a trial. Programs are free; a human's time has no price here.

    An answer without a token count has an unknown cost: zero tokens for a call that was answered are no measurement.
    """
    if not spent.calls or model.player == "program":
        return Money()
    rates = prices.get(model.alias, prices.get(model.model))
    if rates is None:
        who = "a human's time has no price" if model.player == "human" else "no price is known"
        return Money(unknown={model.alias: who})
    if not spent.prompt_tokens and not spent.completion_tokens:
        return Money(unknown={model.alias: "no tokens were reported"})
    fresh, output = Fraction(rates[0]), Fraction(rates[1])
    cached_rate = fresh if rates[2] is None else Fraction(rates[2])
    cached = min(spent.cached_tokens, spent.prompt_tokens)
    total = (spent.prompt_tokens - cached) * fresh + cached * cached_rate
    return Money((total + spent.completion_tokens * output) / MILLION)


def cost_by_role(facts: CassetteFacts, prices: Prices) -> dict[str, Money]:
    """What each role of a trial cost, by role."""
    return {role: _of_role(facts, role, prices) for role in sorted(facts.spent)}


def _of_role(facts: CassetteFacts, role: str, prices: Prices) -> Money:
    player = facts.players.get(role)
    if player is None:
        return Money(unknown={role: "nobody is named who played it"}) if facts.spent[role].calls else Money()
    return cost(facts.spent[role], player, prices)


def total(parts: Iterable[Money]) -> Money:
    """The sum, with everything that is unknown in it."""
    whole = Money()
    for part in parts:
        whole.add(part)
    return whole


def dollars(amount: Fraction) -> str:
    """US dollars: two decimals from one dollar on, else four; a smaller amount is not printed as nothing."""
    digits = 2 if abs(amount) >= 1 else 4
    units = round(abs(amount) * 10**digits)  # half to even, exact on fractions
    sign = "-" if amount < 0 else ""
    if amount and not units:
        return f"{sign}<0.0001"
    return f"{sign}{units // 10**digits}.{units % 10**digits:0{digits}d}"
