"""Numbers of a reason that a like number elsewhere does not bear out: how often calls may be made, and how long ago it was.

A 3 may stand anywhere in a contract. "At most 3 requests" needs a place that speaks of requests with that number, and "3 hours
ago" one that speaks of hours, or two times that lie so far apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from replaylab.checks.prose import Quantity, quantities, quantity
from replaylab.diff.contract.contract import Contract
from replaylab.diff.words.clock import clocks
from replaylab.diff.words.identity import stem, stems, words
from replaylab.diff.words.observed import leaves, texts
from replaylab.schema.base import Json

_CALLS = stems("call request access attempt query invocation lookup submission retry try")
_LIMITED = re.compile(
    r"\b(?:no more than|not more than|at most|up to|only|exceed(?:s|ed|ing)?|(?:maximum|max|limit|cap|quota|allowance)(?: number)?"
    r"(?: of| is| was)?|(?:limited|restricted|capped)(?: to| at)?)\s+(?:the |its |your |an? )?(?:\w+ )?$",
    re.IGNORECASE,
)
_WORDS_BETWEEN = 2  # "3 incident requests"
_PASSED = re.compile(
    r"^\W*(?:ago\b|(?:have|has|had)(?: already)? (?:passed|elapsed|gone by)\b|(?:passed|elapsed)\b|since\b|overdue\b|late\b)",
    re.IGNORECASE,
)
_SECONDS = {"second": 1, "minute": 60, "hour": 3600, "day": 86400, "week": 604800}
_UNITS = {stem(unit): size for unit, size in _SECONDS.items()}
_TIME = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)?(?:(?(day)[T ]|(?<![\d:]))(?P<hour>\d\d):(?P<minute>\d\d))?")


def loose_quotas(contract: Contract, text: str, nodes: Iterable[Json]) -> list[str]:
    """Limits on how often calls are made, of which no place of the contract has both the number and what is counted."""
    found = []
    for one in quantities(text, words=True):
        counted = _counted(text, one)
        if (
            counted
            and _LIMITED.search(text[: one.start])
            and not _is_told(contract, one.value, counted, nodes)
        ):
            found.append(text[one.start : one.end].strip())
    return found


def _counted(text: str, one: Quantity) -> frozenset[str]:
    """The word for calls that a number counts; nothing where it counts something else."""
    return _following(text, one) & _CALLS


def _following(text: str, one: Quantity) -> frozenset[str]:
    """The stems of the words behind a number."""
    units = frozenset(stem for unit in one.units for stem in stems(unit))
    behind = words(re.split(r"[,;:.()]", text[one.end :])[0])[:_WORDS_BETWEEN]
    return units | frozenset(map(stem, behind))


def loose_spans(contract: Contract, text: str, nodes: Iterable[Json]) -> list[str]:
    """Spans of time that are said to have passed, that no place states and that lie between no two known times."""
    found, known = [], list(nodes)
    for one in quantities(text, words=True):
        unit = frozenset(stem(part) for unit in one.units for part in words(unit)) & _UNITS.keys()
        said = text[one.start : one.end].strip()
        if not unit or not _PASSED.match(text[one.end :]):
            continue
        if not _is_told(contract, one.value, unit, known) and not _is_between(
            contract, known, one.value, _UNITS[min(unit)]
        ):
            found.append(said)
    return found


def _is_told(contract: Contract, value: Fraction, counted: frozenset[str], nodes: Iterable[Json]) -> bool:
    """Whether one place has the number of what it counts: a text, or a field that is called so."""
    for node in ([one.text for one in contract.sentences], contract.environment.initial_state, *nodes):
        for pointer, _, part in leaves(node):
            if isinstance(part, str):
                said = (one for one in quantities(part, words=True) if one.value == value)
                if any(counted & _following(part, one) for one in said):
                    return True
            if counted & stems(pointer) and quantity(part) == value:
                return True
    return False


def _is_between(contract: Contract, nodes: Iterable[Json], value: Fraction, size: int) -> bool:
    """Whether so much time lies between now and a known time, rounded either way."""
    state = {pointer: part for pointer, _, part in leaves(contract.environment.initial_state)}
    pointers = [one.removeprefix("/initial_state") for one in clocks(contract.environment)]
    now = [contract.environment.clock, *(state.get(pointer) for pointer in pointers)]
    if any(isinstance(one, (int, float)) for one in now):
        return True  # of what counts steps nobody can say how long they are
    here, there = frozenset(_moments(now)), frozenset(_moments(nodes))
    apart = (
        Fraction(abs(one.minutes - other.minutes) * 60, size)
        for one in here
        for other in there
        if one.dated is other.dated
    )
    return any(value in (one, floor(one), ceil(one)) for one in apart)


class Moment(NamedTuple):
    """A moment in minutes: since the beginning of the calendar where it is dated, else of the day."""

    dated: bool
    minutes: int


def _moments(nodes: Iterable[Json]) -> Iterator[Moment]:
    """The moments that texts name; one with a date and a time as a time of day, too."""
    for node in nodes:
        for _, text in texts(node):
            for found in _TIME.finditer(text):
                clock = 60 * int(found["hour"] or 0) + int(found["minute"] or 0)
                if found["hour"]:
                    yield Moment(dated=False, minutes=clock)
                day = _ordinal(found["day"] or "")
                if day:
                    yield Moment(dated=True, minutes=day * 1440 + clock)


def _ordinal(day: str) -> int:
    """The number of a day in the calendar; 0 for what is none."""
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0
