"""When a careful agent doubts an observation, from what it has seen and what its tools say that they return."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replaylab.builtin.answer import json_text
from replaylab.builtin.steps import Step
from replaylab.checks import is_error
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment, PlannedCall

_TRANSIENT = re.compile(
    r"\b(HTTP|status)\W{0,3}(408|429|5\d\d)\b|\btime(d )?-?out\b|connection (was )?(refused|reset)"
    r"|service (is )?(temporarily )?unavailable",
    re.IGNORECASE,
)
_FEW = 2


def is_transient(observation: Json) -> bool:
    """Whether an observation reports a failure that a later call may not meet."""
    if not is_error(observation):
        return False
    error = observation.get("error")
    if isinstance(error, dict) and "transport" in error:
        return True
    return _TRANSIENT.search(error if isinstance(error, str) else json_text(observation)) is not None


def is_doubtful(call: PlannedCall, past: Sequence[Step], environment: Environment) -> bool:
    """Whether the last step, a read, may have shown less than there is, or not the present.

    It may where it repeats what was read before a write. It may where it lacks what the tool's example output has,
    and, for a read that is to confirm something, where a list of rows is so short that it may be the beginning of a longer
    one; but not where the same read had shown as much before and no more, for that reading was accepted (a list that
    has grown may have grown further). Only reads are doubted, since only they can be repeated without harm.
    """
    step, tool = past[-1], environment.tool(past[-1].tool)
    if tool is None or tool.effect != "read" or is_error(step.observation):
        return False
    if _as_before_a_write(past, environment):
        return True
    less = tool.has_example and lacks(step.observation, tool.example_output)
    if not less and not (call.purpose == "verify" and _is_short(step.observation)):
        return False
    accepted = _accepted(past)
    if accepted is None:
        return True
    return lacks(step.observation, accepted.observation) or has_grown(step.observation, accepted.observation)


def lacks(value: Json, example: Json) -> bool:
    """Whether `value` misses a field or items of `example`, or is empty where that is not."""
    if isinstance(example, dict):
        if not isinstance(value, dict):
            return True
        return any(key not in value or lacks(value[key], part) for key, part in example.items())
    if isinstance(example, list):
        if not isinstance(value, list) or len(value) < min(len(example), _FEW + 1):
            return True
        return any(all(lacks(item, one) for one in example) for item in value if example)
    return example not in (None, "") and value in (None, "")


def has_grown(value: Json, earlier: Json) -> bool:
    """Whether some list in `value` is longer than it was in `earlier`."""
    if isinstance(value, dict) and isinstance(earlier, dict):
        return any(key in earlier and has_grown(part, earlier[key]) for key, part in value.items())
    if isinstance(value, list) and isinstance(earlier, list):
        return len(value) > len(earlier) or any(map(has_grown, value, earlier))
    return False


def _accepted(past: Sequence[Step]) -> Step | None:
    """The latest reading of the same call before the present run of repeats."""
    here, others = (past[-1].tool, past[-1].arguments), False
    for one in reversed(past[:-1]):
        if (one.tool, one.arguments) != here:
            others = True
        elif others and not is_error(one.observation):
            return one
    return None


def _as_before_a_write(past: Sequence[Step], environment: Environment) -> bool:
    """Whether the same read gave the same before the last write that succeeded."""
    step, written = past[-1], False
    for one in reversed(past[:-1]):
        tool = environment.tool(one.tool)
        if is_error(one.observation):
            continue
        if tool is not None and tool.effect == "write":
            written = True
        elif written and (one.tool, one.arguments) == (step.tool, step.arguments):
            return bool(one.observation == step.observation)
    return False


def _is_short(observation: Json) -> bool:
    parts = observation.values() if isinstance(observation, dict) else [observation]
    return any(
        isinstance(part, list) and 0 < len(part) <= _FEW and isinstance(part[0], dict) for part in parts
    )
