"""Whether clocks run as they have to: they stand still while nothing happens, never go back, and move as far as asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from fractions import Fraction
from typing import NamedTuple

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.words.clock import clocks, is_clock
from replaylab.diff.words.identity import last_word, words
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_SECONDS = {"second": 1, "sec": 1, "minute": 60, "min": 60, "hour": 3600, "hr": 3600, "day": 86400}
_NOUGHT = re.compile(r"T?00:00(?::00)?")
_OF_DAY = re.compile(r"(?P<hours>[01]?\d|2[0-3]):(?P<minutes>[0-5]\d)(?::(?P<seconds>[0-5]\d))?")
_SLACK = Fraction(1)  # seconds that rounding may take


class Shown(NamedTuple):
    """What a clock shows: its text or number, where, and as seconds or as a plain number of unknown unit."""

    value: Json
    pointer: str
    number: Fraction
    is_time: bool
    of_day: bool = False


def wrong_clocks(look: Look) -> Iterator[Violation]:
    """A clock that another call, or the state, and the calls since speak against."""
    here = _shown(look.step)
    before = _before(look)
    if here is None or before is None or (before.is_time, before.of_day) != (here.is_time, here.of_day):
        return
    # A write that was refused may have taken its time all the same.
    since = _last_call(look, before)
    writes = [step for step in look.world.steps if is_write(step.tool) and step.call >= since]
    if is_write(look.step.tool):
        wanted = _after(look.step, before) if moves_time(look.step.tool) else None
        wrong = bool(wanted) and not any(abs(one - here.number) <= _SLACK for one in wanted or ())
    else:
        # What counts steps may count this call too; a time has no reason to move. A time of day comes round again.
        back = here.number < before.number and not here.of_day
        wrong = back or (
            here.is_time and here.number != before.number and (not writes or _is_stale(look, here, since))
        )
    if wrong:
        yield look.violation(
            kind="contradiction",
            subkind="changed_value",
            pointer=here.pointer,
            contract=before.pointer,
            expected=before.value,
            observed=here.value,
            confidence=0.75,
            message=f"{look.step.tool.name} shows the time {in_json(here.value)}; it was {in_json(before.value)} before this call",
        )


def _last_call(look: Look, before: Shown) -> int:
    """The call that showed this time, or 0 for the state."""
    calls = [step.call for step in look.world.steps if not step.refused and _shown(step) == before]
    return calls[-1] if calls else 0


def _is_stale(look: Look, here: Shown, since: int) -> bool:
    """Whether a time is one from before the last call that showed another, and nothing was done since that call."""
    if any(is_write(step.tool) and step.call > since for step in look.world.steps):
        return False
    earlier = [shown for step in look.world.steps if step.call < since and (shown := _shown(step))]
    return here.value in [one.value for one in (*earlier, *_of_state(look))]


def _before(look: Look) -> Shown | None:
    """What the clock showed last: in an earlier answer, else in the state."""
    for step in reversed(look.world.steps):
        if not step.refused and (found := _shown(step)) is not None and not _was_wrong(look, step, found):
            return found
        if not step.refused and moves_time(step.tool):
            return None
    return next(_of_state(look), None)


def _was_wrong(look: Look, step: Step, shown: Shown) -> bool:
    """Whether a time was found to be wrong when it was shown, so that it did not become what was said last."""
    last = look.world.told.get(("", shown.pointer.removeprefix("/")))
    return last is not None and last.call < step.call and last.value != shown.value


def _of_state(look: Look) -> Iterator[Shown]:
    """The one clock of the state."""
    state = [one for one in clocks(look.contract.environment) if one.startswith("/initial_state/")]
    values = {
        f"/initial_state{at}": value for at, _, value in leaves(look.contract.environment.initial_state)
    }
    shown = _read(values.get(state[0]), state[0]) if len(state) == 1 else None
    yield from [shown] if shown else []


def _shown(step: Step) -> Shown | None:
    """The one clock in an answer."""
    found = [
        (at, value) for at, key, value in leaves(step.observation) if is_clock(key) and at.count("/") <= 2
    ]
    return _read(found[0][1], found[0][0]) if len(found) == 1 else None


def _read(value: Json, pointer: str) -> Shown | None:
    number = exact(value)
    if number is not None:
        return Shown(value, pointer, number, is_time=False)
    if not isinstance(value, str):
        return None
    if _NOUGHT.fullmatch(value.strip()):  # nought is nought in every unit
        return Shown(value, pointer, Fraction(0), is_time=False)
    of_day = _OF_DAY.fullmatch(value.strip())
    if of_day:
        hours, minutes, seconds = (int(part or 0) for part in of_day.groups())
        number = Fraction(hours * 3600 + minutes * 60 + seconds)
        return Shown(value, pointer, number, is_time=True, of_day=True)
    try:
        moment = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    if len(value.strip()) < len("2025-01-01T00:00"):
        return None  # a day alone does not tell when on it
    days = moment.toordinal() * 86400 + moment.hour * 3600 + moment.minute * 60 + moment.second
    return Shown(value, pointer, Fraction(days), is_time=True)


def _after(step: Step, before: Shown) -> list[Fraction]:
    """What a clock can show after a call that moves it; [] where nobody can tell how far."""
    moved = [
        (number, last_word(key))
        for _, key, value in leaves(step.arguments)
        if words(key) and (number := exact(value)) is not None
    ]
    if len(moved) != 1 or moved[0][0] <= 0:
        return []
    far, unit = moved[0]
    seconds = next((length for word, length in _SECONDS.items() if unit.removesuffix("s") == word), None)
    if seconds is None:
        return []
    if before.is_time:
        return [before.number + far * seconds]
    # The clock may count in another unit than the call.
    return [before.number + far * Fraction(seconds, length) for length in dict.fromkeys(_SECONDS.values())]
