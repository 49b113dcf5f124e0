"""Other values than the true ones, of the same sort."""

from __future__ import annotations

import re
from datetime import date, timedelta

from replaylab.builtin.seeded.draw import Draw
from replaylab.schema.base import Json

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_HOUR = re.compile(r"(?<!\d)([01]\d|2[0-3]):([0-5]\d)")


def is_number(value: Json) -> bool:
    """Whether a value is a number and no truth value."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def other_number(text: str, draw: Draw) -> str:
    """A number that is at least a fifth away, with as many decimals."""
    decimals = len(text.partition(".")[2])
    value = float(text)
    step = max(1.0, abs(value) * (0.2 + draw.below(5) / 10))
    return f"{value + step if value < step or draw.once_in(2) else value - step:.{decimals}f}"


def other_time(text: str, draw: Draw) -> str:
    """Some days or hours later; the same text where it holds no time."""
    day = _DAY.search(text)
    if day and draw.once_in(2):
        try:
            moved = date.fromisoformat(day[0]) + timedelta(days=1 + draw.below(9))
        except ValueError:
            return text
        return text[: day.start()] + moved.isoformat() + text[day.end() :]
    hour = _HOUR.search(text)
    if hour:
        return (
            text[: hour.start()]
            + f"{(int(hour[1]) + 1 + draw.below(5)) % 24:02d}:{hour[2]}"
            + text[hour.end() :]
        )
    return text
