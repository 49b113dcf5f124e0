"""What refers to what in a contract: fields that hold members of a collection, and how ids are written."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence

from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import family, key_of, name_key
from replaylab.diff.words.lexicon import NO_NAMES, QUEUES
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json
from replaylab.schema.scenario import Environment

_OWN_NAMES = ("id", "name", "title", "label")
_LETTERS_AND_NUMBER = 2


def referring_fields(environment: Environment, collections: Sequence[Collection]) -> dict[str, Collection]:
    """By field: the one closed collection whose members stand under it, wherever it has a value."""
    values: dict[str, dict[str, str]] = {}
    for key, value in _texts(environment):
        if key not in _OWN_NAMES and name_key(value) not in NO_NAMES | {""}:
            values.setdefault(key, {})[name_key(value)] = value
    closed = [one for one in collections if is_whole(one) and one.shape in ("map", "rows")]
    found = {}
    for key, names in values.items():
        owners = [one for one in closed if key != one.key_field and names.keys() <= one.keys]
        if len(owners) == 1 and (len(names) > 1 or all(map(_is_written_like_id, names.values()))):
            found[key] = owners[0]
    return found


def is_whole(collection: Collection) -> bool:
    """Whether a collection holds all things of its sort; a queue holds those that wait."""
    return collection.closedness == "closed" and not collection.stems & QUEUES


def _is_written_like_id(name: str) -> bool:
    """Whether a name is no word of a language, so that it is no chance that a member is called so."""
    return " " not in name and (any(map(str.isdigit, name)) or "-" in name or "_" in name)


def _texts(environment: Environment) -> Iterator[tuple[str, str]]:
    nodes: list[Json] = [environment.initial_state, *(tool.example_output for tool in environment.tools)]
    for node in nodes:
        for _, key, value in leaves(node):
            if isinstance(value, str):
                yield key, value


def id_families(collections: Sequence[Collection]) -> dict[tuple[str, ...], Collection]:
    """By how ids are written, letters and a number: the closed collection that has several such, where all that have any
    are closed.
    """
    owners: dict[tuple[str, ...], list[tuple[Collection, int]]] = {}
    for one in collections:
        shapes = [family(name) for name in one.ids if name]
        for shape in dict.fromkeys(shapes):
            owners.setdefault(shape, []).append((one, shapes.count(shape)))
    return {
        shape: of[0][0]
        for shape, of in owners.items()
        if len(shape) == _LETTERS_AND_NUMBER
        and shape[1] == "#" != shape[0]
        and all(is_whole(one) and one.shape in ("map", "rows", "names") for one, _ in of)
        and max(count for _, count in of) > 1
    }


def referrers_in(collection: Collection, keys: Container[str]) -> dict[str, dict[str, list[Entity]]]:
    """By the key of a thing and by field: the members that name it there, also inside a list."""
    found: dict[str, dict[str, list[Entity]]] = {}
    for entity in collection.entities:
        for field, part in entity.attributes.items():
            for key in dict.fromkeys(key_of(value) for _, _, value in leaves(part)):
                if key and key in keys and key != entity.key:
                    found.setdefault(key, {}).setdefault(field, []).append(entity)
    return found
