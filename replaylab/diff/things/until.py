"""What a description says how long a field stays: "result is pending until ready_at is reached"."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.tools import moves_time
from replaylab.diff.words.clock import is_clock
from replaylab.schema.base import Json

_UNTIL = re.compile(
    r"(?:^|[.;:] )\W*(?P<field>\w+) (?:is|stays|remains) (?P<value>[\w-]+) (?:until|till|before) (?:the |its )?(?P<moment>\w+)"
    r"(?: is (?:reached|over|past)| (?:comes|passes|has come|has passed))?(?=\W*(?:$|[.;,] ))"
)
_DIGIT = re.compile(r"\d")


def held_until(look: Look, description: str, values: Mapping[str, Json]) -> dict[str, Json]:
    """The fields of a thing that are as the description says, since the moment until which they are that is yet to come."""
    said = _said(description)
    now = _now(look) if said else None
    return {
        field: value
        for field, value, moment in said
        if now is not None and _is_before(now, values.get(moment))
    }


@lru_cache(maxsize=1024)
def _said(description: str) -> tuple[tuple[str, str, str], ...]:
    return tuple((one["field"], one["value"], one["moment"]) for one in _UNTIL.finditer(description))


def _now(look: Look) -> str | None:
    """What the one clock of the state shows, as it was told last; None where it may show something else by now."""
    moved = max((step.call for step in look.world.writes if moves_time(step.tool)), default=-1)
    clocks = [
        (field, first)
        for field, first in look.contract.environment.initial_state.items()
        if is_clock(field) and isinstance(first, str)
    ]
    if len(clocks) != 1:
        return None
    field, first = clocks[0]
    told = look.world.told.get(("", field))
    if told is None:
        return first if moved < 0 else None
    return told.value if isinstance(told.value, str) and told.call >= moved else None


def _is_before(now: str, moment: Json) -> bool:
    """Whether a moment, written as the clock is, is yet to come."""
    same_form = isinstance(moment, str) and _DIGIT.sub("0", moment) == _DIGIT.sub("0", now)
    return same_form and any(map(str.isdigit, now)) and now < str(moment)
