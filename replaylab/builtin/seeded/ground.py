"""The ground that a violation is seeded on: what is true before a call, what the call truly returns, and what was said."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Tool
from replaylab.schema.seeded import Seeded

Path = tuple[str | int, ...]
_ID = re.compile(r"(?=.*\d)[\w.-]{2,24}")
_PLAIN = (str, int, float, bool)


class Said(NamedTuple):
    """An observation, and what in it is against the contract: nothing where it is benign."""

    observation: Json
    seeded: tuple[Seeded, ...] = ()


class Rows(NamedTuple):
    """A list of objects in the truth. `field` holds the id of each row, "" where rows have none."""

    path: Path
    field: str
    items: tuple[JsonObject, ...]

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(str(row[self.field]) for row in self.items) if self.field else ()


class Subject(NamedTuple):
    """An object of the truth that is about an entity of the state, and the entity's record there."""

    path: Path
    entity: str
    row: JsonObject
    record: JsonObject


@dataclass(frozen=True)
class Ground:
    """One call. `state` is the twin's before it, `known` all text so far in small letters, `put` asks a copy of the twin."""

    environment: Environment
    tool: Tool
    arguments: JsonObject
    truth: Json
    state: JsonObject
    known: str
    put: Callable[[JsonObject], Json]

    @property
    def refused(self) -> bool:
        """Whether the truth is a refusal."""
        return is_refusal(self.truth)

    @property
    def reads(self) -> bool:
        """Whether the call changes nothing and is not refused."""
        return self.tool.effect == "read" and not self.refused and isinstance(self.truth, dict)

    @cached_property
    def entities(self) -> dict[str, JsonObject]:
        """The things of the state by id, as they are now."""
        return entities_of(self.state)

    @cached_property
    def at_first(self) -> dict[str, JsonObject]:
        """The things of the initial state by id."""
        return entities_of(self.environment.initial_state)

    @cached_property
    def asked(self) -> dict[str, str]:
        """The arguments that name a thing of the state: {argument: id}."""
        given = self.arguments.items()
        return {name: value for name, value in given if isinstance(value, str) and value in self.entities}

    @cached_property
    def rows(self) -> tuple[Rows, ...]:
        """Every list of objects in the truth, in document order."""
        return tuple(self._rows())

    def _rows(self) -> Iterator[Rows]:
        for path, node in nodes(self.truth):
            if isinstance(node, list) and node and all(isinstance(item, dict) for item in node):
                yield Rows(path, _id_field(node, self.entities), tuple(node))

    @cached_property
    def subjects(self) -> tuple[Subject, ...]:
        """What the truth says of which entity: rows with an id, and an object that is about what was asked for."""
        found = [
            Subject((*rows.path, at), name, row, self.entities[name])
            for rows in self.rows
            for at, (name, row) in enumerate(zip(rows.ids, rows.items, strict=False))
        ]
        if isinstance(self.truth, dict):
            names = [
                value
                for value in self.truth.values()
                if isinstance(value, str) and value in self.asked.values()
            ]
            found += [Subject((), name, self.truth, self.entities[name]) for name in names[:1]]
        return tuple(found)

    def peers(self, name: str) -> tuple[str, ...]:
        """The ids of the same collection as an id, its own left out."""
        return tuple(
            one for group in collections(self.state) if name in group for one in group if one != name
        )

    def is_new(self, name: str) -> bool:
        """Whether nothing so far has held this name: no prompt, no state, no argument, no observation."""
        return name.lower() not in self.known


def is_refusal(observation: Json) -> bool:
    """Whether a simulator's observation says that nothing was done."""
    return isinstance(observation, dict) and isinstance(observation.get("error"), str)


def collections(state: Json) -> Iterator[Mapping[str, JsonObject]]:
    """Every collection of the state: objects by id, or rows that have an id each."""
    for _, node in nodes(state):
        if isinstance(node, dict) and node and all(isinstance(one, dict) for one in node.values()):
            yield node
        elif isinstance(node, list) and node and all(isinstance(one, dict) for one in node):
            field = next((key for key in node[0] if _names_all(node, key)), "")
            if field:
                yield {str(one[field]): one for one in node}


def entities_of(state: Json) -> dict[str, JsonObject]:
    """The things of a state by id; the first one where two share it."""
    found: dict[str, JsonObject] = {}
    for group in collections(state):
        for name, record in group.items():
            found.setdefault(name, record)
    return found


def nodes(value: Json, path: Path = ()) -> Iterator[tuple[Path, Json]]:
    """Every part of a value with its place, itself first."""
    yield path, value
    if isinstance(value, dict):
        for key, part in value.items():
            yield from nodes(part, (*path, key))
    elif isinstance(value, list):
        for at, part in enumerate(value):
            yield from nodes(part, (*path, at))


def is_plain(value: Json) -> bool:
    """Whether a value is a text, a number or a truth value."""
    return isinstance(value, _PLAIN)


def changed(value: Json, path: Path, new: Json) -> Json:
    """A copy with another part at a place."""
    if not path:
        return copy.deepcopy(new)
    whole = copy.deepcopy(value)
    at = whole
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = copy.deepcopy(new)
    return whole


def pointer(path: Sequence[str | int]) -> str:
    """A place as a JSON Pointer."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def holds(value: Json, name: str) -> bool:
    """Whether a name stands anywhere in a value: as a value, as a key, or inside a text."""
    low = name.lower()
    return any(
        (isinstance(node, str) and low in node.lower())
        or (isinstance(node, dict) and any(low == str(key).lower() for key in node))
        for _, node in nodes(value)
    )


def _id_field(rows: Sequence[JsonObject], entities: Mapping[str, JsonObject]) -> str:
    for field in rows[0]:
        names = [row.get(field) for row in rows]
        if all(isinstance(name, str) and name in entities for name in names) and len(set(names)) == len(
            names
        ):
            return field
    return ""


def _names_all(rows: Sequence[JsonObject], field: str) -> bool:
    """Whether a field names each of some rows: an id, and never the same twice."""
    names = [row.get(field) for row in rows]
    return all(isinstance(name, str) and _ID.fullmatch(name) for name in names) and len(set(names)) == len(
        rows
    )
