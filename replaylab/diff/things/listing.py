"""Which things a list shows, without an example: each item bears the id of one, under a field that is called like them, or in a list or
by a tool that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.evidence import object_of
from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.things.thing import Thing, called, things_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, REFERENCE_WORDS
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import JsonObject

_IDS = stems(" ".join(REFERENCE_WORDS))


class Shown(NamedTuple):
    """An item of a list with the thing that it shows."""

    item: Item
    thing: Thing


class Listing(NamedTuple):
    """A list of things of one collection. `field` names them in its rows, "" in plain names; `strange` are items that are none."""

    group: Group
    collection: Collection
    field: str
    shown: tuple[Shown, ...]
    strange: tuple[Item, ...]

    @property
    def keys(self) -> frozenset[str]:
        """The keys of the things that are shown."""
        return frozenset(one.thing.key for one in self.shown)


def listings(look: Look) -> list[Listing]:
    """The lists of things on the face of a reading."""
    if "listings" not in look.kept:
        reads = not is_write(look.step.tool) and verb_of(look.step.tool) not in DISCOVERY_VERBS - stems(
            "search"
        )
        bare = isinstance(look.step.observation, list)
        whole = [one for one in look.groups if one.pointer == ""] if bare else lists_on_face(look)
        found = whole if reads else []
        look.kept["listings"] = [one for group in found if (one := listing_of(look, group)) is not None]
    listed: list[Listing] = look.kept["listings"]
    return listed


def listing_of(look: Look, group: Group) -> Listing | None:
    """What a list shows, where its items tell: more than half of them bear ids of one collection alone."""
    if group.shape not in ("rows", "names") or not group.items:
        return None
    found = [
        _listing(look, group, one, field)
        for one in collections_of_things(look)
        for field in _fields(group)
        if _names(look, group, one, field)
    ]
    best = max((_rank(look, one) for one in found), default=0)
    found = [one for one in found if _rank(look, one) == best > 0]
    return found[0] if len(found) == 1 else None


def collections_of_things(look: Look) -> tuple[Collection, ...]:
    """The collections of things that have ids, and are no parts of others."""
    return _collections_of_things(look.contract)


@lru_cache(maxsize=256)
def _collections_of_things(contract: Contract) -> tuple[Collection, ...]:
    return tuple(
        one
        for one in contract.collections
        if one.shape in ("map", "rows") and "*" not in one.pointer and one.entities and all(one.ids)
    )


def _fields(group: Group) -> Sequence[str]:
    return list(group.items[0].row) if group.shape == "rows" else ("",)


def _name(item: Item, field: str) -> str:
    return key_of(item.row.get(field) if field else item.label)


def _names(look: Look, group: Group, collection: Collection, field: str) -> bool:
    """Whether more than half of the items bear ids of a collection there."""
    least = len(group.items) // 2 + 1
    names = [_name(item, field) for item in group.items]
    if sum(name in collection.id_keys or name in look.world.created for name in names) < least:
        return False  # what stands by now is worked out only of what is shown
    known = by_key(look, collection)
    return sum(name in known for name in names) >= least


def by_key(look: Look, collection: Collection) -> dict[str, Thing]:
    """The things of a collection by their keys."""
    kept = look.kept.setdefault("by_key", {})
    if collection.pointer not in kept:
        kept[collection.pointer] = {one.key: one for one in reversed(things_of(look, collection))}
    found: dict[str, Thing] = kept[collection.pointer]
    return found


def _listing(look: Look, group: Group, collection: Collection, field: str) -> Listing:
    known = by_key(look, collection)
    shown = tuple(
        Shown(item, known[_name(item, field)]) for item in group.items if _name(item, field) in known
    )
    strange = tuple(item for item in group.items if _name(item, field) not in known)
    return Listing(group, collection, field, shown, strange)


def _rank(look: Look, one: Listing) -> int:
    """How well a list tells that it is of these things: by its own name, by the field that names its rows and comes first, by the name
    of its tool; plain names tell it themselves.
    """
    own = one.collection.heads | one.collection.stems
    told = called(one.field) - _IDS
    about = bool(stems(object_of(look.step.tool.name)) & own) or stems(look.step.tool.name) <= own
    titled = bool(stems(one.group.name) & own) or (not one.group.name and about)
    first = one.field == next(iter(one.group.items[0].row), "")
    if one.group.shape == "names":
        return 2 + titled
    if told and not told <= own:
        return 0
    if titled:
        return 3 + first
    return 2 if (told or about) and first and _has_their_fields(one) else 0


def _has_their_fields(one: Listing) -> bool:
    """Whether the rows have fields of the things besides the one that names them."""
    row: JsonObject = one.group.items[0].row
    return any(name in one.collection.fields and name != one.field for name in row)


def arguments_given(look: Look) -> Iterator[tuple[str, object]]:
    """The arguments that ask for something."""
    for name, value in look.step.arguments.items():
        if value not in (None, "", [], {}):
            yield name, value
