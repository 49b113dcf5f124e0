"""Lists inside one record or one section of the state: what such a list shows of it, nothing picks, and so it shows all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.changes import described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.wanted import reads
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.members import owners_of
from replaylab.diff.contract.tools import verb_of
from replaylab.diff.omissions.alone import is_about_one
from replaylab.diff.omissions.arguments import cuts, is_alone
from replaylab.diff.omissions.filters import is_status
from replaylab.diff.words.identity import key_of, name_key, stem, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import DISCOVERY_VERBS, EVERYTHING, PICKING
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_SEVERAL = 2
_TOP = 3  # parts of the pointer of a field of the state itself


def shortened(look: Look) -> Iterator[Violation]:
    """Members that a list leaves out of which all items are the state's own, under its name or in its section."""
    if not reads(look.step.tool) or verb_of(look.step.tool) in DISCOVERY_VERBS:
        return
    for group in look.groups:
        collection = _whose(look, group) if not group.inside and group.items else None
        if collection is None or not _shows_whole(look, collection):
            continue
        missing = _unshown(group, collection.entities) or []
        for one in missing:
            if one.aliases & look.said or _may_be_out(look, collection, one):
                continue
            if _stands_otherwise(
                collection, one, [each for each in collection.entities if each not in missing]
            ):
                continue
            yield look.violation(
                kind="omission",
                subkind="missing",
                pointer=group.pointer,
                contract=one.pointer,
                entity=one.title,
                expected=[each.title for each in collection.entities][:12],
                observed=[item.row or item.label for item in group.items][:12],
                confidence=0.75,
                message=f"{look.step.tool.name} leaves out {one.title!r}, which {one.pointer} has beside those that it shows",
            )


def _whose(look: Look, group: Group) -> Collection | None:
    """The one list of the state that a list is called after, or that stands in the section which the list stands in."""
    found = [
        one
        for one in look.contract.collections
        if one.shape in ("rows", "names", "texts")
        and "*" not in one.pointer
        and len(one.entities) >= _SEVERAL
        and _is_placed(group, one)
    ]
    fitting = [one for one in found if _unshown(group, one.entities) is not None]
    return fitting[0] if len(fitting) == 1 else None


def _is_placed(group: Group, collection: Collection) -> bool:
    said = stems(group.name)
    parts = collection.pointer.split("/")
    above = group.pointer.split("/")[-2:-1]
    section = parts[-2] if len(parts) > _TOP else ""
    return bool(said and said <= collection.stems) or bool(section and above == [section])


def _unshown(group: Group, members: Sequence[Entity]) -> list[Entity] | None:
    """The members that no item is; None where an item is no member, or the same as another."""
    if all(item.label for item in group.items):
        owners = _labelled(group.items, members)
    else:
        owners = owners_of([item.row for item in group.items], members)
    shown = set(owners)
    return None if None in shown else [one for place, one in enumerate(members) if place not in shown]


def _labelled(items: Sequence[Item], members: Sequence[Entity]) -> list[int | None]:
    places: dict[str, list[int]] = {}
    for place, one in reversed(list(enumerate(members))):
        places.setdefault(one.key, []).append(place)
    named = (places.get(name_key(item.label), []) for item in items)
    return [left.pop() if left else None for left in named]


def _shows_whole(look: Look, collection: Collection) -> bool:
    """Whether nothing picks: each argument names the section or the one thing that all is about, or lets through more than
    there are; and no word of the tool picks, unless it is told how many of them.
    """
    limits = [value for name, value in look.step.arguments.items() if cuts(name, value)]
    picking = (stems(look.step.tool.name) & PICKING) - collection.stems
    return (bool(limits) or not picking) and all(
        _is_open(look, collection, name, value) for name, value in look.step.arguments.items()
    )


def _is_open(look: Look, collection: Collection, name: str, value: Json) -> bool:
    if value in (None, "", [], {}) or name_key(str(value)) in EVERYTHING:
        return True
    if cuts(name, value):
        number = isinstance(value, int) and name_key(name) not in ("page", "offset", "startindex")
        return number and isinstance(value, int) and value >= len(collection.entities)
    if isinstance(value, list):
        return all(_is_section(collection, one) for one in value)
    having = sum(key_of(value) in one.value_keys for one in collection.entities)
    if 0 < having < len(collection.entities):
        return False  # it picks those that have it
    if is_alone(look.contract, collection, value) or _is_section(collection, value):
        return True
    parts = words(name)
    named = is_reference(name) and len(parts) > 1
    return named and is_about_one(look.contract, stem(parts[0]))


def _is_section(collection: Collection, value: Json) -> bool:
    """Whether a value names a part of the state that the list stands in, or is."""
    return isinstance(value, str) and name_key(value) in map(name_key, collection.pointer.split("/")[2:])


def _stands_otherwise(collection: Collection, one: Entity, shown: Sequence[Entity]) -> bool:
    """Whether a member stands as none of those that are shown, so that the list may be of those that stand so: what is in the
    van, and not what waits at the hub.
    """
    return any(
        is_status(field, collection) and not any(each.attributes.get(field) == value for each in shown)
        for field, value in one.attributes.items()
    )


def _may_be_out(look: Look, collection: Collection, one: Entity) -> bool:
    """Whether something may have taken a member out, or, of a row that nothing names, have been done at all."""
    if never_changes(described(look.contract, collection), collection.name):
        return False
    if look.world.time_moved or (look.world.writes and not one.id):
        return True
    if any((one.value_keys - {""}) & step.named for step in look.world.writes):
        return True  # it goes by another of its names there
    return look.world.fate(one, collection) != "same"
