"""How alike two tasks are: by what the plan does, by the shape of the state, and by the words of the instruction.

Ids and numbers count for nothing, so a task under other names is the same task. The similarity is the mean of the four
parts, from 0 to 1; from the order's threshold on, the later one is a duplicate.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment, Task

_WORD = re.compile(r"[^\W\d_]+")
_SHINGLE = 3


class Print(NamedTuple):
    """What two tasks are compared by."""

    tools: frozenset[str]
    state: frozenset[str]
    plan: tuple[str, ...]
    text: frozenset[str]


class Nearest(NamedTuple):
    """The most similar of other tasks, and how similar."""

    task: str
    similar: float


def print_of(task: Task, environment: Environment) -> Print:
    """The print of a task in its environment."""
    calls = task.plan.calls if task.plan else ()
    return Print(
        tools=frozenset(call.tool for call in calls),
        state=frozenset(state_shape(environment.initial_state)),
        plan=tuple(_steps(calls)),
        text=frozenset(_shingles(task.instruction)),
    )


def _steps(calls: Sequence[Json]) -> Iterator[str]:
    """Each call as its tool, what it is for, and which of its arguments stood in the call before."""
    before: set[bytes] = set()
    for call in calls:
        values = {canonical(value) for value in call.arguments.values()}
        again = sorted(name for name, value in call.arguments.items() if canonical(value) in before)
        given = sorted(name for name in call.arguments if name not in again)
        yield f"{call.tool}/{call.purpose}/{','.join(given)}/{','.join(again)}"
        before = values


def state_shape(node: Json, path: str = "") -> Iterator[str]:
    """The paths of a state, with a star for ids and positions, and how many things stand there by order of magnitude."""
    if isinstance(node, dict):
        data = bool(node) and all(isinstance(part, dict) for part in node.values())
        if data:
            yield f"{path}*{len(node)}"
        for key, part in node.items():
            yield from state_shape(part, f"{path}.{'*' if data else key}")
    elif isinstance(node, list):
        yield f"{path}[{len(node)}]"
        for part in node:
            yield from state_shape(part, f"{path}[]")
    else:
        yield f"{path}:{type(node).__name__}"


def _shingles(text: str) -> Iterator[str]:
    words = [word.casefold() for word in _WORD.findall(text)]
    for start in range(max(1, len(words) - _SHINGLE + 1)):
        yield " ".join(words[start : start + _SHINGLE])


def similarity(one: Print, other: Print) -> float:
    """From 0 (nothing in common) to 1 (the same but for names and numbers)."""
    parts = (
        _overlap(one.tools, other.tools),
        _overlap(one.state, other.state),
        _alike(one.plan, other.plan),
        _overlap(one.text, other.text),
    )
    return round(sum(parts) / len(parts), 4)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 1.0


def _alike(one: Sequence[str], other: Sequence[str]) -> float:
    """The longest common row of steps, of the longer plan."""
    if not one or not other:
        return float(one == other)
    row = [0] * (len(other) + 1)
    for step in one:
        corner = 0
        for place, theirs in enumerate(other, start=1):
            corner, row[place] = row[place], corner + 1 if step == theirs else max(row[place], row[place - 1])
    return row[-1] / max(len(one), len(other))


def nearest(mine: Print, others: Iterable[tuple[str, Print]]) -> Nearest:
    """The most similar of the others, the first among equals; similarity 0 where there is none."""
    best = Nearest("", 0.0)
    for name, other in others:
        similar = similarity(mine, other)
        if similar > best.similar:
            best = Nearest(name, similar)
    return best
