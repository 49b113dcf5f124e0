"""Which member of a collection a name or a row means."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from replaylab.checks.matcher import same
from replaylab.diff.collection import Collection, Entity
from replaylab.diff.identity import key_of, name_key, names_whole, stems, words
from replaylab.diff.keyfield import MAX_NAME
from replaylab.schema.base import Json, JsonObject


@dataclass(frozen=True)
class Key:
    """By what the members of a collection are known: their ids (`field` is ""), or a field that differs in each."""

    collection: Collection
    field: str = ""
    by_key: Mapping[str, Entity] = dataclasses.field(default_factory=dict, hash=False, compare=False)

    def find(self, key: str) -> Entity | None:
        """The member of that key."""
        return self.by_key.get(key) if self.field else self.collection.find(key)

    @property
    def names(self) -> dict[str, Entity]:
        """Every member by its name as written."""
        if self.field:
            return {str(entity.attributes[self.field]): entity for entity in self.by_key.values()}
        return {entity.id: entity for entity in self.collection.entities}


def keys_for(collection: Collection, id_field: str) -> Iterator[Key]:
    """The ids, and the field that is called like `id_field` where it tells the members apart: slots by their cargo."""
    yield Key(collection)
    if not id_field or collection.shape not in ("rows", "map"):
        return
    for name in sorted(collection.fields):
        if name == collection.key_field or not (stems(name) and stems(name) <= stems(id_field)):
            continue
        by_key = {key_of(one.attributes.get(name)): one for one in collection.entities}
        if len(by_key) == len(collection.entities) and "" not in by_key:
            yield Key(collection, name, by_key)


def by_name(key: Key, name: str) -> Entity | None:
    """The member of that name; also where more stands around it: "AMR-05 (Unit 5)"."""
    found = key.find(name_key(name))
    if found or not name or " " not in name:
        return found
    whole = [
        one for written, one in key.names.items() if len(name_key(written)) > 1 and names_whole(name, written)
    ]
    return max(whole, key=lambda one: len(one.id), default=None)


def by_values(collection: Collection, row: JsonObject) -> Entity | None:
    """The member whose values a row repeats: at least two, and more than half of those that can be compared."""
    best, most = None, 1
    for entity in collection.entities:
        shared = [name for name in row if name in entity.attributes and _is_plain(row[name])]
        equal = sum(1 for name in shared if same(entity.attributes[name], row[name]))
        if equal > most and equal / len(shared) > 0.5:
            best, most = entity, equal
    return best


def _is_plain(value: Json) -> bool:
    return not isinstance(value, (dict, list, bool)) and value is not None and len(str(value)) <= 4 * MAX_NAME


def called(name: str) -> frozenset[str]:
    """The stems of a list's name without what says that ids are listed: `listing_ids` lists listings."""
    parts = words(name)
    return (
        stems("_".join(parts[:-1]))
        if len(parts) > 1 and parts[-1] in ("id", "ids", "list", "names", "map")
        else stems(name)
    )
