"""Whether items are parts of members: three unit groups that a simulator shows as fifteen units are no invention."""

from __future__ import annotations

from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import COUNTING
from replaylab.diff.words.observed import Item


def is_finer(binding: Binding) -> bool:
    """Whether the items stand for parts: more of them than members, none of which is shown itself, and each tied to one.

    What ties them is the id ("Group-A-3" of "Group-A"), a field that names the member, or a value of it, where members
    say how many parts they have.
    """
    items, members = binding.group.items, binding.collection.entities
    if len(items) <= len(members) or any(binding.entity_of(item) for item in items):
        return False
    return all(_is_tied(binding, item) for item in items) or _adds_up(len(items), binding.collection)


def _is_tied(binding: Binding, item: Item) -> bool:
    named = words(binding.name_of(item))
    keys = {key_of(value) for field, value in item.row.items() if field != binding.id_field}
    return any(_goes_on(named, one) or one.aliases & keys for one in binding.collection.entities)


def _goes_on(named: tuple[str, ...], entity: Entity) -> bool:
    """Whether a name is a member's with one more part."""
    own = words(entity.id)
    return bool(own) and len(named) == len(own) + 1 and named[: len(own)] == own


def _adds_up(count: int, collection: Collection) -> bool:
    """Whether members say how many parts they have, and these are so many."""
    counts = [
        sum(
            value
            for field, value in one.attributes.items()
            if stems(field) & COUNTING and isinstance(value, int)
        )
        for one in collection.entities
    ]
    return sum(counts) == count
