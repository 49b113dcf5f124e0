"""The numbers of a reason, and whether they come from somewhere: state, arguments, contract, or one step of arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction

from replaylab.checks.prose import quantities, quantity
from replaylab.diff.contract import Contract
from replaylab.diff.identity import key_of, words
from replaylab.diff.observed import leaves
from replaylab.schema.base import Json

_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?!\d)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_CAP = re.compile(
    r"\b(?:limited to|at most|no more than|maximum of|max of|only|cap of|quota of|up to|at least|minimum of|every|once|twice)\s+"
    r"(?P<number>one|two|three|four|five|six|seven|eight|nine|ten|once|twice)\b"
    r"|\b(?P<per>one|two|three|four|five|once|twice|single)(?: \w+){0,3} (?:per|each|every|a|an) "
    r"(?:day|shift|hour|week|month|request|session|user|patient|order|customer|cycle|turn|ticket|night|visit|year|quarter)\b",
    re.IGNORECASE,
)
_TRIVIAL = frozenset({Fraction(0), Fraction(1), Fraction(100)})
_MANY = 80


def figures(text: str) -> list[Fraction]:
    """The numbers that a reason states, identifiers, dates and times left out."""
    return [found.value for found in quantities(text)]


def times(text: str) -> list[str]:
    """The times of day and the dates that a text states."""
    return [*_TIME.findall(text), *_DATE.findall(text)]


def caps(text: str) -> list[str]:
    """Where a text sets a limit in words: "one per shift", "limited to two"."""
    return [match[0] for match in _CAP.finditer(text)]


def numbers_in(node: Json) -> Iterator[Fraction]:
    """Every number of a value, those inside texts too."""
    for _, _, value in leaves(node):
        number = quantity(value) if not isinstance(value, str) or len(value) <= 60 else None
        if number is not None:
            yield number
        if isinstance(value, str):
            yield from (found.value for found in quantities(value, words=True))
            yield from (Fraction(int(part)) for part in words(value) if part.isdigit() and len(part) < 10)


class Figures:
    """The numbers that one call may speak of. `near` are those of the arguments and of the things that they name."""

    def __init__(self, contract: Contract, near: Iterable[Json], seen: Iterable[Json]) -> None:
        environment = contract.environment
        self._near = frozenset(number for one in near for number in numbers_in(one))
        state = frozenset(numbers_in(environment.initial_state))
        told = [one.text for one in contract.sentences]
        schemas = [tool.parameters for tool in environment.tools]
        contract_numbers = frozenset(numbers_in(told)) | frozenset(numbers_in(schemas))
        self._known = (
            self._near | state | contract_numbers | frozenset(n for one in seen for n in numbers_in(one))
        )
        self._counts = frozenset(Fraction(len(one.entities)) for one in contract.collections)
        self._others = frozenset(sorted(state)[:_MANY])

    def grounded(self, number: Fraction) -> bool:
        """Whether a number is known, is a share of one, or follows from two by one step of arithmetic."""
        number = abs(number)
        if number in _TRIVIAL or number in self._known or -number in self._known or number in self._counts:
            return True
        if number / 100 in self._known or number * 100 in self._known:
            return True
        if any(_rounds_to(one, number) for one in self._known):
            return True
        return any(_rounds_to(one, number) for one in self._derived())

    def _derived(self) -> Iterator[Fraction]:
        for near in sorted(self._near):
            for other in sorted(self._near | self._others):
                yield from (near + other, abs(near - other), near * other)
                if other:
                    yield near / other
                    yield near / other * 100
                if near:
                    yield other / near


def _rounds_to(exact: Fraction, said: Fraction) -> bool:
    """Whether `said` is `exact` to at most two decimals."""
    return exact == said or (
        exact.denominator > 1 and any(round(exact, places) == said for places in (0, 1, 2))
    )


def known_times(contract: Contract, nodes: Iterable[Json]) -> frozenset[str]:
    """The dates and times that stand in the contract, the arguments or what was seen."""
    texts = [value for node in (contract.environment.initial_state, *nodes) for _, _, value in leaves(node)]
    texts += [one.text for one in contract.sentences]
    return frozenset(part for text in texts if isinstance(text, str) for part in times(text))


def is_time_known(part: str, known: frozenset[str]) -> bool:
    """Whether a time or date stands somewhere, seconds left out."""
    return any(key_of(part[:5]) == key_of(one[:5]) if ":" in part else part == one for one in known)
