"""Entities and collections: the things of an initial state, and where they stand."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal

from replaylab.diff.contract.likeness import Likeness
from replaylab.diff.words.identity import key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import CONTAINERS, GROWING
from replaylab.schema.base import JsonObject

CollectionShape = Literal["rows", "map", "names", "texts", "values", "single"]
Closedness = Literal["closed", "discoverable"]


_PREPOSITIONS = frozenset(("in", "of", "at", "by", "for", "on", "per"))
_OF = re.compile(
    r"\b(?:map|mapping|list|collection|dictionary|table|registry|record|set|queue|inventory)s? of (?:all |the |active |current )*"
    r"((?:[\w-]+ ){0,2}?[\w-]+?)(?: IDs?| identifiers?| objects?| names?| keys?|s)?\b(?= |,|\.|$)",
    re.IGNORECASE,
)


_ALL = re.compile(r"\s*(?:all|every|each of the) (?!\w* ?(?:so far|recorded))", re.IGNORECASE)


_ADDED = re.compile(r"\b(?:one|more|some|new \w+) (?:is|are|may be) added\b", re.IGNORECASE)


@dataclass(frozen=True)
class Entity:
    """One thing that the state holds. `aliases` are the keys by which it is known; `parent` is the key of what holds it;
    `related` is what other collections say of a thing of this id.
    """

    id: str
    pointer: str
    aliases: frozenset[str]
    attributes: JsonObject = field(default_factory=dict)
    parent: str = ""
    related: JsonObject = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        return name_key(self.id)

    @cached_property
    def value_keys(self) -> frozenset[str]:
        """The keys of its values."""
        return frozenset(key_of(value) for value in self.attributes.values())

    @property
    def facts(self) -> JsonObject:
        """All that the state says of it."""
        return {**self.related, **self.attributes}

    @property
    def title(self) -> str:
        """Its id; of a row without one, its first text."""
        return self.id or next((one for one in self.attributes.values() if isinstance(one, str)), "")


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
    def kept(self) -> dict[Any, Any]:
        """What was asked of it before, by what was asked."""
        return {}

    @cached_property
    def fields(self) -> frozenset[str]:
        return frozenset(name for entity in self.entities for name in entity.attributes)

    @cached_property
    def facts(self) -> frozenset[str]:
        """The fields of its members, with those that other collections have of them."""
        return frozenset(name for entity in self.entities for name in entity.facts)

    @cached_property
    def keys(self) -> frozenset[str]:
        """Every key by which a member is known."""
        return frozenset(alias for entity in self.entities for alias in entity.aliases)

    @cached_property
    def id_keys(self) -> frozenset[str]:
        """The keys of its ids."""
        return frozenset(entity.key for entity in self.entities)

    @cached_property
    def shared_ids(self) -> frozenset[str]:
        """The keys of ids that several members have, of several parents."""
        counted = Counter(entity.key for entity in self.entities)
        return frozenset(key for key, count in counted.items() if count > 1)

    @cached_property
    def ids(self) -> tuple[str, ...]:
        return tuple(entity.id for entity in self.entities)

    @cached_property
    def stems(self) -> frozenset[str]:
        return stems(self.name)

    @cached_property
    def heads(self) -> frozenset[str]:
        """What a member is called: a patient of `patients_in_waiting_room`, a link of "a mapping of link IDs"."""
        name = list(words(self.name))
        cut = next((at for at, word in enumerate(name) if word in _PREPOSITIONS and at), len(name))
        own = [word for word in name[:cut] if stem(word) not in CONTAINERS][-1:]
        told = _OF.search(self.description)
        of = [word for word in words(told[1]) if stem(word) not in CONTAINERS][-1:] if told else []
        return frozenset(stem(word) for word in (*own, *of, *words(self.key_field)[:-1]))

    @cached_property
    def is_named_after_members(self) -> bool:
        """Whether its name says what its members are: suppliers of `suppliers`, not zones of `fire_dynamics`."""
        key = frozenset(stem(word) for word in words(self.key_field)[:-1])
        return not key or bool(key & self.stems)

    @cached_property
    def closedness(self) -> Closedness:
        """Whether it holds all there are: one that is empty at first, or is a log by its name, does not."""
        return "discoverable" if not self.entities or (self.grows and not self.is_told_whole) else "closed"

    @cached_property
    def is_told_whole(self) -> bool:
        """Whether the description says that these are all: "All aliquots by id", and not that more come."""
        told = _ALL.match(self.description) is not None and _ADDED.search(self.description) is None
        return self.shape in ("map", "rows") and told

    @cached_property
    def grows(self) -> bool:
        """Whether it is named after what happens: `audit_history`, `alert_status`."""
        parts = [stem(word) for word in words(self.name)]
        own = [part for part in parts if part not in CONTAINERS or part in GROWING]
        return bool(own) and own[-1] in GROWING

    def find(self, key: str) -> Entity | None:
        """The entity of that key; ids come before other names."""
        if not key or key not in self.keys:
            return None
        return self._by_name.get(key)

    @cached_property
    def _by_name(self) -> dict[str, Entity]:
        """The first member of each id, and of each other name that is no id."""
        named: dict[str, Entity] = {}
        for entity in self.entities:
            named.setdefault(entity.key, entity)
        for entity in self.entities:
            for alias in sorted(entity.aliases - self.id_keys):
                named.setdefault(alias, entity)
        return named

    @cached_property
    def likeness(self) -> Likeness:
        """Its members by their values."""
        return Likeness(
            [entity.attributes for entity in self.entities], [entity.value_keys for entity in self.entities]
        )


def within(collection: Collection, named: frozenset[str]) -> Collection:
    """The collection, cut to the parents that are named, where some are."""
    parents = {one.parent for one in collection.entities}
    if len(parents) < 2 or not parents & named:
        return collection
    return replace(collection, entities=tuple(one for one in collection.entities if one.parent in named))
