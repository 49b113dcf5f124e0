"""Which collection of the state a list in an observation shows. Without this, nothing can be said to be missing or invented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.diff.contract.collection import Collection, Entity, within
from replaylab.diff.contract.evidence import Evidence, Place, weigh
from replaylab.diff.contract.members import Key, by_name, by_values, called, keys_for
from replaylab.diff.words.identity import key_of, last_word, name_key, stem, stems, words
from replaylab.diff.words.keyfield import rank_key
from replaylab.diff.words.lexicon import GROWING, ID_WORDS, NAME_WORDS
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.scenario import Tool

_OWN = 1.2  # how well the very field serves that names the members in the state
_KNOWN_IDS = 1.4  # how well a field serves whose values are ids of the collection, whatever it is called
_REPEATED = 3  # so many rows with one and the same value: it is no id
_BARE = 4.5  # how well `patient` names a patient: better than a plain `code`, less than `patient_id` or `id`


class Binding(NamedTuple):
    """A group, the collection that it shows, the field of its rows that holds their ids ("" where keys or values do),
    and by what the members are known here: their ids, or another field that tells them apart.
    """

    group: Group
    collection: Collection
    id_field: str
    key: Key
    evidence: Evidence

    @property
    def is_named(self) -> bool:
        """Whether tool or group say that this is what is shown, so that what is missing can be told."""
        return self.evidence.is_named

    @property
    def shows_all(self) -> bool:
        """Whether what is missing can be told. Of plain fields only where the object itself is named so."""
        if self.group.inside and "*" not in self.collection.pointer:
            return False  # a part of a row refers to members and does not list them
        if self.group.shape == "values":
            members, items = self.evidence.members, len(self.group.items)
            most = members == items or (members > 1 and members * 2 > items)
            # Under another name: where the tool tells of the collection, and nothing but most of its members is shown.
            told = self.evidence.told and members == items and members * 2 > len(self.collection.entities)
            said = self.evidence.named >= 0.5 or (told and self.collection.shape == "names" and members > 1)
            named = called(self.group.name) == self.collection.stems or (said and most)
            return named and bool(self.evidence.members)
        return self.evidence.is_certain or self.evidence.example

    def name_of(self, item: Item) -> str:
        """What an item is called here."""
        return item.named(self.id_field)

    def id_of(self, entity: Entity) -> str:
        """What a member is called here."""
        return str(entity.attributes.get(self.key.field, "")) if self.key.field else entity.id

    def entity_of(self, item: Item) -> Entity | None:
        """The member that an item is: by its id, and where it has none that is its own, by its name or its values."""
        named = self.name_of(item)
        found = by_name(self.key, named)
        if found and name_key(named) not in found.aliases and self._shows_itself(found):
            return None  # "Room 2 Annex" beside "Room 2" is another room
        if found or (named and self.has_ids):
            return found
        return (
            self.entity_by_name(item)
            if not named or not self.collection.key_field
            else self._by_other_name(item)
        )

    def _shows_itself(self, entity: Entity) -> bool:
        """Whether an item bears the very name of a member."""
        return not self.key.field and any(
            name_key(self.name_of(item)) in entity.aliases for item in self.group.items
        )

    def entity_by_name(self, item: Item) -> Entity | None:
        """The member whose other name or whose values an item has, whatever its id says."""
        known = bool(self.collection.key_field) or self.collection.shape != "rows"
        # Of members that no field tells apart, what looks like an id is one value among the others.
        rest = {field: value for field, value in item.row.items() if not known or field != self.id_field}
        return self._by_other_name(item) or by_values(self.collection, rest)

    def _by_other_name(self, item: Item) -> Entity | None:
        named = [field for field in item.row if field != self.id_field and last_word(field) in NAME_WORDS]
        found = (by_name(self.key, str(item.row[field])) for field in named)
        return next((one for one in found if one), None)

    @property
    def has_ids(self) -> bool:
        """Whether the items carry ids of the sort that the collection has, so that another id is another thing."""
        if self.group.shape != "rows" or self.key.field:
            return True
        if self.collection.shape != "rows":
            return bool(self.id_field)
        field, key = words(self.id_field)[-1:], words(self.collection.key_field)[-1:]
        return bool(field and key) and (field == key or (field[0] in NAME_WORDS) == (key[0] in NAME_WORDS))


def id_field_of(group: Group, collection: Collection | None = None) -> str:
    """The field of a group's rows that names them. A reference to something else is none: rooms are not their patients."""
    if group.shape != "rows" or not group.items:
        return ""
    row = group.items[0].row

    def rank(field: str) -> float:
        bare = (
            collection is not None
            and stems(field) <= collection.heads
            and isinstance(row[field], (str, int))
            and not _is_plural(field)
        )
        own = collection is not None and field == collection.key_field and key_of(row[field])
        ids = frozenset[str]() if collection is None else collection.id_keys
        known = sum(key_of(item.row.get(field)) in ids for item in group.items)
        return max(
            rank_key(field, group.name, row),
            _BARE if bare and stems(field) else 0,
            _OWN if own else 0,
            _KNOWN_IDS if known * 2 > len(group.items) else 0,
        )

    ranked = sorted((field for field in row if rank(field) > 0), key=lambda field: -rank(field))
    if not ranked and (collection is None or collection.shape != "texts"):
        return ""
    if collection is not None and collection.shape in ("names", "texts"):
        return _naming_field(group, collection, ranked)
    # What is the same in several rows, and names no member, refers to something else.
    known = frozenset() if collection is None else collection.keys
    ranked = [field for field in ranked if _tells_apart(group, field, known)]
    if not ranked:
        return ""
    own = {stem(part) for part in words(ranked[0])[:-1]}
    is_plain_id = not own and last_word(ranked[0]) in ID_WORDS
    if collection is None or is_plain_id or own & stems(group.name):
        return ranked[0]
    keys = [collection.id_keys, collection.keys]
    by_id, by_name_too = (
        {field: sum(key_of(item.row.get(field)) in known for item in group.items) for field in ranked}
        for known in keys
    )
    written = all(" " not in str(item.row.get(ranked[0])) for item in group.items)
    if not any(by_id.values()) and written and stems(ranked[0]) and stems(ranked[0]) <= collection.heads:
        return ranked[0]  # what is called like the members names them, known or not
    members = by_id if any(by_id.values()) else by_name_too
    return max(ranked, key=lambda field: (members[field], -ranked.index(field)))


