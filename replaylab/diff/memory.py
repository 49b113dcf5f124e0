"""What was said of things so far: which field of which thing an accepted answer showed last, and in which call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.binding import Binding, id_field_of
from replaylab.diff.changes import described, is_constant
from replaylab.diff.collection import Collection, Entity
from replaylab.diff.identity import key_of, stem, stems, words
from replaylab.diff.lexicon import ID_WORDS, OUTCOME_FIELDS, OUTCOMES, WRAPPERS
from replaylab.diff.looking import Look
from replaylab.diff.observed import Group, escape, face_of
from replaylab.diff.tools import is_write
from replaylab.diff.world import Told
from replaylab.schema.base import Json, JsonObject

_NAMED = 0.5
_ALIKE = 2


class Record(NamedTuple):
    """An object of an answer that bears the id of a thing. It is `own` where it shows that thing, and not how another
    relates to it.
    """

    pointer: str
    row: JsonObject
    entity: Entity
    collection: Collection
    own: bool

    def at(self, field: str) -> str:
        """The pointer of a field."""
        return f"{self.pointer}/{escape(field)}"


def records(look: Look) -> list[Record]:
    """The records of an answer: its rows that have an id, and the answer itself where it is about one thing."""
    if "records" not in look.kept:
        look.kept["records"] = _records(look)
    found: list[Record] = look.kept["records"]
    return found


def _records(look: Look) -> list[Record]:
    found = [one for group in look.groups if group.shape == "rows" for one in _rows(look, group)]
    pointer, face = inner(look.step.observation)
    about = about_of(look) if face else None
    return [*found, Record(pointer, face, about[1], about[0], own=True)] if about else found


def inner(node: Json, pointer: str = "") -> tuple[str, JsonObject]:
    """An answer without what it is only wrapped in; {} where it is no object."""
    if not isinstance(node, dict):
        return pointer, {}
    wrapped = [key for key, part in node.items() if key.casefold() in WRAPPERS and isinstance(part, dict)]
    return (
        inner(node[wrapped[0]], f"{pointer}/{escape(wrapped[0])}") if len(wrapped) == 1 else (pointer, node)
    )


def _rows(look: Look, group: Group) -> Iterator[Record]:
    field = naming_field(look, group)
    shown = [one for one in look.bindings if one.group.pointer == group.pointer]
    for item in group.items:
        thing = thing_of(look, field, item.row.get(field), group.name)
        if thing is not None:
            own = any(
                one.collection.pointer == thing[0].pointer and _shows(one, item.row, thing[1])
                for one in shown
            )
            yield Record(item.pointer, item.row, thing[1], thing[0], own)


def naming_field(look: Look, group: Group) -> str:
    """The field that names the rows of a list: the one that ids stand in, else one that is called like a sort of things and
    is another in each row, else one that holds things.
    """
    if group.shape != "rows":
        return ""
    field = id_field_of(group)
    if any(key_of(item.row.get(field)) in look.contract.things for item in group.items):
        return field
    for name in group.items[0].row:
        keys = [key_of(item.row.get(name)) for item in group.items]
        told = stems(name) in look.contract.bare_names or stems(name) & stems(
            last_of(group.pointer)
        ) == stems(name)
        if told and stems(name) and all(keys) and len(set(keys)) == len(keys):
            return name
    return field or _field_of_things(look, group)


def _field_of_things(look: Look, group: Group) -> str:
    """The first field that holds things in two rows or more, a different one in each."""
    for name in group.items[0].row:
        keys = [key_of(item.row.get(name)) for item in group.items]
        if sum(key in look.contract.things for key in keys) > 1 and len(set(keys)) == len(keys):
            return name
    return ""


def last_of(pointer: str) -> str:
    """The last name in a pointer."""
    return next((part for part in reversed(pointer.split("/")) if part and not part.isdigit()), "")


def _shows(binding: Binding, row: JsonObject, entity: Entity) -> bool:
    """Whether a row shows the member itself: by the name of the list, or since it has the member's fields with its values,
    most of them.
    """
    if binding.evidence.named >= _NAMED or binding.evidence.exact:
        return True
    shared = [
        field for field in row if field in entity.attributes and not isinstance(row[field], (dict, list))
    ]
    equal = sum(same(entity.attributes[field], row[field]) for field in shared)
    return binding.evidence.shaped and equal >= _ALIKE and equal * 2 > len(shared)


def thing_of(look: Look, field: str, value: Json, name: str = "") -> tuple[Collection, Entity] | None:
    """The one thing that a value names under a field that is called like its sort; or like a plain id, in a list of that
    name.
    """
    parts = words(field)
    own = {stem(part) for part in (parts[:-1] if len(parts) > 1 and parts[-1] in ID_WORDS else parts)}
    if parts and parts[-1] in ID_WORDS and len(parts) == 1:
        own = set(stems(name))
    found = [
        (one, entity)
        for one, entity in look.contract.things.get(key_of(value), [])
        if own & (one.heads | one.stems)
    ]
    return found[0] if len(found) == 1 else None


def about_of(look: Look) -> tuple[Collection, Entity] | None:
    """The one thing that a call asks for and that its answer repeats."""
    said = {key_of(value) for value in face_of(look.step.observation).values()}
    found = [
        thing
        for name, value in look.step.arguments.items()
        if key_of(value) in said
        and (thing := thing_of(look, name, value) or _only_thing(look, name, value)) is not None
    ]
    return found[0] if len(found) == 1 else None


def _only_thing(look: Look, field: str, value: Json) -> tuple[Collection, Entity] | None:
    """The one thing of that id, where the answer repeats it under the very name of the argument: a `technician` of `crew`."""
    found = look.contract.things.get(key_of(value), [])
    repeated = key_of(face_of(look.step.observation).get(field)) == key_of(value)
    return found[0] if len(found) == 1 and repeated and not key_of(value).isdigit() else None


def told(look: Look, accused: frozenset[str]) -> dict[tuple[str, str], Told]:
    """What an accepted answer says of things: by the key of the thing and the field of its record. What stands at a pointer
    that a violation speaks of says nothing.
    """
    found: dict[tuple[str, str], Told] = {}
    if look.step.refused:
        return found
    if is_write(look.step.tool):
        return dict(_written(look))
    for record in records(look):
        for field, value in record.row.items():
            own = record.own and field in record.entity.attributes and record.at(field) not in accused
            if own and _is_said(field, value):
                found[record.entity.key, field] = Told(value, look.step.call, look.step.tool.name)
    return found


def _written(look: Look) -> Iterator[tuple[tuple[str, str], Told]]:
    """What a write returned of the one thing that it names and that has such a field."""
    face = inner(look.step.observation)[1]
    named = [
        thing
        for name, value in look.step.arguments.items()
        if (thing := thing_of(look, name, value)) is not None
    ]
    others = {
        entity.key: entity for key in look.step.named for _, entity in look.contract.things.get(key, [])
    } | {entity.key: entity for _, entity in named}
    for field, value in face.items():
        having = {key for key, entity in others.items() if field in entity.attributes}
        of = [entity for _, entity in named if entity.key in having]
        if len(having) > 1:
            of = _meant(look, named, field)
        if len(of) == 1 and _is_said(field, value):
            yield (of[0].key, field), Told(value, look.step.call, look.step.tool.name, write=True)


def _meant(look: Look, named: list[tuple[Collection, Entity]], field: str) -> list[Entity]:
    """Of several things that a call names and that have such a field: the one whose field may change at all."""
    free = [
        entity
        for one, entity in named
        if field in entity.attributes and not is_constant(described(look.contract, one), field)
    ]
    told = any(is_constant(described(look.contract, one), field) for one, _ in named)
    return free if told else []


def _is_said(field: str, value: Json) -> bool:
    """Whether a plain value says how a thing is, and not how the call went."""
    outcome = bool(stems(field) & OUTCOME_FIELDS) and isinstance(value, str) and bool(stems(value) & OUTCOMES)
    return not isinstance(value, (dict, list)) and not outcome
