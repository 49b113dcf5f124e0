"""Evidence: a trajectory laid out so that checks can look things up in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
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
        self._fields: dict[View, _Fields] = {}

    def find(self, keys: tuple[str, ...], view: View, tools: tuple[str, ...] = ()) -> Iterator[Found]:
        """Every value at one of the keys in the observations of successful calls, in call and document order.

        A key is a name, or names joined by dots: "tank.level" is a `level` inside a `tank`. List positions don't count.
        """
        fields = self._all(view)
        ends = tuple(f".{key}" for key in keys)
        names = {key.rpartition(".")[2] for key in keys}
        places = [place for name in names for place in fields.by_name.get(name, ())]
        for place in sorted(places) if len(names) > 1 else places:
            step, path, value, scopes = fields.all[place]
            if f".{path}".endswith(ends) and (not tools or step.tool in tools):
                yield Found(step, path, value, scopes)

    def _all(self, view: View) -> _Fields:
        """Every field of every successful call, laid out once."""
        if view not in self._fields:
            laid = self._fields[view] = _Fields([], {})
            for step in self.steps:
                if step.ok:
                    _lay_out(laid, step, step.shown(view), "", (step.arguments,))
        return self._fields[view]


def values(step: Step, view: View) -> Iterator[Found]:
    """Every field of an observation, in document order."""
    laid = _Fields([], {})
    _lay_out(laid, step, step.shown(view), "", (step.arguments,))
    return (Found(*field) for field in laid.all)


# What a Found is made of; most fields of a trial are never looked at, so the object is made where one is.
_Field = tuple[Step, str, Json, tuple[Mapping[str, Json], ...]]


class _Fields(NamedTuple):
    """All fields in call and document order, and the places of those whose path ends with a name."""

    all: list[_Field]
    by_name: dict[str, list[int]]


def _lay_out(
    laid: _Fields, step: Step, node: Json, path: str, scopes: tuple[Mapping[str, Json], ...]
) -> None:
    if isinstance(node, list):
        for item in node:
            if isinstance(item, (dict, list)):
                _lay_out(laid, step, item, path, scopes)
    elif isinstance(node, dict):
        inner = (node, *scopes)
        for key, value in node.items():
            here = f"{path}.{key}" if path else key
            name = key.rpartition(".")[2] if "." in key else key
            laid.by_name.setdefault(name, []).append(len(laid.all))
            laid.all.append((step, here, value, inner))
            if isinstance(value, (dict, list)):
                _lay_out(laid, step, value, here, inner)


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
