"""Links: which things of a state refer to which, so that what is done with one may change another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import key_of
from replaylab.diff.words.observed import leaves

_HOPS = 2  # a hold names an option, and that the flights whose seats it takes


class Links:
    """By the key of a thing: the keys of the things that it refers to (`to`), and of those that refer to it (`of`)."""

    def __init__(self, collections: Sequence[Collection]) -> None:
        things = [
            (entity, one)
            for one in collections
            for entity in one.entities
            if one.shape in ("map", "rows") and entity.id
        ]
        keys = {entity.key for entity, _ in things}
        to: dict[str, set[str]] = {}
        of: dict[str, set[str]] = {}
        for entity, _ in things:
            named = {key_of(value) for _, _, value in leaves(entity.attributes)} & keys - {entity.key}
            to.setdefault(entity.key, set()).update(named)
            for one in named:
                of.setdefault(one, set()).add(entity.key)
        self.to: Mapping[str, frozenset[str]] = {key: frozenset(found) for key, found in to.items()}
        self.of: Mapping[str, frozenset[str]] = {key: frozenset(found) for key, found in of.items()}

    def leads_to(self, keys: Iterable[str]) -> frozenset[str]:
        """These keys, and what they refer to by some steps."""
        found = near = frozenset(keys)
        for _ in range(_HOPS):
            near = frozenset[str]().union(*(self.to.get(key, ()) for key in near))
            found |= near
        return found

    def reached(self, keys: Iterable[str]) -> frozenset[str]:
        """These keys, what they refer to by some steps, and what refers to them itself."""
        start = frozenset(keys)
        return self.leads_to(start).union(*(self.of.get(key, ()) for key in start))
