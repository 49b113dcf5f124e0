"""Hours that a text tells: "from 09:00 to 12:00 in slots of 30 minutes" says when slots begin, and which is the last."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from replaylab.diff.words.spans import clock, minutes

_RANGE = re.compile(
    r"\b(?:from|between|of|:)?\s*(?P<a>\d{1,2}:\d\d)\s*(?:to|until|till|and|-|\u2013)\s*(?P<b>\d{1,2}:\d\d)",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:clos\w+|ends?|until|till|before|by|latest|stops?|last)(?: \w+){0,2} (?:at |is |by )?(?P<b>\d{1,2}:\d\d)",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"\b(?:opens?|begins?|starts?|from|after|earliest|first)(?: \w+){0,2} (?:at |is |from )?(?P<a>\d{1,2}:\d\d)",
    re.IGNORECASE,
)
_STEP = re.compile(r"(?P<n>\d+)[ -]?(?P<unit>minute|min|hour|h)s?\b", re.IGNORECASE)
_HOURLY = re.compile(r"\b(?:by the hour|hourly|(?:an|one|each|every) hour|full hours?)\b", re.IGNORECASE)
_HALF = re.compile(r"\bhalf(?: an|-)? ?hour(?:s|ly)?\b", re.IGNORECASE)
DAY = 1440


class Hours(NamedTuple):
    """When something is open, in minutes of the day, with the length of a slot; 0 where none is told."""

    opens: int
    closes: int
    step: int
    text: str

    @property
    def starts(self) -> list[int]:
        """When its slots begin."""
        if not self.step:
            return []
        return list(range(self.opens, self.closes - self.step + 1, self.step))


def hours_in(texts: Iterable[str]) -> list[Hours]:
    """The hours that texts tell, each once."""
    return list(dict.fromkeys(one for text in texts for one in _in_text(text)))


def _in_text(text: str) -> Iterator[Hours]:
    steps = [_minutes(found) for found in _STEP.finditer(text)]
    step = min(steps, default=60 if _HOURLY.search(text) else 30 if _HALF.search(text) else 0)
    ranges = [(minutes(found["a"].zfill(5)), minutes(found["b"].zfill(5))) for found in _RANGE.finditer(text)]
    for opens, closes in ranges:
        if 0 <= opens < closes:
            yield Hours(opens, closes, step, text)
    if not ranges:
        shut, opened = _CLOSES.search(text), _OPENS.search(text)
        if shut or opened:
            first = minutes(opened["a"].zfill(5)) if opened else 0
            last = minutes(shut["b"].zfill(5)) if shut else DAY
            if first < last:
                yield Hours(first, last, step, text)


def _minutes(found: re.Match[str]) -> int:
    return int(found["n"]) * (60 if found["unit"].casefold().startswith("h") else 1)


def slot_times(texts: Iterable[str]) -> frozenset[str]:
    """The times at which the slots begin of which texts tell the hours and the length."""
    return frozenset(clock(at) for one in hours_in(texts) for at in one.starts)
