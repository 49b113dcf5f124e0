"""Evidence: a trajectory laid out so that checks can look things up in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import count
from operator import itemgetter
from typing import Literal, NamedTuple

from replaylab.checks.failure import is_error
from replaylab.checks.matcher import MISSING, Matcher
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.trajectory import Action, Trajectory

View = Literal["seen", "clean"]


class Step(NamedTuple):
    """One tool call. `ok` says that it was executed and reported no error; `seen` is what the agent was shown."""

    call: int
    tool: str
    arguments: JsonObject
    ok: bool
    seen: Json
    clean: Json

    def shown(self, view: View) -> Json:
        """The observation as the agent saw it, or as the environment gave it before a fault disturbed it."""
        return self.seen if view == "seen" else self.clean


class Found(NamedTuple):
    """A value at a key in an observation. `scopes` are the objects around it, nearest first, then the arguments."""

    step: Step
    path: str
    value: Json
    scopes: tuple[Mapping[str, Json], ...]

    def fits(self, where: Mapping[str, Matcher]) -> bool:
        """Whether the row that the value stands in fulfils `where`; a field is looked up from the inside out."""
        return all(matcher(lookup(self.scopes, key)) for key, matcher in where.items())


class Evidence:
    """What a trial shows: its steps in call order and the final answer."""

    def __init__(self, trajectory: Trajectory) -> None:
        self.steps = tuple(_step(action) for action in trajectory.actions)
        self.answer = trajectory.answer
        self._fields: dict[tuple[int, View], _Fields] = {}

    def find(self, keys: tuple[str, ...], view: View, tools: tuple[str, ...] = ()) -> Iterator[Found]:
        """Every value at one of the keys in the observations of successful calls, in call and document order.

        A key is a name, or names joined by dots: "tank.level" is a `level` inside a `tank`. List positions don't count.
        """
        ends = tuple(f".{key}" for key in keys)
        names = {key.rpartition(".")[2] for key in keys}
        for place, step in enumerate(self.steps):
            if not step.ok or (tools and step.tool not in tools):
                continue
            fields = self._of(place, view)
            fit = [field for name in names for field in fields.get(name, ())]
            if len(names) > 1:
                fit.sort(key=itemgetter(0))
            for _, path, value, scopes in fit:
                if f".{path}".endswith(ends):
                    yield Found(step, path, value, scopes)

    def _of(self, place: int, view: View) -> _Fields:
        """Every field of a call's observation, laid out once and only where somebody looks."""
        known = self._fields.get((place, view))
        if known is None:
            known = self._fields[place, view] = _laid_out(self.steps[place], view)
        return known


def values(step: Step, view: View) -> Iterator[Found]:
    """Every field of an observation, in document order."""
    everything = sorted(
        (field for alike in _laid_out(step, view).values() for field in alike), key=itemgetter(0)
    )
    return (Found(step, path, value, scopes) for _, path, value, scopes in everything)


# Fields by the last name of their path: place in document order, path, value, scopes. Most fields of a trial are never
# looked at, so a Found is made where one is.
_Fields = dict[str, list[tuple[int, str, Json, tuple[Mapping[str, Json], ...]]]]


def _laid_out(step: Step, view: View) -> _Fields:
    fields: _Fields = {}
    _lay_out(fields, count(), step.shown(view), "", (step.arguments,))
    return fields


def _lay_out(
    fields: _Fields, number: Iterator[int], node: Json, path: str, scopes: tuple[Mapping[str, Json], ...]
) -> None:
    if isinstance(node, list):
        for item in node:
            if isinstance(item, (dict, list)):
                _lay_out(fields, number, item, path, scopes)
    elif isinstance(node, dict):
        inner = (node, *scopes)
        for key, value in node.items():
            here = f"{path}.{key}" if path else key
            name = key.rpartition(".")[2] if "." in key else key
            fields.setdefault(name, []).append((next(number), here, value, inner))
            if isinstance(value, (dict, list)):
                _lay_out(fields, number, value, here, inner)


def lookup(scopes: tuple[Mapping[str, Json], ...], key: str) -> Json:
    """The value at a (dotted) key in the first scope that has it, or MISSING."""
    for scope in scopes:
        value = dig(scope, key)
        if value is not MISSING:
            return value
    return MISSING


def dig(value: Json, key: str) -> Json:
    """The value at a key, or at names joined by dots, inside nested objects, or MISSING."""
    if isinstance(value, Mapping) and key in value:
        return value[key]
    for name in key.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return MISSING
        value = value[name]
    return value


def _step(action: Action) -> Step:
    ok = action.by == "simulator" and not is_error(action.clean)
    return Step(action.call, action.tool, action.arguments or {}, ok, action.observation, action.clean)
