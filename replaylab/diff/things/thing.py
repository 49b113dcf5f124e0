"""A thing as it stands by now: what the state has of it, what calls made of that, and what nobody knows since."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from types import MappingProxyType

from replaylab.diff.calls.changes import changed_only_by, described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.things.until import held_until
from replaylab.diff.words.identity import family, key_of, stems, words
from replaylab.diff.words.lexicon import ENDING_VERBS, ID_WORDS, STATUS_FIELDS
from replaylab.diff.words.observed import groups, leaves
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool


@dataclass(frozen=True)
class Thing:
    """One thing of a collection. `values` has what is known of it; a field that is in `unsure` may be any by now. `gone` is
    set where a call may have ended it.
    """

    id: str
    key: str
    pointer: str
    values: Mapping[str, Json]
    unsure: frozenset[str] = frozenset()
    gone: bool = False
    made: int = -1  # the call that made it; -1 for what was there from the beginning

    def get(self, field: str) -> tuple[Json, ...]:
        """What it has in a field, one by one; nothing where that is not known."""
        value = self.values.get(field)
        return tuple(value) if isinstance(value, list) else (value,)

    def knows(self, field: str) -> bool:
        """Whether it is known what it has there."""
        return field in self.values and field not in self.unsure


def things_of(look: Look, collection: Collection) -> tuple[Thing, ...]:
    """All things of a collection, those first that were there from the beginning, then those that calls made."""
    kept = look.kept.setdefault("things", {})
    if collection.pointer not in kept:
        kept[collection.pointer] = (
            *(
                _as_told_until(look, collection, one)
                for one in (
                    *(_from_the_start(look, collection, one) for one in collection.entities if one.id),
                    *_made(look, collection),
                )
            ),
        )
    found: tuple[Thing, ...] = kept[collection.pointer]
    return found


def _as_told_until(look: Look, collection: Collection, thing: Thing) -> Thing:
    """A thing with what the description says that it has until a moment which is known and yet to come."""
    sure = {field: value for field, value in thing.values.items() if field not in thing.unsure}
    held = held_until(look, described(look.contract, collection), sure) if thing.unsure else {}
    told = {field: value for field, value in held.items() if field in thing.unsure}
    values = MappingProxyType({**thing.values, **told})
    return replace(thing, values=values, unsure=thing.unsure - told.keys()) if told else thing


def _from_the_start(look: Look, collection: Collection, entity: Entity) -> Thing:
    steps = [
        step
        for step in look.world.writes
        if step.concerns(entity) or moves_time(step.tool) or entity.key in look.ripples_of(step)
    ]
    values: dict[str, Json] = dict(entity.attributes)
    unsure: set[str] = set()
    for field in entity.attributes:
        changing = [step.call for step in steps if may_change(look, collection, field, step)]
        told = look.world.told.get((entity.key, field))
        if told is not None and told.call >= max(changing, default=-1):
            values[field] = told.value
        elif changing:
            unsure.add(field)
    naming = [step for step in steps if step.mentions(entity)]
    # A list that has shown it since its last write says that it is still there, and so does the end that it was given.
    stays = naming and (
        _is_seen_since(look, collection, entity.key, naming[-1])
        or _has_its_end(look, collection, entity, naming[-1])
    )
    out = look.world.fate(entity, collection) == "perhaps gone" or entity.key in look.ended
    gone = out and not stays
    return Thing(entity.id, entity.key, entity.pointer, MappingProxyType(values), frozenset(unsure), gone)


def may_change(look: Look, collection: Collection, field: str, step: Step) -> bool:
    """Whether a call that concerns a thing may change a field of it: not where the description says otherwise; else how a thing
    stands, what is empty in some, and what the tool speaks of.
    """
    description = described(look.contract, collection)
    if never_changes(description, field):
        return False
    only = changed_only_by(look.contract, description, field)
    if only:
        return step.tool.name in only
    if stems(field) & STATUS_FIELDS or any(
        one.attributes.get(field) in (None, "", []) for one in collection.entities
    ):
        return True
    return bool(stems(field) & _spoken_of(step.tool))


@lru_cache(maxsize=1024)
def _spoken(
    name: str, description: str, parameters: tuple[str, ...], shown: tuple[str, ...]
) -> frozenset[str]:
    return stems(name) | stems(description) | stems(" ".join(parameters)) | stems(" ".join(shown))


def _spoken_of(tool: Tool) -> frozenset[str]:
    """The words of a write: its name, what is said of it, what it takes, and what it returns."""
    shown = {key for _, key, _ in leaves(tool.example_output)} if tool.has_example else set()
    # A tool that lets time pass speaks of no ski pass.
    name = "" if moves_time(tool) else tool.name
    return _spoken(name, tool.description, tuple(tool.parameters.get("properties", {})), tuple(sorted(shown)))


def _shows_ended(collection: Collection) -> bool:
    """Whether what has ended stays with its end, as some members show from the beginning: a rental with the time of its return."""
    for field in collection.fields:
        empty = [one.attributes.get(field) in (None, "") for one in collection.entities]
        if any(empty) and not all(empty):
            return True
    return any(stems(field) & STATUS_FIELDS for field in collection.fields)


def _has_its_end(look: Look, collection: Collection, entity: Entity, step: Step) -> bool:
    """Whether a call returned of a thing what is empty in some and filled in others from the beginning: the time of its return."""
    for field in entity.attributes:
        told = look.world.told.get((entity.key, field))
        empty = [one.attributes.get(field) in (None, "") for one in collection.entities]
        if told is not None and told.write and told.call == step.call and any(empty) and not all(empty):
            return told.value not in (None, "")
    return False


def _is_seen_since(look: Look, collection: Collection, key: str, step: Step) -> bool:
    """Whether a list has shown a thing after a call."""
    later = (
        one for one in look.world.steps if one.call > step.call and not one.refused and not is_write(one.tool)
    )
    return any(row_of(collection, one, key) for one in later)


def _made(look: Look, collection: Collection) -> Iterator[Thing]:
    """The things that calls made: under an id that is written like those of the collection, which a write returned under a
    field that is called like its things, and that nothing had before.
    """
    families = {family(one) for one in collection.ids if one}
    sort = collection.heads | collection.stems
    for step in look.world.writes:
        face = inner(step.observation)[1]
        for field, value in ((name, one) for name, part in face.items() for one in _each(part)):
            key = key_of(value)
            fresh = (
                isinstance(value, str) and look.world.created.get(key) == step.call and key not in step.named
            )
            if not fresh or key in look.contract.keys:
                continue
            if family(value) not in families and not _goes_on(collection, key):
                continue
            if not called(field) <= sort or not called(field):
                continue
            yield _as_made(look, collection, step, str(value))


def _goes_on(collection: Collection, key: str) -> bool:
    """Whether an id is that of a member with something behind it: S-1A of S-1."""
    return any(key[:at] in collection.id_keys for at in range(2, len(key)))


def _each(part: Json) -> Sequence[Json]:
    return part if isinstance(part, list) else (part,)


def called(field: str) -> frozenset[str]:
    """What a field is called after, without a word for ids."""
    parts = words(field)
    own = parts[:-1] if len(parts) > 1 and parts[-1] in ID_WORDS else parts
    return stems("_".join(own))


def _as_made(look: Look, collection: Collection, step: Step, name: str) -> Thing:
    """What a call made, by what it was given and returned, and by the rows that have shown it since."""
    key, fields = key_of(name), collection.fields
    values: dict[str, Json] = {one: value for one, value in step.arguments.items() if one in fields}
    values |= {one: value for one, value in inner(step.observation)[1].items() if one in fields}
    if collection.key_field:
        values[collection.key_field] = name
    unsure: set[str] = set(fields - values.keys())
    gone = False
    for later in look.world.steps:
        if later.call <= step.call or later.refused:
            continue
        if is_write(later.tool):
            if key not in later.keys and not moves_time(later.tool):
                continue
            unsure |= {one for one in values if may_change(look, collection, one, later)}
            if key in later.named:
                said = {one: value for one, value in inner(later.observation)[1].items() if one in fields}
                values |= said
                unsure -= said.keys()
            ends = key in later.named and bool(stems(later.tool.name) & ENDING_VERBS)
            gone = gone or (ends and not _shows_ended(collection))
            continue
        row = row_of(collection, later, key)
        if row:
            said = {one: value for one, value in row.items() if one in fields}
            values |= said
            unsure -= said.keys()
            gone = False
    return Thing(
        name, key, "", MappingProxyType(values), frozenset(unsure - {collection.key_field}), gone, step.call
    )


def row_of(collection: Collection, step: Step, key: str) -> JsonObject:
    """The row of an answer that shows a thing, by a field that is called like the things of its collection."""
    sort = collection.heads | collection.stems
    for group in groups(step.observation):
        for item in group.items:
            for field, value in item.row.items():
                own = called(field) or called(group.name)
                if key_of(value) == key and (field == collection.key_field or own <= sort):
                    return item.row
    return {}
