"""The collections of an initial state: rows of lists, keys of maps, plain names, single records, nested ones too."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import key_of, last_word, name_key, stem, stems, words
from replaylab.diff.words.keyfield import is_name, key_field_of
from replaylab.diff.words.lexicon import ID_WORDS, NAME_WORDS
from replaylab.diff.words.mapped import is_data, map_shape
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, JsonObject

_LED = re.compile(r"([A-Za-z][\w-]*\d[\w-]*) ?: ")
_SENTENCE = 5  # words of a text that is no name


def collections_of(
    state: JsonObject, description: JsonObject, subjects: frozenset[str] = frozenset()
) -> tuple[Collection, ...]:
    """Every collection of a state in document order; those of one sort under several parents are one.

    `subjects` are the stems of what tools take ids of: `component` where one takes a `component_id`. An object of plain
    values that is named after one is a map of such things and not a record.
    """
    found: dict[tuple[str, str], list[Collection]] = {}
    for one in _Walk(description, subjects).walk(state, "/initial_state", "", ""):
        found.setdefault((one.pointer, one.shape), []).append(one)
    united = [_united(parts) for parts in found.values()]
    return with_related([_named_by_itself(one, united) for one in united])


def with_related(collections: Sequence[Collection]) -> tuple[Collection, ...]:
    """The collections, each entity with what others say of the thing of that id: its price beside its stock."""
    said: dict[str, list[tuple[str, JsonObject]]] = {}
    for one in collections:
        for entity in one.entities if one.shape in ("rows", "map", "values") else ():
            facts = {one.name: entity.attributes["value"]} if one.shape == "values" else entity.attributes
            said.setdefault(entity.key, []).append((one.pointer, facts))
    return tuple(
        replace(
            one, entities=tuple(_related(one, entity, said.get(entity.key, [])) for entity in one.entities)
        )
        for one in collections
    )


def _related(collection: Collection, entity: Entity, said: Sequence[tuple[str, JsonObject]]) -> Entity:
    related: JsonObject = {}
    for pointer, facts in said if entity.key else ():
        for name, value in facts.items() if pointer != collection.pointer else ():
            related.setdefault(name, value)
    if collection.shape == "values":
        related[collection.name] = entity.attributes["value"]
    return replace(entity, related=related) if related else entity


def _named_by_itself(one: Collection, others: Sequence[Collection]) -> Collection:
    """The collection, keyed by another field where its key only refers to things of another collection. Ids that a record lists
    are no collection of such things: they refer to this one.
    """
    owners = {
        id(other): other
        for other in others
        if other is not one
        and other.shape != "single"
        and not (other.shape == "names" and "*" in other.pointer)
    }
    refers = [
        field
        for field in one.fields
        if any(
            {stem(part) for part in words(field)[:-1]} & other.stems and _all_known(one, field, other)
            for other in owners.values()
        )
    ]
    if one.key_field not in refers or one.shape != "rows":
        return one
    rows = [
        {key: part for key, part in entity.attributes.items() if key not in refers} for entity in one.entities
    ]
    instead = key_field_of(rows, one.name) if all(rows) else ""
    if not instead:
        return one
    entities = tuple(_row(each.attributes, each.pointer, instead, each.parent) for each in one.entities)
    return replace(one, key_field=instead, entities=entities)


def _all_known(one: Collection, field: str, other: Collection) -> bool:
    keys = other.keys
    return all(key_of(entity.attributes.get(field)) in keys for entity in one.entities)


def _united(parts: Sequence[Collection]) -> Collection:
    first = parts[0]
    if len(parts) == 1:
        return first
    key_field = next((one.key_field for one in parts if one.key_field), "")
    entities = tuple(entity for one in parts for entity in one.entities)
    if first.shape == "rows":  # a list of one row does not show which field tells rows apart
        entities = tuple(
            one if one.id else _row(one.attributes, one.pointer, key_field, one.parent) for one in entities
        )
    return replace(first, key_field=key_field, entities=entities)


class _Walk:
    """Goes through a state once."""

    def __init__(self, description: JsonObject, subjects: frozenset[str]) -> None:
        self._description, self._subjects = description, subjects

    def walk(self, node: Json, pointer: str, name: str, parent: str) -> Iterator[Collection]:
        if isinstance(node, list):
            yield from self._lists(node, pointer, name, parent)
        elif isinstance(node, dict):
            told = self._told(pointer)
            shape = map_shape(node, told, named=bool(stems(name) & self._subjects)) if name else None
            if shape is None:
                yield from _single(node, pointer, name, parent)
                for key, part in node.items():
                    yield from self.walk(part, f"{pointer}/{escape(key)}", key, parent)
                return
            entities = tuple(
                _entry(key, part, f"{pointer}/{escape(key)}", parent) for key, part in node.items()
            )
            yield Collection(name, pointer, shape, "", entities, told)
            nested = any(
                isinstance(part, dict) and len(part) > 1 and _is_map_of_things(part) for part in node.values()
            )
            for key, part in node.items():
                yield from self._in_entry(key, part, f"{pointer}/*", name, nested=nested)

    def _in_entry(
        self, key: str, part: Json, pointer: str, name: str, *, nested: bool = False
    ) -> Iterator[Collection]:
        """What an entry of a map holds: a list, a map of plain values such as stocks by product, things (where it is `nested`
        as its neighbours are), or fields.
        """
        if isinstance(part, list):
            yield from self._lists(part, pointer, name, name_key(key))
        elif isinstance(part, dict) and map_shape(part) == "values":
            entities = tuple(
                _entry(inner, below, f"{pointer}/{escape(inner)}", name_key(key))
                for inner, below in part.items()
            )
            yield Collection(name, pointer, "values", "", entities)
        elif isinstance(part, dict) and nested and _is_map_of_things(part):
            things = tuple(
                _entry(inner, below, f"{pointer}/{escape(inner)}", name_key(key))
                for inner, below in part.items()
            )
            yield Collection(name, pointer, "map", "", things)
            for inner, below in part.items():
                yield from self._in_entry(inner, below, f"{pointer}/*", name)
        elif isinstance(part, dict):
            for inner, below in part.items():
                yield from self.walk(below, f"{pointer}/{escape(inner)}", inner, name_key(key))

    def _lists(self, node: list[Json], pointer: str, name: str, parent: str) -> Iterator[Collection]:
        told = self._told(pointer)
        rows = [(number, part) for number, part in enumerate(node) if isinstance(part, dict)]
        if not node:
            yield Collection(name, pointer, "rows", "", (), told)
        elif len(rows) == len(node):
            key_field = key_field_of([row for _, row in rows], name)
            entities = tuple(_row(row, f"{pointer}/{number}", key_field, parent) for number, row in rows)
            yield Collection(name, pointer, "rows", key_field, entities, told)
            for (_, row), entity in zip(rows, entities, strict=True):
                for key, part in row.items():
                    yield from self.walk(part, f"{pointer}/*/{escape(key)}", key, entity.key)
        elif all(is_name(part) for part in node) or all(isinstance(part, str) and part for part in node):
            named = all(is_name(part) for part in node) and not _are_sentences(node)
            shape: Literal["names", "texts"] = "names" if named else "texts"
            heads = leading_ids(node)
            entities = tuple(
                Entity(
                    str(part),
                    f"{pointer}/{number}",
                    frozenset({key_of(part), *heads[number : number + 1]}),
                    {},
                    parent,
                )
                for number, part in enumerate(node)
            )
            yield Collection(name, pointer, shape, "", entities, told)

    def _told(self, pointer: str) -> str:
        """What the state description says of a top-level field."""
        parts = pointer.split("/")[2:]
        told = self._description.get(parts[0]) if len(parts) == 1 else ""
        return told if isinstance(told, str) else ""


def leading_ids(node: Sequence[Json]) -> list[str]:
    """The keys of the ids that texts begin with, where all do and each with another: "V-2: a cracked pane" is V-2."""
    found = [_LED.match(part) if isinstance(part, str) else None for part in node]
    keys = [name_key(one[1]) for one in found if one is not None]
    return keys if len(set(keys)) == len(node) else []


def _are_sentences(node: Sequence[Json]) -> bool:
    """Whether all texts of a list say something rather than name it, however short: steps that are to be taken."""
    return all(isinstance(part, str) and len(part.split()) >= _SENTENCE for part in node)


def _is_map_of_things(node: JsonObject) -> bool:
    """Whether an entry is a map itself: all of its keys are data, and lead to objects of the same fields."""
    return bool(node) and all(is_data(key) and isinstance(part, dict) and part for key, part in node.items())


def _single(node: JsonObject, pointer: str, name: str, parent: str) -> Iterator[Collection]:
    """A record that stands alone is an entity; one with an id of its own, such as the one order of a state, has a name."""
    key_field = key_field_of([node], name)
    plain = {key: part for key, part in node.items() if not isinstance(part, (dict, list))}
    if key_field and last_word(key_field) in ID_WORDS:
        title = name or "_".join(words(key_field)[:-1])
        yield Collection(title, pointer, "single", key_field, (_row(node, pointer, key_field, parent),))
    elif plain:
        yield Collection(name, pointer, "single", "", (Entity("", pointer, frozenset(), plain, parent),))


def _row(row: JsonObject, pointer: str, key_field: str, parent: str) -> Entity:
    named = str(row[key_field]) if key_field and key_of(row.get(key_field)) else ""
    aliases = {key_of(row.get(key_field))} if key_field else set()
    aliases |= {key_of(row[key]) for key in row if len(words(key)) == 1 and words(key)[0] in NAME_WORDS}
    return Entity(named, pointer, frozenset(aliases - {""}), row, parent)


def _entry(key: str, part: Json, pointer: str, parent: str) -> Entity:
    """An entry of a map. Its own `id` and `name` fields are other names of it."""
    row = part if isinstance(part, dict) else {"value": part}
    aliases = {name_key(key)}
    aliases |= {
        key_of(row.get(field)) for field in ("id", "name", "title", "label", "callsign") if field in row
    }
    return Entity(key, pointer, frozenset(aliases - {""}), row, parent)
