"""Regular expressions with a bound on what they may cost.

Python's engine backtracks, so a pattern can take time exponential in the text. Patterns that repeat something that
itself varies, or that have more than two open repeats in a row, are refused when the rubric is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from re import _constants as parts  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

from replaylab.errors import UsageError

MAX_PATTERN = 500
MAX_TEXT = 50_000
MAX_PIECE = 800
OVERLAP = 300
MAX_OPEN = 2
MAX_WAYS = 250_000  # three repeats of .{0,60}, which take some two seconds at the very worst

_REPEATS = (parts.MAX_REPEAT, parts.MIN_REPEAT, parts.POSSESSIVE_REPEAT)
_FIX = (
    "bound the repeats: one .{0,300}, two .{0,300}, or three .{0,60}; or give several short patterns; alternatives count "
    "again in every round of a repeat, so write (?!a)(?!b). in it and not (?!a|b)."
)


class TextTooLong(Exception):
    """The text is longer than a pattern may search, so that the check stays open."""


def compile_pattern(text: object, *, max_open: int = MAX_OPEN, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    """A pattern, case-insensitive unless told. Raises UsageError where it is no pattern, or one that could run away."""
    if not isinstance(text, str) or not text:
        raise UsageError(f"`re` needs a pattern as text, not {text!r}")
    if len(text) > MAX_PATTERN:
        raise UsageError(f"a pattern of {len(text)} characters is too long", fix=f"at most {MAX_PATTERN}")
    try:
        tree = parser.parse(text, flags)
        pattern = re.compile(text, flags)
    except (re.error, OverflowError, RecursionError) as error:
        raise UsageError(f"not a pattern: {text!r}: {error}") from error
    open_repeats, ways = _cost(tree, text)
    if open_repeats > max_open:
        raise UsageError(f"the pattern {text!r} has {open_repeats} open repeats in a row", fix=_FIX)
    if ways > MAX_WAYS:
        raise UsageError(f"the pattern {text!r} can match in too many ways", fix=_FIX)
    return pattern


def search(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern matches within one paragraph of the text; line breaks inside one count as spaces.

    Longer paragraphs are searched in pieces of 800 characters that overlap by 300, so that a longer match may be missed.
    Raises TextTooLong.
    """
    if len(text) > MAX_TEXT:
        raise TextTooLong(f"a text of {len(text)} characters is too long to be searched")
    return any(
        pattern.search(paragraph, start, end) is not None
        for paragraph in paragraphs(text)
        for start, end in _pieces(paragraph)
    )


def paragraphs(text: str) -> list[str]:
    """The paragraphs of a text, each on one line."""
    return [" ".join(part.split()) for part in re.split(r"\n[ \t\r]*\n", text)]


def _pieces(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while True:
        end = min(len(text), start + MAX_PIECE)
        yield start, end
        if end == len(text):
            return
        start = end - OVERLAP


def _cost(tree: Any, text: str) -> tuple[int, int]:
    """(open repeats in a row, ways that the bounded parts can match in) of a parsed pattern."""
    open_repeats, ways = 0, 1
    for code, argument in tree:
        more, factor = _item_cost(code, argument, text)
        open_repeats += more
        ways *= factor
    return open_repeats, ways


def _item_cost(code: Any, argument: Any, text: str) -> tuple[int, int]:
    if code in _REPEATS:
        return _repeat_cost(*argument, text=text)
    if code is parts.BRANCH:
        costs = [_cost(branch, text) for branch in argument[1]]
        return max(cost[0] for cost in costs), sum(cost[1] for cost in costs)
    if code in (parts.GROUPREF, parts.GROUPREF_EXISTS):
        raise UsageError(f"the pattern {text!r} refers back to a group, which can run away", fix=_FIX)
    if code is parts.SUBPATTERN:
        return _cost(argument[-1], text)
    if code in (parts.ASSERT, parts.ASSERT_NOT):
        return _cost(argument[1], text)
    if code is parts.ATOMIC_GROUP:
        return _cost(argument, text)
    return 0, 1


def _repeat_cost(low: int, high: int, inner: Any, *, text: str) -> tuple[int, int]:
    open_inside, ways_inside = _cost(inner, text)
    is_open = high == parts.MAXREPEAT
    if high > 1 and (open_inside or (ways_inside > 1 and is_open)):
        raise UsageError(f"the pattern {text!r} repeats something that varies, which can run away", fix=_FIX)
    if is_open:
        return 1, 1
    if low > 1000 or high > 1000:
        raise UsageError(f"the pattern {text!r} repeats more than 1000 times", fix=_FIX)
    spread = int(high - low + 1)
    inside = ways_inside ** min(int(high), 20) if ways_inside > 1 else 1
    return open_inside, min(spread * inside, MAX_WAYS + 1)
