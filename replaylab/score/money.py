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


@dataclass
class Tally:
    """What a model used, added up. `silent` counts trials in which it answered and no tokens were reported."""

    model: ModelSettings
    calls: int = 0
    fresh: int = 0
    cached: int = 0
    completion: int = 0
    silent: int = 0

    def add(self, spent: Spent) -> None:
        cached = min(spent.cached_tokens, spent.prompt_tokens)
        self.calls += spent.calls
        self.fresh += spent.prompt_tokens - cached
        self.cached += cached
        self.completion += spent.completion_tokens
        self.silent += not spent.is_counted

    def cost(self, prices: Prices) -> Money:
        """What that cost. Programs are free; a human's time has no price here.

        An answer without a token count has an unknown cost: no tokens for a call that was answered are no measurement.
        """
        model = self.model
        if not self.calls or model.player == "program":
            return Money()
        rates = prices.get(model.alias, prices.get(model.model))
        if rates is None:
            who = "a human's time has no price" if model.player == "human" else "no price is known"
            return Money(unknown={model.alias: who})
        fresh, output = Fraction(rates[0]), Fraction(rates[1])
        cached = fresh if rates[2] is None else Fraction(rates[2])
        usd = (self.fresh * fresh + self.cached * cached + self.completion * output) / MILLION
        return Money(usd, {model.alias: "no tokens were reported"} if self.silent else {})


class Tab:
    """What roles used in some trials. Tokens are added up before they are priced, as whole numbers."""

    def __init__(self) -> None:
        self._used: dict[tuple[str, str, str, str], Tally] = {}
        self._unnamed: set[str] = set()

    def add(self, facts: CassetteFacts, roles: Iterable[str] | None = None) -> None:
        """Counts a trial in: all of its roles, or some."""
        for role in facts.spent if roles is None else roles:
            spent, model = facts.spent.get(role), facts.players.get(role)
            if spent is None or not spent.calls:
                continue
            if model is None:
                self._unnamed.add(role)
                continue
            key = (role, model.alias, model.model, model.player)
            if key not in self._used:
                self._used[key] = Tally(model)
            self._used[key].add(spent)

    def by_role(self, prices: Prices) -> dict[str, Money]:
        """What each role cost."""
        money = {
            role: Money(unknown={role: "nobody is named who played it"}) for role in sorted(self._unnamed)
        }
        for (role, *_), tally in self._used.items():
            money.setdefault(role, Money()).add(tally.cost(prices))
        return money


def total(parts: Iterable[Money]) -> Money:
    """The sum, with everything that is unknown in it."""
    whole = Money()
    for part in parts:
        whole.add(part)
    return whole


def dollars(amount: Fraction) -> str:
    """US dollars: two decimals from one dollar on, else four; a smaller amount is not printed as nothing."""
    digits = 4 if 0 < abs(amount) < 1 else 2
    units = round(abs(amount) * 10**digits)  # half to even, exact on fractions
    sign = "-" if amount < 0 else ""
    if amount and not units:
        return f"{sign}<0.0001"
    return f"{sign}{units // 10**digits}.{units % 10**digits:0{digits}d}"
