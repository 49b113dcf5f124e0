"""Entities and collections: the things of an initial state, and where they stand."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

from replaylab.diff.identity import name_key, stem, stems, words
from replaylab.diff.lexicon import GROWING
from replaylab.schema.base import JsonObject

CollectionShape = Literal["rows", "map", "names", "values", "single"]
Closedness = Literal["closed", "discoverable"]


@dataclass(frozen=True)
class Entity:
    """One thing that the state holds. `aliases` are the keys by which it is known; `parent` is the key of what holds it."""

    id: str
    pointer: str
    aliases: frozenset[str]
    attributes: JsonObject = field(default_factory=dict)
    parent: str = ""

    @property
    def key(self) -> str:
        return name_key(self.id)


@dataclass(frozen=True)
class Collection:
    """Entities of one sort. `pointer` holds * where it stands for several parents; `key_field` names the id in a row."""

    name: str
    pointer: str
    shape: CollectionShape
    key_field: str
    entities: tuple[Entity, ...]
    description: str = ""

    @cached_property
    def fields(self) -> frozenset[str]:
        return frozenset(name for entity in self.entities for name in entity.attributes)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key by which a member is known."""
        return frozenset(alias for entity in self.entities for alias in entity.aliases)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(entity.id for entity in self.entities)

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(self.name)

    @cached_property
    def closedness(self) -> Closedness:
        """Whether it holds all there are: one that is empty at first, or is a log by its name, does not."""
        last = words(self.name)[-1:]
        return "discoverable" if not self.entities or (last and stem(last[0]) in GROWING) else "closed"

    def find(self, key: str) -> Entity | None:
        """The entity of that key; ids come before other names."""
        if not key or key not in self.keys:
            return None
        by_id = next((entity for entity in self.entities if entity.key == key), None)
        return by_id or next((entity for entity in self.entities if key in entity.aliases), None)
