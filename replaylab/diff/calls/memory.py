"""What was said of things so far: which field of which thing an accepted answer showed last, and in which call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.canonical import canonical
from replaylab.checks.matcher import same
from replaylab.diff.calls.changes import changed_only_by, described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step, Told
from replaylab.diff.contract.binding import Binding, id_field_of, is_growing
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.lexicon import ID_WORDS, OUTCOME_FIELDS, OUTCOMES, WRAPPERS
from replaylab.diff.words.observed import Group, escape, face_of, groups, leaves
from replaylab.diff.words.stated import times
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
    if about:
        return [*found, Record(pointer, face, about[1], about[0], own=True)]
    return [*found, *_in_parts(look, pointer, face)]


def _in_parts(look: Look, pointer: str, face: JsonObject) -> Iterator[Record]:
    """The records of the one thing that the call names, where several parts of the state hold it: each with the fields that
    no other has.
    """
    given = [(name, value) for name, value in look.step.arguments.items() if value not in (None, "")]
    if len(given) != 1 or key_of(face.get(given[0][0])) != key_of(given[0][1]):
        return
    parts = _held(look, given[0][1])
    for one, entity in parts:
        others = {name for _, other in parts if other is not entity for name in other.attributes}
        row = {name: value for name, value in face.items() if name not in others}
        yield Record(pointer, row, entity, one, own=True)


def inner(node: Json, pointer: str = "") -> tuple[str, JsonObject]:
    """An answer without what it is only wrapped in; {} where it is no object."""
    if not isinstance(node, dict):
        return pointer, {}
    wrapped = [key for key, part in node.items() if key.casefold() in WRAPPERS and isinstance(part, dict)]
    # What stands beside a list is a part of the answer: a summary of it.
    if len(wrapped) != 1 or any(isinstance(part, list) for part in node.values()):
        return pointer, node
    return inner(node[wrapped[0]], f"{pointer}/{escape(wrapped[0])}")


def lists_on_face(look: Look) -> list[Group]:
    """The lists that an answer itself has, and not a row of it."""
    if "on face" not in look.kept:
        look.kept["on face"] = _on_face(look)
    found: list[Group] = look.kept["on face"]
    return found


def _on_face(look: Look) -> list[Group]:
    pointer, face = inner(look.step.observation)
    lists = (
        one for one in groups(face, pointer) if one.shape in ("rows", "names", "empty") and not one.inside
    )
    return [one for one in lists if isinstance(face.get(one.pointer.rpartition("/")[2]), list)]


def _rows(look: Look, group: Group) -> Iterator[Record]:
    field = naming_field(look, group)
    shown = [one for one in look.bindings if one.group.pointer == group.pointer]
    for item in group.items:
        value = item.row.get(field)
        thing = thing_of(look, field, value, group.name) or _only_one(look, field, value)
        if thing is not None and not _is_of_what_it_holds(thing[1], item.row, field):
            own = any(
                one.collection.pointer == thing[0].pointer and _shows(one, item.row, thing[1])
                for one in shown
            )
            yield Record(item.pointer, item.row, thing[1], thing[0], own)
        for other in item.row if not is_growing(group.name) else ():
            referred = thing_of(look, other, item.row[other]) if other != field else None
            told = referred and _telling(referred, thing, item.row)
            if referred and told and not _is_of_what_it_holds(referred[1], item.row, other):
                yield Record(item.pointer, told, referred[1], referred[0], own=False)


def _is_of_what_it_holds(entity: Entity, row: JsonObject, field: str) -> bool:
    """Whether a row is of something inside a thing, which it only names: all else that it has are fields of rows that the thing
    holds, the number and title of a document of a case.
    """
    told = row.keys() - {field}
    return any(
        bool(told) and all(isinstance(one, dict) and told <= one.keys() for one in value)
        for value in entity.attributes.values()
        if isinstance(value, list) and value
    )


def _held(look: Look, value: Json) -> list[tuple[Collection, Entity]]:
    """The things of that id; rows inside other things only refer to them."""
    found = look.contract.things.get(key_of(value), [])
    return [pair for pair in found if "*" not in pair[0].pointer] or found


def _only_one(look: Look, field: str, value: Json) -> tuple[Collection, Entity] | None:
    """The one thing of that id, under a field of ids: an `entry` of a ledger."""
    found = _held(look, value)
    return found[0] if field and len(found) == 1 and not str(value).isdigit() else None


def _telling(
    referred: tuple[Collection, Entity], thing: tuple[Collection, Entity] | None, row: JsonObject
) -> JsonObject:
    """What a row says of a thing that it refers to: the texts that tell it from others of its sort, such as its title, where
    the row's own thing has no such field.
    """
    own = thing[1].attributes.keys() if thing else frozenset[str]()
    return {
        field: value
        for field, value in row.items()
        if field not in own and isinstance(value, str) and tells_apart(referred[0], field)
    }


def tells_apart(collection: Collection, field: str) -> bool:
    """Whether the members have texts of several words there, nearly all of them other ones."""
    said = [one.attributes.get(field) for one in collection.entities]
    plain = all(isinstance(one, str) and len(words(one)) > 1 for one in said)
    return len(said) > 1 and plain and 2 * len(set(map(str, said))) > len(said)


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
    found = _held(look, value)
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
        given = {("", field): value for field, value in own_fields(look).items() if _is_said(field, value)}
        found = {key: Told(value, look.step.call, look.step.tool.name) for key, value in given.items()}
        return {**found, **dict(_written(look))}
    for record in records(look):
        for field, value in record.row.items():
            known = field in record.entity.attributes and record.at(field) not in accused
            if known and _is_said(field, value):
                said = Told(value, look.step.call, look.step.tool.name)
                found[record.entity.key, reading(look.step, field)] = said
                if record.own:
                    found[record.entity.key, field] = said
    for field, value in own_fields(look).items():
        if _is_said(field, value) and f"/{escape(field)}" not in accused:
            found["", field] = Told(value, look.step.call, look.step.tool.name)
    return found


def reading(step: Step, field: str) -> str:
    """The name of a field as this very reading shows it, where it may be something else than the thing's own."""
    return f"{step.tool.name} {canonical(step.arguments).decode()} {field}"


