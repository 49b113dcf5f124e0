"""What a call has made, shown later with other values than the call was given for it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.contradictions.contradiction import differs
from replaylab.diff.lists.standing import sure
from replaylab.diff.things.listing import by_key, collections_of_things, listings
from replaylab.diff.things.thing import Thing, called
from replaylab.diff.words.identity import key_of
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.violation import Violation


def made_otherwise(look: Look) -> Iterator[Violation]:
    """Fields of things that calls made, where a record shows another thing or another time than the call that made it had."""
    if is_write(look.step.tool) or look.world.time_moved or not look.world.writes:
        return
    for pointer, row, collection, thing in _rows(look):
        given = look.world.steps[thing.made].arguments
        known = {
            field: now[0]
            for field in row
            if field in given and (now := sure(look, collection, thing, field)) and isinstance(now[0], str)
        }
        other = [field for field, one in known.items() if _is_another(look, one, row[field])]
        if len(other) * 2 > len(known):
            continue  # the row is of another thing, under this id
        for field in other:
            yield look.violation(
                kind="contradiction",
                subkind="changed_value",
                pointer=f"{pointer}/{escape(field)}",
                entity=thing.id,
                expected=known[field],
                observed=row[field],
                confidence=0.7,
                message=f"{look.step.tool.name} shows {field} of {thing.id!r} as {in_json(row[field])}; call {thing.made}, which made it, had "
                f"{in_json(known[field])}",
            )


def _rows(look: Look) -> Iterator[tuple[str, JsonObject, Collection, Thing]]:
    """The rows of things that calls made, and the answer itself where it is about one of them."""
    for one in listings(look):
        yield from (
            (each.item.pointer, each.item.row, one.collection, each.thing)
            for each in one.shown
            if each.thing.made >= 0
        )
    pointer, face = inner(look.step.observation)
    asked = any(key_of(value) in look.world.created for value in look.step.arguments.values())
    for collection in collections_of_things(look) if face and asked else ():
        own = collection.heads | collection.stems
        for name, value in look.step.arguments.items():
            thing = by_key(look, collection).get(key_of(value))
            if (
                thing is not None
                and thing.made >= 0
                and called(name) <= own
                and key_of(face.get(name)) == thing.key
            ):
                yield pointer, face, collection, thing


def _is_another(look: Look, known: str, value: Json) -> bool:
    """Whether a field shows another known thing, or another moment."""
    if not isinstance(value, str) or same(known, value) or not differs(known, value):
        return False
    both = [look.contract.things.get(key_of(one)) for one in (known, value)]
    return all(both) or (known[:1].isdigit() and value[:1].isdigit() and len(known) == len(value))
