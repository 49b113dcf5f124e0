"""One published number, and which exact numbers can be behind it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor
from typing import NamedTuple, get_args

from replaylab.audit.tables import Unit, is_number
from replaylab.score.rounding import Rule, decimal
from replaylab.score.stats.grim import possible

RULES: tuple[Rule, ...] = get_args(Rule)
RULE_WORDS: dict[Rule, str] = {
    "half_even": "half to even",
    "half_up": "half away from zero",
    "half_down": "half towards zero",
    "down": "cut off",
    "up": "always away from zero",
}
Condition = tuple[tuple[str, str], ...]


class Span(NamedTuple):
    """The numbers from `low` to `high`."""

    low: Fraction
    high: Fraction

    @property
    def exact(self) -> bool:
        return self.low == self.high


@dataclass(frozen=True)
class Cell:
    """A cell with what its table says of it. `value` is the number that is printed, None where none is.

    `n` is what a rate is of; `tolerance` is set where the number was measured in a figure. `subject` is the name of its
    row; `summary` marks what was computed from other rows. `derived` is what the table's own formula gives, where that
    prints as the cell: an average of known counts is known better than its one digit says.
    """

    table: str
    row: str
    column: str
    text: str
    unit: Unit = "%"
    n: int | None = None
    tolerance: Fraction | None = None
    rule: Rule = "half_even"
    condition: Condition = ()
    summary: bool = False
    derived: Span | None = None

    @property
    def address(self) -> str:
        return f"{self.table} / {self.row} / {self.column}"

    @cached_property
    def value(self) -> Fraction | None:
        return number(self.text)

    @property
    def digits(self) -> int:
        return digits_of(self.text)

    def counts(self, n: int | None = None, rule: Rule | None = None) -> list[int] | None:
        """The numbers of passes that can be behind the cell; None where it is no rate of n tasks."""
        n = self.n if n is None else n
        value = self.value
        if value is None or n is None or self.unit != "%":
            return None
        if self.tolerance is None:
            return list(_possible(self.text, n, rule or self.rule))
        low = ceil((value - self.tolerance) * n / 100)
        high = floor((value + self.tolerance) * n / 100)
        return list(range(max(low, 0), min(high, n) + 1))

    def span(self) -> Span | None:
        """The numbers that can be behind the cell: by its counts where some fit, else all that print like it."""
        return self._span

    @cached_property
    def _span(self) -> Span | None:
        # Kept: whoever asks for the best of many asks each cell many times.
        if self.value is None:
            return None
        counts = self.counts()
        if counts and self.n:
            return Span(Fraction(100 * counts[0], self.n), Fraction(100 * counts[-1], self.n))
        return self.derived or self.printed_span()

    def printed_span(self) -> Span | None:
        """All numbers that print like the cell, whole tasks or not."""
        value = self.value
        if value is None:
            return None
        if self.unit in ("count", "rank"):
            return Span(value, value)
        if self.tolerance is not None:
            return Span(value - self.tolerance, value + self.tolerance)
        return around(value, self.digits, self.rule)

    def fraction(self) -> str:
        """The counts as text: `304/382`, `10 or 11/16`; the printed text where there are none."""
        counts = self.counts()
        if not counts or self.n is None:
            return self.text
        return f"{either([str(k) for k in counts])}/{self.n}"


@lru_cache(maxsize=100_000)
def _possible(text: str, n: int, rule: Rule) -> tuple[int, ...]:
    """The same few cells are asked again and again."""
    return tuple(possible(text, n, rule))


def number(text: str) -> Fraction | None:
    """The number that a text is, None where it is none. A minus may be typographic."""
    return Fraction(text.replace("−", "-")) if is_number(text) else None


def digits_of(text: str) -> int:
    """How many digits stand after the point."""
    return len(text.partition(".")[2])


def around(value: Fraction, digits: int, rule: Rule) -> Span:
    """What prints as this value; the ends may print otherwise, which is as near as a closed span comes."""
    step = Fraction(1, 10**digits)
    if rule in ("down", "up"):
        out, back = (step, 0 * step) if (rule == "down") == (value >= 0) else (0 * step, step)
        return Span(value - back, value + out)
    return Span(value - step / 2, value + step / 2)


def prints(span: Span, text: str, rule: Rule) -> bool:
    """Whether some number of the span is printed as this text. Printing never turns an order around."""
    said, digits = number(text), digits_of(text)
    if said is None:
        return False
    first, last = (Fraction(decimal(end, digits, rule)) for end in span)
    return first <= said <= last


def shown(span: Span, digits: int) -> str:
    """A span for a reader, with two digits more than are printed; a whole number as it is."""
    if span.exact and span.low.denominator == 1 and not digits:
        return str(span.low)
    low, high = (decimal(end, digits + 2) for end in span)
    return low if low == high else f"{low} to {high}"


def either(names: Sequence[str], limit: int = 4) -> str:
    """`a`, `a or b`, `a, b or c`; past the limit how many more there are."""
    kept = list(names[:limit])
    if len(names) > limit:
        kept.append("another one" if len(names) == limit + 1 else f"{len(names) - limit} others")
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} or {kept[-1]}" if kept else "nothing"


def listed(names: Sequence[str], limit: int = 12) -> str:
    """`a`, `a and b`, `a, b and c`; past the limit how many more there are."""
    kept = list(names[:limit])
    if len(names) > limit:
        kept.append(f"{len(names) - limit} more")
    return kept[0] if len(kept) == 1 else f"{', '.join(kept[:-1])} and {kept[-1]}" if kept else "none"


def plural(count: int, one: str, many: str = "") -> str:
    """`1 task`, `2 tasks`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