def own_fields(look: Look) -> JsonObject:
    """The fields of an answer that are called like plain fields of the state itself, and like none of what it is about."""
    about = {field for record in records(look) if not record.pointer for field in record.entity.attributes}
    state, face = look.contract.environment.initial_state, face_of(look.step.observation)
    return {
        field: value
        for field, value in face.items()
        if field in state and field not in about and not isinstance(value, (dict, list))
    }


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
    yield from _given(look, named)
    for field, value in face.items():
        having = {key for key, entity in others.items() if field in entity.attributes}
        of = _free(look, named, field)
        fixed = sum(field in entity.attributes for _, entity in named) - len(of)
        of_new = is_of_what_it_made(look, look.step, field, value)
        if len(of) == 1 and (len(having) == 1 or fixed) and _is_said(field, value) and not of_new:
            yield (of[0].key, field), Told(value, look.step.call, look.step.tool.name, write=True)


def _given(look: Look, named: list[tuple[Collection, Entity]]) -> Iterator[tuple[tuple[str, str], Told]]:
    """What a write was given for the one field that it alone changes, and that refers to such a thing: the vet of a visit, which
    changes by hand_over alone, under the name `to`.
    """
    for collection, entity in named:
        described_as = described(look.contract, collection)
        fields = [
            field
            for field, first in entity.attributes.items()
            if changed_only_by(look.contract, described_as, field) == {look.step.tool.name}
            and isinstance(first, str)
        ]
        given = [
            value
            for value in look.step.arguments.values()
            if fields
            and isinstance(value, str)
            and _are_of_one_sort(look, entity.attributes[fields[0]], value)
        ]
        if len(fields) == len(given) == 1:
            yield (entity.key, fields[0]), Told(given[0], look.step.call, look.step.tool.name, write=True)


def _are_of_one_sort(look: Look, one: Json, other: Json) -> bool:
    """Whether two names are those of members of one collection and no other."""
    sorts = [
        {part.pointer for part, _ in look.contract.things.get(key_of(name), [])} for name in (one, other)
    ]
    return len(sorts[0]) == 1 and sorts[0] == sorts[1]


def is_of_what_it_made(look: Look, step: Step, field: str, value: Json) -> bool:
    """Whether a call only repeats what it was given for the thing that it made: the sheets of a purchase, which it returned the
    number of, are not those in stock.
    """
    if answers_for_another(look, step, field):
        return True
    if field not in step.arguments or not same(step.arguments[field], value):
        return False
    said = (one for _, _, one in leaves(step.observation) if isinstance(one, str))
    return any(_is_written_like_an_id(one) and _is_new(look, step, key_of(one)) for one in said)


def answers_for_another(look: Look, step: Step, field: str) -> bool:
    """Whether a call returned, under the very name by which it was given a thing, another that it made: of this it speaks then."""
    face = inner(step.observation)[1]
    return field in face and any(
        name != field
        and key_of(face.get(name)) not in ("", key_of(value))
        and key_of(value) in look.contract.things
        and key_of(face[name]) not in look.contract.things
        and any(map(str.isdigit, key_of(face[name])))
        for name, value in step.arguments.items()
    )


def _is_written_like_an_id(text: str) -> bool:
    """Whether a text has letters and digits and no gap, and is no time."""
    plain = any(map(str.isdigit, text)) and any(map(str.isalpha, text)) and " " not in text
    return plain and not any(times(text))


def _is_new(look: Look, step: Step, key: str) -> bool:
    """Whether a call brought in this name, which no argument and nothing before had."""
    before = (look.world.created.get(key, step.call), look.world.seen.get(key, step.call))
    return (
        bool(key)
        and key not in step.named
        and min(before) >= step.call
        and not look.contract.names_a_thing(key)
    )


def _free(look: Look, named: list[tuple[Collection, Entity]], field: str) -> list[Entity]:
    """Of the things that a call names: those with such a field that may change at all."""
    return [
        entity
        for one, entity in named
        if field in entity.attributes and not never_changes(described(look.contract, one), field, one.fields)
    ]


def _is_said(field: str, value: Json) -> bool:
    """Whether a plain value says how a thing is, and not how the call went."""
    outcome = bool(stems(field) & OUTCOME_FIELDS) and isinstance(value, str) and bool(stems(value) & OUTCOMES)
    return not isinstance(value, (dict, list)) and not outcome
