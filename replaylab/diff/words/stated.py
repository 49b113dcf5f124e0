"""What a text states: its numbers and which of them are bounds, times and dates, limits in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from replaylab.checks.prose import Quantity, quantities, quantity
from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.lexicon import BOUND_BEFORE, BOUND_NOUNS, WORKED_OUT
from replaylab.diff.words.observed import leaves, texts
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
_PER_ANY = r"(?:\W+[\w-]+){0,4}?\W+per\W+[a-z]\w+\b"
_CAP = re.compile(rf"{_AT_MOST}\s+{_NUMBER}\b|\b{_NUMBER}\b(?:{_PER}|{_PER_ANY})", re.IGNORECASE)
_RATE = re.compile(rf"{_AT_MOST}\s+(\d+{_PER})", re.IGNORECASE)
_STAYS = re.compile(r"\b(?:must|shall|should|has to|have to|to) (?:remain|stay|be kept)\b", re.IGNORECASE)
_CLAUSE = re.compile(r"[,;:.!?](?=\s|$)")
_BY = re.compile(
    r"(?:\bby|\b(?:short(?:fall)?|excess|difference|gap|deficit|overrun|overshoot|surplus)(?: of| is| by)?:?|\b(?:lacks?|lacking|missing))"
    r"(?: only| just| another| some)? ?[$€£]?$",
    re.IGNORECASE,
)
_TOO_MANY = re.compile(
    r"^[^\d\s]*\d[\d.,]*(?: ?[^\d\W][\w/]*| ?%)?(?: more)?(?: of it)? (?:too (?:many|much|long|high|low|short|few|little|late|early)|short\b|over\b|above\b|under\b|below\b|beyond\b|missing\b|lacking\b|"
    r"(?:more|less|fewer|longer|shorter|higher|lower|larger|smaller|greater|heavier|later|earlier) than\b|in excess\b)",
    re.IGNORECASE,
)
_REACH = 1000  # characters around a number in which its clause is looked for: a clause is never longer
_NEAR, _FOLLOWING = 5, 3  # words before and after a number among which the one stands that makes it a bound


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
    before = _CLAUSE.split(text[max(0, found.start - _REACH) : found.start])[-1].split()
    after = _CLAUSE.split(text[found.end : found.end + _REACH])[0].split()
    units = {stem for unit in found.units for stem in stems(unit)}
    near, following = stems(" ".join(before[-_NEAR:])), stems(" ".join(after[:_FOLLOWING])) | units
    bound = bool(near & (BOUND_BEFORE | BOUND_NOUNS) or following & BOUND_NOUNS)
    said = stems(_STAYS.sub(" ", " ".join(before)))
    worked = bool((said | following) & WORKED_OUT)
    return Figure(found.value, text[found.start : found.end].strip(), bound, worked)


def gaps_in(text: str) -> Iterator[Fraction]:
    """The numbers by which a text says that one thing passes another or falls short of it: "short by 70", "30 kW too many"."""
    for found in quantities(text):
        start = max(0, found.start - _REACH)
        if _BY.search(text[start : found.start]) or _TOO_MANY.match(text[found.start : found.start + _REACH]):
            yield found.value


def times(text: str) -> list[str]:
    """The times of day and the dates that a text states."""
    return [*_TIME.findall(text), *_DATE.findall(text)]


def times_in(node: Json) -> Iterator[str]:
    """Every time of day and every date in the texts of a value."""
    for _, text in texts(node):
        yield from times(text)


def same_times(one: str, other: str) -> bool:
    """Whether two texts state one time of day or one date, seconds left out, and no other: "18:00" on a given day."""
    clocks, days = (
        [
            {found[:5] if pattern is _TIME else found for found in pattern.findall(text)}
            for text in (one, other)
        ]
        for pattern in (_TIME, _DATE)
    )
    shared = [pair for pair in (clocks, days) if pair[0] and pair[1]]
    return bool(shared) and all(left == right for left, right in shared)


def is_day_of(wanted: Json, value: Json) -> bool:
    """Whether one is a date and the other a time on that day."""
    if not isinstance(wanted, str) or not isinstance(value, str):
        return False
    return _DATE.fullmatch(wanted) is not None and value[:10] == wanted and value[10:11] in ("T", " ")


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
