"""Numbers, dates and times of day as bounds."""

from __future__ import annotations

from replaylab.checks.matcher import parse_matcher
from replaylab.errors import UsageError
from replaylab.schema.base import Json


def is_ordered(value: Json) -> bool:
    """Whether a value is a number or a moment, so that something can be above or below it."""
    if value is None or isinstance(value, (bool, list, dict)):
        return False
    try:
        parse_matcher({"ge": value})
    except UsageError:
        return False
    return True


def is_beyond(own: Json, bound: Json, *, at_least: bool) -> bool | None:
    """Whether a value passes a bound; None where it is the bound itself, since "above 5" may leave out 5, and where nobody can
    compare the two.
    """
    key, other = ("ge", "le") if at_least else ("le", "ge")
    try:
        within, beyond = parse_matcher({key: bound})(own), parse_matcher({other: bound})(own)
    except UsageError:
        return None
    return None if within == beyond else bool(within)
