"""Spans of time: from one moment to another, the end left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json

_MOMENT = re.compile(
    r"(?:(?P<day>\d{4}-\d\d-\d\d)(?:[T ](?P<at>\d\d:\d\d))?|(?P<clock>\d{1,2}:\d\d))(?::\d\d)?(?:Z|\+00:00)?"
)
_DAY = 1440


class Span(NamedTuple):
    """A time in minutes; `dated` where these count from the beginning of the calendar and not of the day."""

    start: int
    end: int
    dated: bool

    def meets(self, other: Span) -> bool:
        """Whether two spans have any time in common. One of a moment alone is met where it lies in the other."""
        if self.dated is not other.dated:
            return False
        if self.start == self.end or other.start == other.end:
            return self.start <= other.start <= self.end or other.start <= self.start < max(
                other.end, other.start + 1
            )
        return self.start < other.end and other.start < self.end


def minutes(text: str) -> int:
    """A time of day in minutes; -1 for what is none."""
    hour, _, minute = text[:5].partition(":")
    return int(hour) * 60 + int(minute[:2]) if hour.isdigit() and minute[:2].isdigit() else -1


def clock(at: int) -> str:
    """Minutes as a time of day."""
    return f"{at // 60:02d}:{at % 60:02d}"


def span_of(node: Json) -> Span | None:
    """The span of an object or of arguments: between its one or two moments; None where it has none or more. A day beside times
    of day says when these are.
    """
    days, clocks = [], []
    for _, _, value in leaves(node):
        found = _MOMENT.fullmatch(value) if isinstance(value, str) else None
        if found and found["clock"]:
            clocks.append(minutes(found["clock"].zfill(5)))
        elif found and _ordinal(found["day"]):
            days.append(_ordinal(found["day"]) * _DAY + max(0, minutes(found["at"] or "00:00")))
    if clocks and len(days) <= 1 and len(clocks) <= 2:
        base = days[0] if days else 0
        return Span(base + min(clocks), base + max(clocks), dated=bool(days))
    if days and not clocks and len(days) <= 2:
        return Span(min(days), max(days), dated=True)
    return None


def spans_in(nodes: Iterator[Json]) -> Iterator[Span]:
    """The spans of several objects."""
    yield from (one for node in nodes if (one := span_of(node)) is not None)


def _ordinal(day: str) -> int:
    try:
        return date.fromisoformat(day).toordinal()
    except ValueError:
        return 0
