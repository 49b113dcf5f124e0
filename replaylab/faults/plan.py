"""The fault plans by name: E0 to E3 as published, and what lies beyond: other faults, other spreads, another way.

A name joins parts with `+`: what goes wrong (E1, E2, E3, semantic, slow), then for how long and where (persistent,
correlated, targeted), then `prompt` for the published way. `persistent` alone is `E3+persistent`. Other numbers than
the published two faults of two calls stand behind `@`: `E3@4x2` has four, so that a study can compare both.
"""

from __future__ import annotations

import re
from typing import get_args

from replaylab.errors import UsageError
from replaylab.near import closest
from replaylab.schema.base import JsonObject
from replaylab.schema.fault import Explicit, FaultPlan, Implicit, Semantic
from replaylab.schema.scenario import Task

EXPLICIT: tuple[Explicit, ...] = get_args(Explicit)
IMPLICIT: tuple[Implicit, ...] = get_args(Implicit)
SEMANTIC: tuple[Semantic, ...] = get_args(Semantic)
COUNT, DURATION = 2, 2  # as published
DELAY_S, BUDGET_S = 30, 60  # one slow answer in two fits into the time that a trial has

_FAMILIES: dict[str, JsonObject] = {
    "E0": {},
    "E1": {"explicit": True},
    "E2": {"implicit": True},
    "E3": {"explicit": True, "implicit": True},
    "semantic": {"semantic": True},
    "slow": {"slow": True, "delay_s": DELAY_S, "budget_s": BUDGET_S},
}
# What goes wrong where only the spread is named.
_SPREADS = {"persistent": "E3", "correlated": "E1", "targeted": "E3"}
_PROMPT = "prompt"
NAMES = (*_FAMILIES, *_SPREADS)
_ORDER = (*NAMES, _PROMPT)


def named(
    name: str,
    count: int = COUNT,
    duration: int = DURATION,
    seed: int = 0,
    *,
    spacing: int = 1,
    mode: str = "harness",
) -> FaultPlan:
    """The plan of that name with the published defaults: two faults of two tool calls each. E0 has none.

    `mode` "prompt" is the same as `+prompt` at the end of the name, `@4x2` as a count of 4 and a duration of 2; E0 stays
    what it is. Raises UsageError for an unknown name, naming the closest, and for parts that don't go together.
    """
    name, at, spread = name.partition("@")
    if at:
        count, duration = _spread(name, spread)
    parts = name.split("+")
    unknown = next((part for part in parts if part not in _ORDER), None)
    if unknown is not None:
        raise _unknown(name, unknown)
    parts = sorted(set(parts), key=_ORDER.index)
    families = [part for part in parts if part in _FAMILIES]
    spreads = [part for part in parts if part in _SPREADS]
    if families == ["E0"] and not spreads and _PROMPT not in parts:
        return FaultPlan(name=name, seed=seed)
    _check(name, families, [*spreads, *({_PROMPT} & {*parts, mode})])
    if count < 0 or duration < 1 or spacing < 1:
        raise UsageError(
            f"a fault plan needs a count of 0 or more, a duration and a spacing of 1 or more, not {count}, {duration} "
            f"and {spacing}"
        )
    prompted = [_PROMPT] if _PROMPT in {*parts, mode} else []
    fields: JsonObject = {}
    for family in families or list(dict.fromkeys(_SPREADS[spread] for spread in spreads)):
        fields |= _FAMILIES[family]
    fields |= dict.fromkeys(spreads, True) | {"mode": "prompt" if prompted else "harness"}
    title = "+".join([*families, *spreads, *prompted])
    if (count, duration) != (COUNT, DURATION):
        title += f"@{count}x{duration}"
    return FaultPlan(name=title, count=count, duration=duration, seed=seed, spacing=spacing, **fields)


def _spread(name: str, text: str) -> tuple[int, int]:
    """Count and duration out of "4x2"."""
    match = re.fullmatch(r"([0-9]{1,3})x([0-9]{1,3})", text)
    if match is None:
        raise UsageError(
            f"the fault plan {name[:80]!r} has an unknown spread {text[:80]!r}",
            fix=f"faults x calls that each lasts, for example {name[:80]}@4x2",
        )
    return int(match[1]), int(match[2])


def _check(name: str, families: list[str], more: list[str]) -> None:
    if not families and _PROMPT in more and len(more) == 1:
        raise UsageError(f"the fault plan {name!r} names no faults", fix="for example E2+prompt")
    if "E0" in families:
        raise UsageError(f"E0 has no faults, so {name[:80]!r} says nothing", fix="start from E1, E2 or E3")
    published = len(families) == 1 and families[0] in ("E1", "E2", "E3")
    if _PROMPT in more and (not published or len(more) > 1):
        raise UsageError(
            f"a simulator can't be asked for the fault plan {name[:80]!r}",
            fix="the published way knows E1, E2 and E3; leave --fault-mode prompt out for the others",
        )


def _unknown(name: str, part: str) -> UsageError:
    what = f"there is no fault plan {part[:80]!r}" + (f" (in {name[:80]!r})" if part != name else "")
    return UsageError(
        what,
        closest=closest(part, _ORDER),
        fix=f"one of {', '.join(NAMES)}, or several with +",
    )


def expected_calls(task: Task) -> int:
    """The length that a schedule is laid over: that of the reference plan, or the task's own estimate."""
    return len(task.plan.calls) if task.plan else task.expected_calls
