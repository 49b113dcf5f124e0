"""Which collection of the state a list in an observation shows. Without this, nothing can be said to be missing or invented."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.collection import Collection, Entity
from replaylab.diff.identity import family, key_of, name_key, names_whole, stem, stems, words
from replaylab.diff.keyfield import rank_key
from replaylab.diff.lexicon import GROWING, NAME_WORDS, VERBS
from replaylab.diff.observed import Group, Item
from replaylab.schema.base import Json
from replaylab.schema.scenario import Tool


class Evidence(NamedTuple):
    """Why a group is thought to show a collection. Each part is one test of its own."""

    members: int  # items that are members by id
    share: float  # of the group's items, or of the collection's members, whichever is more
    named: float  # how far the group or the tool is named after the collection, 0 to 1
    keyed: bool  # the ids stand under the name that the collection has for them
    shaped: bool  # the rows have the collection's fields
    valued: bool  # the rows have the values of members, whatever they are called
    kin: bool  # the ids are of the family of its ids
    example: bool  # the tool's example shows this collection in this place

    @property
    def holds(self) -> bool:
        """Whether it is enough to bind."""
        if self.members:
            return bool(self.named or self.keyed or self.shaped or self.example or self.share >= 0.5)
        named = self.named >= 0.5 or self.example
        return (named and (self.keyed or self.shaped or self.kin or self.example)) or (
            self.valued and (self.keyed or self.shaped)
        )

    @property
    def weight(self) -> float:
        """For the choice between two collections that could both be meant."""
        parts = (self.keyed, self.shaped, self.valued, self.kin)
        return 2 * bool(self.members) + 2 * self.share + 2 * self.named + sum(parts) + 2 * self.example


class Binding(NamedTuple):
    """A group, the collection that it shows, and the field of its rows that holds their ids ("" where keys or values do)."""

    group: Group
    collection: Collection
    id_field: str
    evidence: Evidence

    @property
    def is_named(self) -> bool:
        """Whether tool or group say that this is what is shown, so that what is missing can be told."""
        return self.evidence.named >= 0.5 or self.evidence.example

    def name_of(self, item: Item) -> str:
        """What an item is called here."""
        return item.label or str(item.row.get(self.id_field) or "")

    def entity_of(self, item: Item) -> Entity | None:
        """The member that an item is: by its id, and where it has none that is its own, by its name or its values."""
        named = self.name_of(item)
        found = by_name(self.collection, named)
        if found or (named and self.has_ids):
            return found
        for field in item.row:
            if words(field)[-1:] and words(field)[-1] in NAME_WORDS:
                found = by_name(self.collection, str(item.row[field]))
                if found:
                    return found
        return by_values(self.collection, item) if not named or not self.collection.key_field else None

    def entity_by_name(self, item: Item) -> Entity | None:
        """The member whose other name or whose values an item has, whatever its id says."""
        rest = {field: value for field, value in item.row.items() if field != self.id_field}
        named = [
            by_name(self.collection, str(rest[field]))
            for field in rest
            if words(field)[-1:] and words(field)[-1] in NAME_WORDS
        ]
        return next((one for one in named if one), None) or by_values(
            self.collection, Item(item.pointer, "", rest)
        )

    @property
    def has_ids(self) -> bool:
        """Whether the items carry ids of the sort that the collection has, so that another id is another thing."""
        if self.group.shape != "rows":
            return True
        field, key = words(self.id_field)[-1:], words(self.collection.key_field)[-1:]
        is_name = bool(field) and field[0] in NAME_WORDS
        return bool(field) and (not key or is_name == (key[0] in NAME_WORDS) or field == key)


def by_name(collection: Collection, name: str) -> Entity | None:
    """The member of that name; also where more stands around it: "AMR-05 (Unit 5)"."""
    found = collection.find(name_key(name))
    if found or not name:
        return found
    whole = [one for one in collection.entities if len(one.key) > 1 and names_whole(name, one.id)]
    return max(whole, key=lambda one: len(one.id)) if whole and " " in name else None


def by_values(collection: Collection, item: Item) -> Entity | None:
    """The member whose values a row repeats: at least two, and more than half of those that can be compared."""
    best, most = None, 1.0
    for entity in collection.entities:
        shared = [field for field in item.row if field in entity.attributes and _is_plain(item.row[field])]
        equal = sum(1 for field in shared if same(entity.attributes[field], item.row[field]))
        if equal > most and equal / len(shared) > 0.5:
            best, most = entity, equal
    return best


def _is_plain(value: Json) -> bool:
    return not isinstance(value, (dict, list, bool)) and value is not None


def id_field_of(group: Group, collection: Collection | None = None) -> str:
    """The field of a group's rows that names them. A reference to something else is none: rooms are not their patients."""
    if group.shape != "rows" or not group.items:
        return ""
    row = group.items[0].row
    ranked = sorted(
        (field for field in row if rank_key(field, group.name, row) > 0),
        key=lambda field: -rank_key(field, group.name, row),
    )
    if not ranked:
        return ""
    own = {stem(part) for part in words(ranked[0])[:-1]}
    if collection is None or own & stems(group.name):
        return ranked[0]
    members = {
        field: sum(key_of(item.row.get(field)) in collection.keys for item in group.items) for field in ranked
    }
    return max(ranked, key=lambda field: (members[field], -ranked.index(field)))


