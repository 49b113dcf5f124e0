"""What a list need not show although it shows a collection, and what it shows under another field than the ids'."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.members import called
from replaylab.diff.words.identity import key_of, last_word, name_key, stems, words
from replaylab.schema.base import JsonObject

_SORTS = frozenset(("type", "kind", "category", "class"))


def other_names(binding: Binding) -> Iterator[str]:
    """What rows name beside their ids: by any field where the row's own id is no member's, as a callsign beside a number
    that the simulator gave; else by one that is called like the id's, as two tickers in one row. What the collection has as a
    field of its members refers to others.
    """
    if binding.group.shape != "rows":
        return
    last = words(binding.id_field)[-1:]
    for item in binding.group.items:
        strange = not binding.collection.find(name_key(binding.name_of(item)))
        for field, value in _plain(item.row):
            if field not in binding.collection.facts and (strange or words(field)[-1:] == last):
                yield value


def _plain(row: JsonObject) -> Iterator[tuple[str, str]]:
    """The names in a row and in the objects inside it."""
    for field, value in row.items():
        if isinstance(value, dict):
            yield from _plain(value)
        elif isinstance(value, (str, int)):
            yield field, str(value)


def is_of_another_sort(binding: Binding, entity: Entity) -> bool:
    """Whether a list is called after one sort of the members, as all that it shows are, and this is one of another: a supply
    among specimens.
    """
    said = called(binding.group.name) - binding.collection.stems - binding.collection.heads
    if not said or said & _sort_of(entity):
        return False
    shown = [one for item in binding.group.items if (one := binding.entity_of(item)) is not None]
    return bool(shown) and all(said & _sort_of(one) for one in shown)


def _sort_of(entity: Entity) -> frozenset[str]:
    """The words that say what a thing is: those of its id, and of its type."""
    told = (str(value) for field, value in entity.attributes.items() if last_word(field) in _SORTS)
    return stems(entity.id).union(*(stems(value) for value in told))


def is_put_otherwise(binding: Binding) -> bool:
    """Whether sentences are shown that only resemble a few of a list of prose: what is put in other words, or in figures
    under a name of its own, leaves nothing out.
    """
    collection, group = binding.collection, binding.group
    if collection.shape != "texts" or not group.items or binding.evidence.entitled:
        return False
    whole = any(name_key(binding.name_of(item)) in collection.keys for item in group.items)
    return not whole and binding.evidence.members * 2 <= len(collection.entities)


def is_about_another(look: Look, binding: Binding) -> bool:
    """Whether a call asks about a thing of another collection, and its rows have nothing of this one, which only the tool is
    named after: the shortages of an order are no list of logs.
    """
    seen = binding.evidence
    own = binding.collection.stems | binding.collection.heads
    if seen.members or seen.kin or seen.shaped or seen.valued or called(binding.group.name) & own:
        return False
    if not binding.group.items:
        return False
    return any(
        one.find(key_of(value)) is not None
        for value in look.step.arguments.values()
        for one in _others(look, binding.collection)
    )


def _others(look: Look, collection: Collection) -> Iterator[Collection]:
    """The collections that neither hold this one nor are it."""
    for one in look.contract.collections:
        if one.shape in ("rows", "map") and not collection.pointer.startswith(one.pointer):
            yield one
