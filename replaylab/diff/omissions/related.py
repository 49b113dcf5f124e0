"""What refers to a thing: a call that names a reader and lists holds shows every edition whose queue has that reader."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.changes import may_have_changed
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import about_of, inner, lists_on_face
from replaylab.diff.contract.binding import id_field_of
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.parts_told import is_told_part, stands_like_one
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import CONTAINERS, PICKING
from replaylab.diff.words.observed import Group, groups, leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation


def unrelated(look: Look) -> Iterator[Violation]:
    """Members that refer to what the call names, and that a list of those that do leaves out."""
    tool = look.step.tool
    given = [value for value in look.step.arguments.values() if value not in (None, "")]
    if is_write(tool) or len(given) != 1 or stems(tool.name) & PICKING:
        return
    about = about_of(look)
    if about is None:
        return
    parent = about[1]
    for group in lists_on_face(look):
        if is_told_part(look, group.name):
            continue
        found = _shown_referrers(look, group, parent)
        if found is None:
            continue
        collection, field, members = found
        for one in members:
            if one.aliases & look.said or may_have_changed(look, collection, one, field):
                continue
            if _is_called_a_part(group, collection) and one.key in look.touched:
                continue  # it may stand otherwise by now: an order that was open is shipped
            if _is_picked(group, collection) and not stands_like_one(
                collection, one, _shown_as_such(look, group, collection)
            ):
                continue  # a closed loan is none of the active ones
            yield look.violation(
                kind="omission",
                subkind="missing" if group.items else "all_missing",
                pointer=group.pointer,
                contract=one.pointer,
                entity=one.id,
                expected=[each.id for each in members][:12],
                observed=[item.row or item.label for item in group.items][:12],
                confidence=0.7,
                message=f"{tool.name} leaves out {one.id!r}, whose {field} in {one.pointer} names {parent.id}",
            )


def _is_called_a_part(group: Group, collection: Collection) -> bool:
    """Whether a list bears a word beside those for the things themselves: `open_orders`."""
    return bool(stems(group.name) - collection.stems - collection.heads - CONTAINERS)


def _is_picked(group: Group, collection: Collection) -> bool:
    """Whether a list bears a word for how things stand: `active_loans`."""
    return bool((stems(group.name) - collection.stems - collection.heads) & PICKING)


def _shown_as_such(look: Look, group: Group, collection: Collection) -> list[Entity]:
    """The members that the list of this name shows, here and in the tool's example."""
    example = groups(inner(look.step.tool.example_output)[1]) if look.step.tool.has_example else ()
    lists = [group, *(one for one in example if one.name == group.name and not one.inside)]
    found = (collection.find(name) for one in lists for name in names_of(one, collection))
    return [one for one in found if one is not None]


def _shown_referrers(
    look: Look, group: Group, parent: Entity
) -> tuple[Collection, str, Sequence[Entity]] | None:
    """The collection that a list shows members of, the field by which they refer to a thing, and all that do."""
    for collection in look.contract.whole_things:
        names = names_of(group, collection)
        told = [one for one in names if one in collection.keys]
        if group.items and (
            not told or any(one not in collection.keys and not look.world.knows(one) for one in names)
        ):
            continue
        for field, members in look.contract.referrers(collection, parent.key).items():
            keys = {each.key for each in members}
            if names and (not keys.issuperset(told) or _is_of_the_parent(parent, told)):
                continue
            shown = _how_it_was_shown(look, group, collection, field)
            plain = all(not isinstance(each.attributes[field], (dict, list)) for each in members)
            # Of an empty list its name says what it would hold.
            called = stems(group.name)
            said = bool(names) or (bool(called) and called <= collection.stems | collection.heads)
            if "some" not in shown and ("all" in shown or (said and plain)):
                return collection, field, members
    return None


def _is_of_the_parent(parent: Entity, told: Sequence[str]) -> bool:
    """Whether the thing itself names all that are shown, so that its own list is shown."""
    own = {key_of(value) for _, _, value in leaves(parent.attributes)}
    return set(told) <= own


def names_of(group: Group, collection: Collection) -> list[str]:
    """The keys of what a list names: by the field that is called like the members, else by the one that names its rows."""
    called = [
        field
        for item in group.items[:1]
        for field in item.row
        if stems(field) and stems(field) <= collection.heads | collection.stems
    ]
    field = called[0] if len(called) == 1 else id_field_of(group)
    return [key for item in group.items if (key := key_of(item.label or item.row.get(field)))]


def _how_it_was_shown(look: Look, group: Group, collection: Collection, field: str) -> set[str]:
    """Whether the list of this name shows, in the tool's example and in earlier answers of it, all members that refer by
    this field to what it is about, or only some, so that it lists by something else.
    """
    tool, names = look.step.tool, list(look.step.arguments)
    earlier = [one.observation for one in look.world.steps if one.tool.name == tool.name and not one.refused]
    found = {
        _shows_referrers(look, said, group.name, (collection, field, names))
        for said in (tool.example_output, *earlier)
    }
    return found - {""}


def _shows_referrers(look: Look, said: Json, name: str, of: tuple[Collection, str, list[str]]) -> str:
    collection, field, arguments = of
    pointer, face = inner(said)
    shown = next((one for one in groups(face, pointer) if one.name == name and not one.inside), None)
    about = next((key_of(face[one]) for one in arguments if key_of(face.get(one))), "")
    members = look.contract.referrers(collection, about).get(field, ())
    if shown is None or not members:
        return ""
    names = set(names_of(shown, collection))
    unchanged = {one.key for one in members if not may_have_changed(look, collection, one, field)}
    return "all" if names and names >= unchanged else "some"
