"""Ids inside texts: "4 items pending: N-101, N-102" lists what a list would."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import family, ids_in, name_key
from replaylab.diff.words.observed import Group, Item, texts
from replaylab.schema.base import Json

_LEAST = 2  # members named in one text before it counts as a list of them


def told_groups(observation: Json, collections: Sequence[Collection]) -> Iterator[Group]:
    """For each text that names several members of a collection: these, and what else is written like them."""
    if isinstance(observation, str) and observation.lstrip().startswith(("{", "[", "`")):
        return  # JSON that breaks off: what it would have said further on is not missing
    for pointer, text in texts(observation):
        named = list(dict.fromkeys(ids_in(text))) if " " in text else []
        for one in collections if len(named) >= _LEAST else ():
            families = {family(name) for name in one.ids}
            alike = [name for name in named if family(name) in families]
            if sum(name_key(name) in one.keys for name in alike) >= _LEAST:
                yield Group(pointer, "", "names", tuple(Item(pointer, name, {}) for name in alike))
