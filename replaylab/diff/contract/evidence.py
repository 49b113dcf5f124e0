"""Why a group of an observation is thought to show a collection of the state."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.members import Key, by_name, by_values, called
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import family, is_near, stem, stems, words
from replaylab.diff.words.lexicon import ID_WORDS
from replaylab.diff.words.observed import Group
from replaylab.schema.scenario import Tool

_HEADED = 0.6
_SAID = 0.5
_COMPARED = 8


class Evidence(NamedTuple):
    """Each part is one test of its own."""

    members: int  # items that are members by id
    share: float  # of the group's items, or of the collection's members, whichever is more
    named: float  # how far the group or the tool is named after the collection, 0 to 1
    entitled: bool  # the list bears the very name of the collection
    exact: bool  # the tool is named after this collection and after nothing else
    told: bool  # the tool's description names the collection, or the collection's description the group
    keyed: bool  # the ids stand under the name that the collection has for them
    shaped: bool  # the rows have the collection's fields
    valued: bool  # the rows have the values of members, whatever they are called
    kin: bool  # the ids are of the family of its ids
    most_rows: bool  # most of the items are members, however they are told
    most: bool  # all of the items are members, or most of them and at least half of the members
    alike_only: bool  # what the collection holds are texts, which are told by likeness
    example: bool  # the tool's example shows this collection in this place

    @property
    def is_certain(self) -> bool:
        """Whether names say so, or a description together with the name of the ids."""
        return self.named >= 0.5 or self.exact or (self.told and (self.keyed or self.most))

    @property
    def is_named(self) -> bool:
        """Whether words say that this is what is shown."""
        return self.named >= 0.5 or self.exact or self.told or self.example

    def holds(self, group: Group) -> bool:
        """Whether it is enough to bind."""
        if self.exact or self.example:
            return True
        if self.alike_only and not self.is_named:
            return self.share > _SAID
        if self.members:
            return self.is_named or self.keyed or self.shaped or self.share >= 0.5
        if self.is_named and (self.keyed or self.shaped or self.kin):
            return True
        if self.named >= 1 and group.shape in ("names", "empty"):
            return True
        if self.entitled:
            return True
        return self.valued and (self.keyed or self.shaped)

    @property
    def weight(self) -> float:
        """For the choice between two collections that could both be meant."""
        parts = (self.keyed, self.shaped, self.valued, self.kin, self.told)
        return (
            2 * bool(self.members)
            + 2 * self.share
            + 2 * self.named
            + sum(parts)
            + 2 * self.example
            + self.exact
        )


def _is_written_like_id(name: str) -> bool:
    return " " not in name and any(char.isdigit() for char in name)


class Place(NamedTuple):
    """Where a group stands: whether the tool's example shows the collection there, and whether it is the only list."""

    example: bool = False
    alone: bool = False


def weigh(
    group: Group, tool: Tool, collection: Collection, id_field: str, key: Key, place: Place
) -> Evidence:
    """The evidence for one group and one collection whose members are known by `key`."""
    names = [item.named(id_field) for item in group.items]
    present = [name for name in names if name]
    members = sum(by_name(key, name) is not None for name in present)
    families = {family(name) for name in key.names}
    own = collection.stems or stems(collection.key_field)
    kin = bool(present) and sum(family(name) in families for name in present) * 2 > len(present)
    if present and not members and not kin:
        kin = all(any(is_near(name, one) for one in key.names) for name in present[:_COMPARED])
    # What a write returns need not be what it is named after, nor plain names that are called something of their own.
    strange = group.shape == "names" and bool(called(group.name)) and not members and not kin
    strange = strange and not all(_is_written_like_id(name) for name in present)
    about = frozenset[str]() if is_write(tool) or strange else stems(object_of(tool.name))
    headed = _headed(group, collection)
    # A list that is called after the members, of a tool that is called after the collection.
    named = 1.0 if headed and own & about else max(_part(own, called(group.name)), _part(own, about), headed)
    alike = sum(by_values(collection, item.row) is not None for item in group.items)
    return Evidence(
        members=members,
        share=max(members / len(names), members / len(collection.entities)) if names else 0.0,
        named=named,
        entitled=_is_entitled(group, collection),
        exact=bool(own) and about == own and _is_main(group, collection, place),
        told=not strange and _is_told(group, tool, collection),
        keyed=bool(id_field) and (bool(key.field) or _is_key_of(id_field, collection, named >= _SAID)),
        shaped=_is_shaped(group, collection),
        valued=bool(group.items) and alike * 2 > len(group.items),
        kin=kin,
        most_rows=bool(names) and max(members, alike) * 2 > len(names),
        most=members > 1
        and (members == len(names) or (members * 2 > len(names) and members * 2 >= len(collection.entities))),
        alike_only=collection.shape == "texts",
        example=place.example and not strange,
    )


def object_of(tool: str) -> str:
    """A tool's name without its verb."""
    return "_".join(words(tool)[1:])


def _is_main(group: Group, collection: Collection, place: Place) -> bool:
    """Whether a list can be what its tool is named after: the only one, one without a name of its own, or one that is
    named after the members.
    """
    said = called(group.name)
    fits = place.alone or not said or bool(said & (collection.stems | collection.heads))
    return fits and not group.inside and group.shape != "values"


def _is_entitled(group: Group, collection: Collection) -> bool:
    said = called(group.name)
    return bool(said) and said == collection.stems and group.shape in ("rows", "map", "names", "texts")


def _part(own: frozenset[str], said: frozenset[str]) -> float:
    """Which part of the collection's name stands in another."""
    return len(said & own) / len(own) if own else 0.0


def _headed(group: Group, collection: Collection) -> float:
    """Whether a list is named after what the members are called: `codes` of `obd_fault_codes`."""
    said = called(group.name)
    return _HEADED if said and said <= collection.heads else 0.0


def _is_told(group: Group, tool: Tool, collection: Collection) -> bool:
    own = collection.stems
    by_tool = bool(own) and own <= stems(tool.description) and not group.inside and not is_write(tool)
    said = called(group.name)
    return by_tool or (bool(said) and said <= stems(collection.description))


def _is_key_of(field: str, collection: Collection, named: bool) -> bool:
    """Whether ids stand under the name that the collection has for them; a plain `id` only where the list is named so."""
    own = {stem(part) for part in words(field)[:-1]}
    if own:
        theirs = collection.stems | {stem(part) for part in words(collection.key_field)[:-1]}
        return bool(own & (theirs | stems(collection.description)))
    last, key = words(field)[-1:], words(collection.key_field)[-1:]
    return named and bool(last) and last[0] in ID_WORDS and (not key or key[0] in ID_WORDS)


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
