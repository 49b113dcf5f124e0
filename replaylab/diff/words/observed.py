"""An observation taken apart: the JSON in it, its groups of items, its texts, each with a JSON pointer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.keyfield import is_name
from replaylab.diff.words.lexicon import WRAPPERS
from replaylab.diff.words.mapped import is_data, map_shape
from replaylab.errors import CallFailed
from replaylab.roles.parsing import one_json
from replaylab.schema.base import Json, JsonObject

Shape = Literal["rows", "names", "texts", "map", "values", "empty"]
_KINDS = frozenset({"object", "array", "null"})


class Item(NamedTuple):
    """One element of a group: its name in the group (a map's key, a plain value, else "") and its fields."""

    pointer: str
    label: str
    row: JsonObject

    def named(self, field: str) -> str:
        """What it is called, or what that field of it calls it: a text or a number. A list, an object, or a yes is no name."""
        value = self.row.get(field)
        return self.label or ("" if isinstance(value, (bool, list, dict)) else str(value or ""))


class Group(NamedTuple):
    """A list or a map of items. `name` is the nearest telling key above it; `inside` the pointer of the row around it, and
    `owners` the names in that row and in those around it: whose items these are.
    """

    pointer: str
    name: str
    shape: Shape
    items: tuple[Item, ...]
    inside: str = ""
    owners: frozenset[str] = frozenset()


class Around(NamedTuple):
    """What is around a node: the nearest telling key, the pointer of the row, and the names in it."""

    name: str = ""
    inside: str = ""
    owners: frozenset[str] = frozenset()


NOTHING = Around()


def read_observation(value: Json) -> Json:
    """The JSON of an observation. Text is read as a reply would be: fences, prose around it, doubled braces."""
    if not isinstance(value, str):
        return value
    try:
        return one_json(value, _KINDS)
    except CallFailed:
        return value


def escape(part: str) -> str:
    """One part of a JSON pointer."""
    return part.replace("~", "~0").replace("/", "~1")


def face_of(observation: Json) -> JsonObject:
    """The fields of an answer: those of the object, and of what it only wraps."""
    if not isinstance(observation, dict):
        return {}
    inner = [
        part for key, part in observation.items() if key.casefold() in WRAPPERS and isinstance(part, dict)
    ]
    face = dict(observation)
    for part in inner:
        face |= face_of(part)
    return face


def leaves(node: Json, pointer: str = "", key: str = "") -> Iterator[tuple[str, str, Json]]:
    """Every scalar with its pointer and the nearest key above it, in document order."""
    if isinstance(node, dict):
        for name, part in node.items():
            yield from leaves(part, f"{pointer}/{escape(name)}", name)
    elif isinstance(node, list):
        for index, part in enumerate(node):
            yield from leaves(part, f"{pointer}/{index}", key)
    else:
        yield pointer, key, node


def texts(node: Json) -> Iterator[tuple[str, str]]:
    """Every text with its pointer."""
    for pointer, _, value in leaves(node):
        if isinstance(value, str):
            yield pointer, value


def words_of(node: Json) -> frozenset[str]:
    """The stems of keys and texts of a value."""
    found: frozenset[str] = frozenset()
    for pointer, _, value in leaves(node):
        found |= stems(pointer)
        if isinstance(value, str):
            found |= stems(value)
        elif value is not None:
            found |= {key_of(value)}
    return found


def groups(node: Json, pointer: str = "", around: Around = NOTHING) -> Iterator[Group]:
    """Every list, every map of objects and every map of plain values, outer ones first. A row of a list is none."""
    if isinstance(node, list):
        yield from _list_group(node, pointer, around)
        for index, part in enumerate(node):
            here = f"{pointer}/{index}"
            if isinstance(part, dict):
                yield from _below(
                    part, here, around._replace(inside=here, owners=around.owners | _named_in(part))
                )
            else:
                yield from groups(part, here, around)
    elif isinstance(node, dict):
        yield from _map_group(node, pointer, around)
        yield from _below(node, pointer, around)


def _below(node: JsonObject, pointer: str, around: Around) -> Iterator[Group]:
    is_map = pointer != "" and map_shape(node) == "map"
    for key, part in node.items():
        here = f"{pointer}/{escape(key)}"
        inner = around if key.casefold() in WRAPPERS else around._replace(name=key)
        if is_map:
            inner = inner._replace(inside=here, owners=around.owners | {key_of(key)})
        yield from groups(part, here, inner)


def _named_in(row: JsonObject) -> frozenset[str]:
    return frozenset(key_of(value) for value in row.values()) - {""}


def _list_group(node: list[Json], pointer: str, around: Around) -> Iterator[Group]:
    if not node:
        yield Group(pointer, around.name, "empty", (), *around[1:])
    elif all(isinstance(part, dict) for part in node):
        rows = tuple(Item(f"{pointer}/{index}", "", part) for index, part in enumerate(node))
        yield Group(pointer, around.name, "rows", rows, *around[1:])
    elif all(is_name(part) for part in node) or all(isinstance(part, str) and part for part in node):
        shape: Shape = "names" if all(is_name(part) for part in node) else "texts"
        plain = tuple(Item(f"{pointer}/{index}", str(part), {}) for index, part in enumerate(node))
        yield Group(pointer, around.name, shape, plain, *around[1:])


def _map_group(node: JsonObject, pointer: str, around: Around) -> Iterator[Group]:
    if not node:
        if pointer:
            yield Group(pointer, around.name, "empty", (), *around[1:])
        return
    inner = {
        key: part for key, part in node.items() if isinstance(part, dict) and key.casefold() not in WRAPPERS
    }
    plain = {key: part for key, part in node.items() if not isinstance(part, (dict, list))}
    if map_shape(node) != "map":  # among fields only what can't be the name of one is an entry
        inner = {key: part for key, part in inner.items() if is_data(key)}
    if inner:
        yield Group(pointer, around.name, "map", _entries(inner, pointer), *around[1:])
    if plain:
        yield Group(pointer, around.name, "values", _entries(plain, pointer), *around[1:])


def _entries(node: JsonObject, pointer: str) -> tuple[Item, ...]:
    return tuple(
        Item(f"{pointer}/{escape(key)}", key, part if isinstance(part, dict) else {"value": part})
        for key, part in node.items()
    )
