"""The numbers of a reason, and whether they come from somewhere: state, arguments, contract, or one step of arithmetic."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import NamedTuple

from replaylab.checks.prose import Quantity, quantities, quantity
from replaylab.diff.contract import Contract
from replaylab.diff.identity import key_of, stems, words
from replaylab.diff.lexicon import BOUND_BEFORE, BOUND_NOUNS, WORKED_OUT
from replaylab.diff.observed import leaves
from replaylab.schema.base import Json

_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?!\d)")
_DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
_UNIT_OF_TIME = (
    r"(?:minute|hour|day|shift|week|month|request|session|user|patient|order|customer|cycle|turn|ticket|night|visit|year|"
    r"quarter|vehicle|household|person|item|step|call|trip|account|flight|orbit\w*|orbital day)"
)
_NUMBER = r"(?:one|two|three|four|five|six|seven|eight|nine|ten|once|twice|single)"
_AT_MOST = r"\b(?:limited to|restricted to|at most|no more than|maximum of|max of|cap of|quota of|limit of|only|up to|at least|minimum of)"
_PER = rf"(?:\W+[\w-]+){{0,4}}?\W+(?:per|each|every|a|an)\W+(?:[\w-]+\W+)?{_UNIT_OF_TIME}\b"
_CAP = re.compile(rf"{_AT_MOST}\s+{_NUMBER}\b|\b{_NUMBER}\b{_PER}", re.IGNORECASE)
_RATE = re.compile(rf"{_AT_MOST}\s+(\d+{_PER})", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)")
_NEAR, _FOLLOWING = 5, 3  # words before and after a number among which the one stands that makes it a bound
_TRIVIAL = frozenset({Fraction(0), Fraction(1)})
_MANY = 80


class Figure(NamedTuple):
    """A number of a reason. A bound is what is not to be passed; `worked_out` is set where it is said to follow from
    others, such as what remains.
    """

    value: Fraction
    text: str
    is_bound: bool
    worked_out: bool


def figures(text: str) -> list[Figure]:
    """The numbers that a reason states, identifiers, dates and times left out."""
    return [_figure(text, found) for found in quantities(text)]


def _figure(text: str, found: Quantity) -> Figure:
    before = _CLAUSE.split(text[: found.start])[-1].split()
    after = _CLAUSE.split(text[found.end :])[0].split()
    units = {stem for unit in found.units for stem in stems(unit)}
    near, following = stems(" ".join(before[-_NEAR:])), stems(" ".join(after[:_FOLLOWING])) | units
    bound = bool(near & (BOUND_BEFORE | BOUND_NOUNS) or following & BOUND_NOUNS)
    worked = bool((stems(" ".join(before)) | following) & WORKED_OUT)
    return Figure(found.value, text[found.start : found.end].strip(), bound, worked)


def times(text: str) -> list[str]:
    """The times of day and the dates that a text states."""
    return [*_TIME.findall(text), *_DATE.findall(text)]


def caps(text: str) -> list[str]:
    """Where a text sets a limit in words: "one per shift", "limited to two"."""
    return [match[0] for match in _CAP.finditer(text)]


def rates(text: str) -> list[str]:
    """Where a text allows so many in a time, in digits: "3 transfers per shift" after "only"."""
    return [match[1] for match in _RATE.finditer(text)]


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
    """The numbers that one call may speak of. `near` are the arguments and the things that they name."""

    def __init__(
        self, contract: Contract, near: Iterable[Json], about: Iterable[str], seen: Iterable[Json]
    ) -> None:
        environment = contract.environment
        self._near = frozenset(number for one in near for number in numbers_in(one))
        self._tool = frozenset(number for one in about for number in numbers_in(one))
        state = frozenset(numbers_in(environment.initial_state))
        told = frozenset(numbers_in([one.text for one in contract.sentences]))
        schemas = frozenset(numbers_in([tool.parameters for tool in environment.tools]))
        self._known = self._near | self._tool | state | told | schemas
        self._known |= frozenset(number for one in seen for number in numbers_in(one))
        self._known |= frozenset(Fraction(len(one.entities)) for one in contract.collections)
        self._others = frozenset(sorted(state)[:_MANY]) | self._tool

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
        if figure.is_bound and abs(figure.value) in self._known:
            return True
        if not figure.is_bound and self.is_known(figure.value):
            return True
        if figure.is_bound and not figure.worked_out:
            return False
        return any(_rounds_to(abs(one), abs(figure.value)) for one in self._derived())

    def _derived(self) -> Iterator[Fraction]:
        for near in sorted(self._near):
            for other in sorted(self._near | self._others):
                yield from (near + other, near - other)
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
    texts = [value for node in (contract.environment.initial_state, *nodes) for _, _, value in leaves(node)]
    texts += [one.text for one in contract.sentences]
    return frozenset(part for text in texts if isinstance(text, str) for part in times(text))


def is_time_known(part: str, known: frozenset[str]) -> bool:
    """Whether a time or date stands somewhere, seconds left out."""
    return any(key_of(part[:5]) == key_of(one[:5]) if ":" in part else part == one for one in known)