def _is_plural(field: str) -> bool:
    """Whether a field is called after several things: the `rules` of a policy are no name of it."""
    return last_word(field) == f"{stem(last_word(field))}s"


def _tells_apart(group: Group, field: str, known: frozenset[str]) -> bool:
    keys = [key_of(item.row.get(field)) for item in group.items]
    return len(set(keys)) > 1 or len(keys) < _REPEATED or bool(known & set(keys))


def _naming_field(group: Group, collection: Collection, ranked: Sequence[str]) -> str:
    """The field of rows that show a plain list: the one whose values stand in it, or else a name where it holds names
    and an id where it holds ids.
    """
    key = Key(collection)
    texts = [field for field, value in group.items[0].row.items() if isinstance(value, str)]
    fields = list(dict.fromkeys([*ranked, *(texts if collection.shape == "texts" else ())]))
    has_digits = any(char.isdigit() for one in collection.ids for char in one)

    def fits(field: str) -> tuple[int, bool]:
        known = sum(by_name(key, str(item.row.get(field, ""))) is not None for item in group.items)
        return known, not has_digits and last_word(field) in NAME_WORDS

    return max(fields, key=lambda field: (*fits(field), -fields.index(field)), default="")


def bind(
    group: Group,
    tool: Tool,
    collections: Sequence[Collection],
    expected: Sequence[Collection] = (),
    *,
    alone: bool = False,
) -> Binding | None:
    """The collection that a group shows, or None. `expected` are those that the tool's example shows in this place."""
    growing = is_growing(group.name)
    if any(one.stems and one.stems == stems(group.name) and not one.entities for one in collections):
        return None  # a list that is empty at first: what it holds refers to other things
    found = [
        Binding(group, one, field, key, weigh(group, tool, one, field, key, Place(one in expected, alone)))
        for one in collections
        if one.entities
        and (one.shape != "single" or one.key_field)
        and (not growing or one.grows or one.closedness != "closed")
        for field in [id_field_of(group, one)]
        for key in keys_for(one, field)
        if not _lists_values(group, one, field, key)
    ]
    holding = [one for one in found if one.evidence.holds(group)]
    # An empty list of a collection's very name is that one, whatever its tool is named after.
    titled = [one for one in holding if not group.items and called(group.name) == one.collection.stems]
    holding = titled or holding
    # Whose members most of them are is shown, whatever another collection is called.
    own = [one for one in holding if one.evidence.entitled and one.evidence.members and one.evidence.shaped]
    whose = own or [one for one in holding if one.evidence.members * 2 > len(group.items)]
    holding = whose or holding
    return max(holding, key=lambda one: one.evidence.weight, default=None)


def _lists_values(group: Group, collection: Collection, field: str, key: Key) -> bool:
    """Whether a list is of what the members refer to, and not of them: rooms, where the collection holds who is in them."""
    said = called(group.name)
    if said & (collection.stems | collection.heads) or not field:
        return False
    own = next((name for name in group.items[0].row if stems(name) and stems(name) <= said), "")
    named = [key_of(item.row.get(own)) for item in group.items]
    is_own = bool(own) and "" not in named and len(set(named)) == len(named)
    return is_own and own != collection.key_field and (field != own or bool(key.field))


def _may_own(group: Group, collection: Collection) -> bool:
    """Whether what a row holds can be of this collection: not where that belongs to others than the row names."""
    parents = {one.parent for one in collection.entities} - {""}
    return not group.inside or not parents or bool(parents & group.owners)


def is_growing(name: str) -> bool:
    """Whether a list is named after something that happens, so that its rows only refer to things."""
    last = words(name)[-1:]
    return bool(last) and stem(last[0]) in GROWING


def all_bindings(
    found: Sequence[Group],
    tool: Tool,
    collections: Sequence[Collection],
    expected: Sequence[tuple[str, Collection]] = (),
) -> Iterator[Binding]:
    """The bindings of an observation's groups. `expected` are names of groups in the tool's example with what they show."""
    lists = [
        group for group in found if group.shape in ("rows", "names", "empty", "map") and not group.inside
    ]
    for group in found:
        here = [one for name, one in expected if name and stems(name) == stems(group.name)]
        alone = len(lists) == 1 and group in lists
        if alone:
            here = here or [one for _, one in expected]
        own = [within(one, group.owners) for one in collections if _may_own(group, one)]
        binding = bind(group, tool, own, [within(one, group.owners) for one in here], alone=alone)
        if binding is not None:
            yield binding
