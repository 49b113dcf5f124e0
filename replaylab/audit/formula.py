"""Computes a published number again from others, in exact fractions, as the span of what it can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Literal, NamedTuple

from replaylab.audit.cells import Cell, Span
from replaylab.audit.tables import How, Ties
from replaylab.errors import UsageError

MOST_RANKED = 600
Basis = Literal["counts", "printed"]
"""From the numbers that can be behind the cells (whole tasks where they are known), or from what is printed."""


class Terms(NamedTuple):
    """What a formula takes. `over` is the divisor of a robustness score, or the cell whose rank is asked."""

    how: How
    of: tuple[Cell, ...]
    over: Cell | None = None
    ties: Ties = "detect"


def span_of(cell: Cell, basis: Basis) -> Span | None:
    """The numbers behind a cell, or the one that is printed."""
    value = cell.value
    if basis == "printed":
        return None if value is None else Span(value, value)
    return cell.span()


def evaluate(terms: Terms, basis: Basis) -> Span | None:
    """The span of the result, None where a cell has no number or a divisor can be 0."""
    spans = [span_of(cell, basis) for cell in terms.of]
    known = [one for one in spans if one is not None]
    if len(known) != len(spans) or not known:
        return None
    if terms.how == "pooled":
        return _pooled(terms.of, known)
    if terms.how == "rank":
        return _rank(terms, known, basis)
    if terms.how == "robustness":
        over = None if terms.over is None else span_of(terms.over, basis)
        return None if over is None else _divided(_each(min, known), over)
    return _plain(terms.how, known)


def _plain(how: How, spans: Sequence[Span]) -> Span | None:
    if how in ("mean", "sum"):
        total = _each(sum, spans)
        size = len(spans) if how == "mean" else 1
        return Span(total.low / size, total.high / size)
    if how in ("min", "max"):
        return _each(min if how == "min" else max, spans)
    if len(spans) != 2:
        return None
    a, b = spans
    if how == "difference":
        return Span(a.low - b.high, a.high - b.low)
    ratio = _divided(a, b)
    if how == "relative" and ratio is not None:
        return Span(100 * (ratio.low - 1), 100 * (ratio.high - 1))
    return ratio


def _each(of: Callable[[list[Fraction]], Fraction | int], spans: Sequence[Span]) -> Span:
    """A function that never falls where a part of it rises: its ends are those of its parts."""
    return Span(Fraction(of([one.low for one in spans])), Fraction(of([one.high for one in spans])))


def _divided(a: Span, b: Span) -> Span | None:
    """The quotient; both are rates, so nothing is negative where it matters."""
    if b.low <= 0:
        return None
    ends = [x / y for x in a for y in b]
    return Span(min(ends), max(ends))


def _pooled(cells: Sequence[Cell], spans: Sequence[Span]) -> Span | None:
    """The rate over all tasks: each part weighs by its number of tasks."""
    sizes = [cell.n for cell in cells]
    known = [n for n in sizes if n]
    if len(known) != len(sizes):
        return None
    whole = sum(known)
    low = sum((span.low * n for span, n in zip(spans, known, strict=True)), Fraction(0)) / whole
    high = sum((span.high * n for span, n in zip(spans, known, strict=True)), Fraction(0)) / whole
    return Span(low, high)


def _rank(terms: Terms, spans: Sequence[Span], basis: Basis) -> Span | None:
    """The competition rank of `over` among `of`: 1 + how many are better, surely and possibly."""
    own = None if terms.over is None else span_of(terms.over, basis)
    if own is None or terms.over is None:
        return None
    others = [one for one, cell in zip(spans, terms.of, strict=True) if cell.address != terms.over.address]
    surely = sum(one.low > own.high for one in others)
    possibly = sum(one.high > own.low for one in others)
    return Span(Fraction(1 + surely), Fraction(1 + possibly))


class Pair(NamedTuple):
    """Two names, and how each column orders them: 1, 0 or -1; None where that can't be told."""

    one: str
    other: str
    first: int | None
    second: int | None

    @property
    def agrees(self) -> bool | None:
        """None where a tie, or what can't be told, leaves it open."""
        if not self.first or not self.second:
            return None
        return self.first == self.second


def sign(a: Cell, b: Cell) -> int | None:
    """Which of two cells is larger, None where the numbers behind them leave it open."""
    one, other = a.span(), b.span()
    if one is None or other is None:
        return None
    # Spans of unknown numbers that touch: the one in common would have to print as both.
    apart = not one.exact and not other.exact and a.text != b.text and a.digits == b.digits
    if one.low > other.high or (apart and one.low == other.high):
        return 1
    if one.high < other.low or (apart and one.high == other.low):
        return -1
    return 0 if one.exact and one == other else None


def pairs_of(first: Sequence[Cell], second: Sequence[Cell]) -> list[Pair]:
    """All pairs of the rows that two columns share, in the order of the first. Raises UsageError for too many."""
    other = {cell.row: cell for cell in second}
    both = [(cell, other[cell.row]) for cell in first if cell.row in other]
    if len(both) > MOST_RANKED:
        raise UsageError(
            f"{len(both):,} rows of {both[0][0].table} in two orders, and {MOST_RANKED:,} are the most that are compared pair by pair",
            fix="leave rows out (`without`), or take the agreement out of the claims file",
        )
    return [Pair(a.row, b.row, sign(a, b), sign(x, y)) for (a, x), (b, y) in combinations(both, 2)]


class Agreed(NamedTuple):
    """How many pairs there are, how many stand in the same order and in the other, how many are tied or open."""

    pairs: int
    same: int
    other: int
    tied: int
    unclear: int

    def share(self, ties: Ties) -> Fraction | None:
        """The agreement in per cent under a rule for ties."""
        if ties == "leave_out":
            decided = self.same + self.other
            return Fraction(100 * self.same, decided) if decided else None
        if not self.pairs:
            return None
        half = Fraction(self.tied, 2) if ties == "half" else Fraction(0)
        return 100 * (self.same + half) / self.pairs


def agreed(pairs: Sequence[Pair]) -> Agreed:
    """Counts pairs by what two columns make of them."""
    unclear = [pair for pair in pairs if pair.first is None or pair.second is None]
    same = sum(pair.agrees is True for pair in pairs)
    other = sum(pair.agrees is False for pair in pairs)
    tied = len(pairs) - same - other - len(unclear)
    return Agreed(len(pairs), same, other, tied, len(unclear))
