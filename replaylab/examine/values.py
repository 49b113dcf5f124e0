"""Wrong values: for an argument, other values that an agent might have taken for it. No chance is involved.

A value is `bound` when the tool's schema or the state says which others there are: an enum, a boolean, a number, a
date, or an id of the state, whose kin are the other keys of the same map and the other values of fields of that name.
Any other text is free: a reason or a note that may be put in other words.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.schema.base import Json, JsonObject

MAX_KIN = 8
_FREE = "something else"
_UNKNOWN = "no-such-thing"


class Wrong(NamedTuple):
    """Another value, and whether schema or state bound it."""

    value: Json
    bound: bool = True


class Kin:
    """Which texts of a state could be taken for one another: the keys of one map, the values of one field."""

    def __init__(self, state: JsonObject) -> None:
        self._keys: dict[str, list[str]] = {}
        self._values: dict[str, list[str]] = {}
        self._collect(state, "")

    def _collect(self, node: Json, name: str) -> None:
        if isinstance(node, dict):
            if _is_map(node):
                _add(self._keys, name, list(node))
            for key, part in node.items():
                self._collect(part, key)
        elif isinstance(node, list):
            for part in node:
                self._collect(part, name)
        elif isinstance(node, str):
            _add(self._values, name, [node])

    @property
    def _groups(self) -> list[list[str]]:
        return [*self._keys.values(), *self._values.values()]

    def of(self, value: str) -> list[str]:
        """The others that stand where `value` stands, in document order; at most `MAX_KIN`."""
        found = dict.fromkeys(
            one for group in self._groups if value in group for one in group if one != value
        )
        return list(found)[:MAX_KIN]

    def knows(self, value: str) -> bool:
        """Whether the value stands in the state."""
        return any(value in group for group in self._groups)

    def named(self, name: str) -> list[Json]:
        """Values of fields of that name, and the keys of maps that are named by its plural (`tanks` for `tank`)."""
        plurals = {f"{name}s", f"{name}es", f"{name[:-1]}ies"}
        keys = [key for group, known in self._keys.items() if group in plurals for key in known]
        return [*keys, *self._values.get(name, ())]

    def all_texts(self) -> list[str]:
        """Every id and text of the state, each once."""
        return list(dict.fromkeys(one for group in self._groups for one in group))


def _is_map(node: JsonObject) -> bool:
    """Whether the keys are data and not names of fields: several, with values of one type, or not plain names."""
    return len({type(part) for part in node.values()}) == 1 and (
        isinstance(next(iter(node.values())), dict) or any(not key.isidentifier() for key in node)
    )


def _add(groups: dict[str, list[str]], group: str, names: list[str]) -> None:
    known = groups.setdefault(group, [])
    known += [name for name in names if name not in known]


def wrong_values(value: Json, schema: JsonObject, kin: Kin) -> Iterator[Wrong]:
    """Other values for `value`, the likeliest mistakes first; each once."""
    seen = {canonical(value)}
    for one in _others(value, schema, kin):
        if (key := canonical(one.value)) not in seen:
            seen.add(key)
            yield one


def _others(value: Json, schema: JsonObject, kin: Kin) -> Iterator[Wrong]:
    if schema.get("enum"):
        yield from (Wrong(one) for one in schema["enum"])
    elif isinstance(value, bool):
        yield Wrong(not value)
    elif isinstance(value, (int, float)):
        yield from (Wrong(one) for one in _numbers(value, schema))
    elif isinstance(value, str):
        yield from _texts(value, kin)
    elif isinstance(value, list):
        yield from _lists(value, schema, kin)
    elif isinstance(value, dict):
        properties = schema.get("properties", {})
        for key, part in value.items():
            for one in wrong_values(part, properties.get(key, {}), kin):
                yield Wrong({**value, key: one.value}, one.bound)


def _numbers(value: float, schema: JsonObject) -> list[float]:
    low, high = schema.get("minimum"), schema.get("maximum")
    step = 1 if isinstance(value, int) or schema.get("type") == "integer" else 0.1
    wanted = [value + step, value - step, value * 2, value * 10, value // 2, 0, low, high]
    return [
        one
        for one in wanted
        if one is not None
        and (low is None or one >= low)
        and (high is None or one <= high)
        and one > schema.get("exclusiveMinimum", float("-inf"))
    ]


def _texts(value: str, kin: Kin) -> Iterator[Wrong]:
    try:
        moment = datetime.fromisoformat(value)
    except ValueError:
        yield from (Wrong(one) for one in kin.of(value))
        yield Wrong(_UNKNOWN) if kin.knows(value) else Wrong(_FREE, bound=False)
        return
    for change in (timedelta(hours=1), timedelta(hours=-1), timedelta(days=1), timedelta(minutes=-15)):
        yield Wrong(_like(value, moment + change))
    yield from (Wrong(one) for one in kin.of(value))


def _like(value: str, moment: datetime) -> str:
    """The moment written as `value` is: a date alone, or with a Z."""
    if len(value) == len("2025-01-01"):
        return moment.date().isoformat()
    text = moment.isoformat(timespec="minutes" if value.count(":") == 1 else "seconds")
    return text.replace("+00:00", "Z") if value.endswith("Z") else text


def _lists(value: list[Json], schema: JsonObject, kin: Kin) -> Iterator[Wrong]:
    """An item less, an item more, an item changed; another order is not bound, it may say the same."""
    for place in range(len(value)):
        yield Wrong(value[:place] + value[place + 1 :])
    for place, part in enumerate(value):
        for one in wrong_values(part, schema.get("items", {}), kin):
            if isinstance(part, str):
                yield Wrong([*value, one.value], one.bound)
            yield Wrong([*value[:place], one.value, *value[place + 1 :]], one.bound)
    yield Wrong(value[::-1], bound=False)
