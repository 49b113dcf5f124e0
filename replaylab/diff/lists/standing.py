"""What is known for sure of a field of a thing by now: what the state has, as long as nothing can have changed it; what was told of it
since; or what the last call on it was given for that very field.
"""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.diff.calls.changes import may_have_changed
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record, answers_for_another, inner
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.tools import moves_time, verb_of
from replaylab.diff.contradictions.records import due_of
from replaylab.diff.things.thing import Thing, called
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import STATUS_FIELDS
from replaylab.schema.base import Json

# What puts a thing elsewhere or sets how it stands, so that what it is given is how it is from then on.
PUTTING = stems(
    "set update change assign reassign move transfer relocate put place switch mark rename edit modify adjust promote shift hand"
)
_EXCHANGING = stems("swap exchange switch rotate all every everybody everything others rest")
_SAYING = stems("message detail details reason note info result status")
_DONE = stems(
    "done moved set updated changed assigned transferred deleted removed cancelled paid booked saved success successfully now"
)
_SHORT = 2  # words of an answer that only says that all is well
_NEW = stems("new to target destination")


def sure(look: Look, collection: Collection, thing: Thing, field: str) -> tuple[Json, ...]:
    """What a thing has in a field, alone in a tuple; () where that is not known for sure."""
    kept = look.kept.setdefault("sure", {})
    asked = collection.pointer, thing.key, field
    if asked not in kept:
        kept[asked] = _sure(look, collection, thing, field)
    found: tuple[Json, ...] = kept[asked]
    return found


def _sure(look: Look, collection: Collection, thing: Thing, field: str) -> tuple[Json, ...]:
    if thing.made >= 0:
        return _of_what_was_made(look, thing, field)
    entity = collection.find(thing.key)
    if entity is None or field not in entity.attributes:
        return ()
    first = entity.attributes[field]
    if isinstance(first, (list, dict)):
        return () if may_have_changed(look, collection, entity, field) else (first,)
    now = given(look, collection, entity, field)
    due = due_of(look, Record("", {}, entity, collection, own=True), field)
    if due is not None and (not now or (due.told is not None and due.told.call >= _last(look, entity).call)):
        return (due.value,)
    return now or _as_at_first(look, collection, entity, field)


def _as_at_first(look: Look, collection: Collection, entity: Entity, field: str) -> tuple[Json, ...]:
    """What a thing refers to, where all that was done was done with others of its sort: who else is put into a house changes nobody's."""
    first = entity.attributes[field]
    if not isinstance(first, str) or key_of(first) not in look.contract.things:
        return ()
    for step in look.world.writes:
        others = (step.named & collection.id_keys) - {entity.key}
        reached = entity.key in look.ripples_of(step) or entity.key in step.keys or moves_time(step.tool)
        if (
            reached
            or not others
            or stems(step.tool.name) & _EXCHANGING
            or stems(step.tool.description) & _EXCHANGING
        ):
            return ()
    return (first,)


def _of_what_was_made(look: Look, thing: Thing, field: str) -> tuple[Json, ...]:
    """A text of a thing that a call made, as long as nothing moves it on; a number or a standing, as long as nothing is done at all."""
    value = thing.values.get(field)
    since = [step for step in look.world.writes if step.call > thing.made]
    if not thing.knows(field) or any(moves_time(step.tool) for step in since):
        return ()
    stays = isinstance(value, str) and not stems(field) & STATUS_FIELDS
    return (value,) if stays or not since else ()


def _last(look: Look, entity: Entity) -> Step:
    """The last write that names a thing."""
    return next(step for step in reversed(look.world.writes) if entity.key in step.named)


def given(look: Look, collection: Collection, entity: Entity, field: str) -> tuple[Json, ...]:
    """What the last call on a thing returned or was given for a field: under its very name, or, where the field refers to things, the
    one argument that names such a thing. Not where something was done since that leads to it, or with what was brought there.
    """
    naming = [step for step in look.world.writes if entity.key in step.named]
    if not naming or not went_well(naming[-1]):
        return ()
    last, key = naming[-1], entity.key
    for step in look.world.writes:
        if step.call > last.call and (moves_time(step.tool) or key in look.contract.links.reached(step.keys)):
            return ()
    if answers_for_another(look, last, field):
        return ()  # who adjourns a hearing is told of the one that comes in its place
    found = list(_returned(look, last, entity, field))
    if not found and verb_of(last.tool) in PUTTING:
        found = [
            value
            for name, value in last.arguments.items()
            if key_of(value) != key and _can_be(value) and _is_for(look, name, value, field, entity)
        ]
    moved_on = any(
        key_of(value) in step.named and key_of(value) not in look.contract.things
        for value in found
        for step in look.world.writes
        if step.call > last.call
    )
    return (found[0],) if len(found) == 1 and not moved_on else ()


def went_well(step: Step) -> bool:
    """Whether an answer says more than words about the call: "main is protected" is no word of success."""
    face = inner(step.observation)[1]
    if not face or any(value is True for value in face.values()):
        return not isinstance(step.observation, str) or len(words(step.observation)) <= _SHORT
    texts = [value for name, value in face.items() if isinstance(value, str) and stems(name) <= _SAYING]
    return len(texts) < len(face) or all(len(words(text)) <= _SHORT or stems(text) & _DONE for text in texts)


def _can_be(value: Json) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value != "")


def _returned(look: Look, last: Step, entity: Entity, field: str) -> tuple[Json, ...]:
    """What a call on one thing alone says of it, in an answer that bears its id."""
    face = inner(last.observation)[1]
    told = field in face and not isinstance(face[field], (dict, list)) and face[field] is not None
    own = [name for name, value in face.items() if name != field and key_of(value) == entity.key]
    having = {
        one.key
        for key in last.named
        for _, one in look.contract.things.get(key, ())
        if field in one.attributes
    }
    return (face[field],) if told and own and having == {entity.key} else ()


def _is_for(look: Look, name: str, value: Json, field: str, entity: Entity) -> bool:
    """Whether an argument says what a field is from now on: it is called like it, or is where to, of the sort that the field has."""
    first = entity.attributes[field]
    wanted, said = called(field), called(name) - _NEW
    if said and said == wanted:
        return first is None or type(value) is type(first)
    if said or not isinstance(first, str):
        return False
    sorts = [_sort(look, one) for one in (first, value)]
    alike = [
        one
        for one, held in entity.attributes.items()
        if isinstance(held, str) and _sort(look, held) == sorts[0]
    ]
    return bool(sorts[0]) and sorts[0] == sorts[1] and alike == [field]


def _sort(look: Look, value: Json) -> Sequence[str]:
    """Where the state has things of that name."""
    return sorted({one.pointer for one, _ in look.contract.things.get(key_of(value), [])})
