"""Whether the numbers of a reason come from somewhere: state, arguments, contract, or one step of arithmetic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction

from replaylab.diff.contract.contract import Contract
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import REST_WORDS
from replaylab.diff.words.observed import leaves
from replaylab.diff.words.sentences import split
from replaylab.diff.words.stated import Figure, numbers_in, times_in
from replaylab.schema.base import Json

_TRIVIAL = frozenset({Fraction(0), Fraction(1)})
_MANY = 80


class Figures:
    """The numbers that one call may speak of. `near` are the arguments and the things that they name, `seen` the numbers of
    earlier observations, `words` what the reason speaks of, and `own` the arguments and what
    they name by an id, which alone may set a bound.
    """

    def __init__(
        self,
        contract: Contract,
        near: Iterable[Json],
        about: Iterable[str],
        seen: Iterable[frozenset[Fraction]],
        words: frozenset[str] = frozenset(),
        own: Iterable[Json] = (),
    ) -> None:
        self._near = frozenset(number for one in near for number in numbers_in(one))
        self._tool = frozenset(number for one in about for number in numbers_in(one))
        self._own = frozenset(number for one in own for number in numbers_in(one))
        self._contract, self._words, self._seen = contract, words, frozenset[Fraction]().union(*seen)
        self._known = self._near | self._tool | contract.numbers | self._seen
        self._rates = contract.rates
        self._others = frozenset(contract.state_numbers[:_MANY]) | self._tool

    def is_known(self, number: Fraction) -> bool:
        """Whether a number stands somewhere, also as a percentage or rounded."""
        number = abs(number)
        # A share of 0.85 and 85 % are one; 200 is not a known 2.
        if number in _TRIVIAL or number in self._known or -number in self._known:
            return True
        if (number <= 100 and number / 100 in self._known) or (number < 1 and number * 100 in self._known):
            return True
        return any(_rounds_to(abs(one), number) for one in self._known)

    def is_near(self, number: Fraction) -> bool:
        """Whether a number stands in the arguments or in what they name."""
        return any(_rounds_to(abs(one), abs(number)) for one in self._near)

    def is_grounded(self, figure: Figure) -> bool:
        """Whether a figure is known, or follows from two others by one step. A bound is not worked out, unless it is said
        to be what remains.
        """
        if figure.is_bound and self._is_bound(abs(figure.value)):
            return True
        if not figure.is_bound and self.is_known(figure.value):
            return True
        if figure.is_bound and (not figure.worked_out or self._is_field_of_rest()):
            return False
        return any(_rounds_to(abs(one), abs(figure.value)) for one in self._derived())

    def _is_field_of_rest(self) -> bool:
        """Whether what is said to remain is a field of the state, whose value stands and is not worked out."""
        fields = (stems(key) for _, key, _ in leaves(self._contract.environment.initial_state))
        return any(one & REST_WORDS and (one - REST_WORDS) & self._words for one in fields)

    def _is_bound(self, number: Fraction) -> bool:
        """Whether a bound stands in the arguments, in what they name, or where the contract speaks of the same thing."""
        if number in self._own | self._tool | self._seen:
            return True
        return bool(self._contract.number_words.get(number, frozenset()) & self._words)

    def _derived(self) -> Iterator[Fraction]:
        for near in sorted(self._near):
            for other in sorted(self._near | self._others):
                yield from (near + other, near - other)
                # What a trade costs with its fee: a quantity at a price, and a rate of that.
                yield from (near * other * (1 + rate) for rate in self._rates)
                if (near > 1 and other > 1) or near.denominator > 1 or other.denominator > 1:
                    yield near * other
                if other:
                    yield near / other * 100


def _rounds_to(exact: Fraction, said: Fraction) -> bool:
    """Whether `said` is `exact` to at most two decimals."""
    return exact == said or (
        exact.denominator > 1 and any(round(exact, places) == said for places in (0, 1, 2))
    )


def known_times(contract: Contract, nodes: Iterable[Json]) -> frozenset[str]:
    """The dates and times that stand in the contract, the arguments or what was seen."""
    return contract.times.union(times_in(list(nodes)))


def is_time_known(part: str, known: frozenset[str]) -> bool:
    """Whether a time or date stands somewhere, seconds left out."""
    return any(key_of(part[:5]) == key_of(one[:5]) if ":" in part else part == one for one in known)


def days_told(contract: Contract, arguments: Json) -> Iterator[Fraction]:
    """The numbers of the sentences and of the arguments that speak of days: how far one date may lie from another."""
    for sentence in contract.sentences:
        if "day" in sentence.stems and len(split(sentence.text)) == 1:
            yield from numbers_in(sentence.text)
    for pointer, _, value in leaves(arguments):
        if "day" in stems(pointer):
            yield from numbers_in(value)


def is_days_off(part: str, known: Iterable[str], days: Iterable[Fraction]) -> bool:
    """Whether a date lies so many days from a known one: what is due 10 days after today."""
    day, apart = _ordinal(part), set(days)
    return bool(day) and any(abs(day - other) in apart for one in known if (other := _ordinal(one)))


def _ordinal(day: str) -> int:
    """The number of a day in the calendar; 0 for what is none."""
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0