def bind(
    group: Group, tool: Tool, collections: Sequence[Collection], expected: Sequence[Collection] = ()
) -> Binding | None:
    """The collection that a group shows, or None. `expected` are those that the tool's example shows in this place."""
    found = [
        Binding(group, one, field, _evidence(group, tool, one, field, example=one in expected))
        for one in collections
        if one.entities and (one.shape != "single" or one.key_field)
        for field in [id_field_of(group, one)]
    ]
    holding = [one for one in found if one.evidence.holds]
    return max(holding, key=lambda one: one.evidence.weight, default=None)


def _evidence(group: Group, tool: Tool, collection: Collection, id_field: str, *, example: bool) -> Evidence:
    names = [item.label or str(item.row.get(id_field) or "") for item in group.items]
    present = [name for name in names if name]
    members = sum(by_name(collection, name) is not None for name in present)
    families = {family(name) for name in collection.ids}
    return Evidence(
        members=members,
        share=max(members / len(names), members / len(collection.entities)) if names else 0.0,
        named=max(_named(group.name, collection), _named(tool.name, collection)),
        keyed=bool(id_field) and _is_key_of(id_field, collection),
        shaped=_is_shaped(group, collection),
        valued=bool(group.items)
        and sum(by_values(collection, item) is not None for item in group.items) * 2 > len(group.items),
        kin=bool(present) and sum(family(name) in families for name in present) * 2 > len(present),
        example=example,
    )


def _named(name: str, collection: Collection) -> float:
    """Which part of the collection's name stands in a name, verbs left out."""
    said = stems(name) - VERBS
    of = collection.stems or stems(collection.key_field)
    return len(said & of) / len(of) if of else 0.0


def _is_key_of(field: str, collection: Collection) -> bool:
    own = {stem(part) for part in words(field)[:-1]}
    if own:
        theirs = collection.stems | {stem(part) for part in words(collection.key_field)[:-1]}
        return bool(own & theirs)
    return name_key(field) == name_key(collection.key_field)


def _is_shaped(group: Group, collection: Collection) -> bool:
    rows = [item.row for item in group.items if group.shape in ("rows", "map")]
    if not rows:
        return False
    theirs = frozenset[str]().union(*(stems(field) for field in collection.fields))
    fields = list(rows[0])
    alike = [
        field for field in fields if field in collection.fields or (stems(field) and stems(field) <= theirs)
    ]
    return len(alike) >= 2 and len(alike) * 2 >= len(fields)


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
        if is_growing(group.name):
            continue
        here = [one for name, one in expected if stems(name) == stems(group.name)]
        if not here and len(lists) == 1 and group in lists:
            here = [one for _, one in expected]
        binding = bind(group, tool, collections, here)
        if binding is not None:
            yield binding
