"""What a call has put elsewhere or set, shown as it was at first: somebody who was moved to another department."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import inner
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.lists.standing import given
from replaylab.diff.things.listing import by_key, collections_of_things, listings
from replaylab.diff.things.thing import Thing
from replaylab.diff.words.identity import key_of
from replaylab.diff.words.observed import escape
from replaylab.schema.base import JsonObject, in_json
from replaylab.schema.violation import Violation


def forgotten(look: Look) -> Iterator[Violation]:
    """Fields of things that are as they were at first, although the last call on the thing says what they are from then on."""
    if is_write(look.step.tool) or not look.world.writes or look.world.time_moved:
        return
    for pointer, row, collection, thing in _rows(look):
        entity = collection.find(thing.key)
        for field, value in row.items() if entity is not None else ():
            first = None if entity is None else entity.attributes.get(field)
            if entity is None or not isinstance(first, (str, bool)) or value != first:
                continue
            now = given(look, collection, entity, field)
            if now and not same(now[0], value):
                yield look.violation(
                    kind="contradiction",
                    subkind="stale",
                    pointer=f"{pointer}/{escape(field)}",
                    contract=f"{entity.pointer}/{escape(field)}",
                    entity=entity.id,
                    expected=now[0],
                    observed=value,
                    confidence=0.7,
                    message=f"{look.step.tool.name} shows {field} of {entity.id!r} as {in_json(value)}, as it was at first; the last call on it "
                    f"made it {in_json(now[0])}",
                )


def _rows(look: Look) -> Iterator[tuple[str, JsonObject, Collection, Thing]]:
    """The rows of things, and the answer itself where it bears the id of the one thing that the call names."""
    for one in listings(look):
        yield from ((each.item.pointer, each.item.row, one.collection, each.thing) for each in one.shown)
    pointer, face = inner(look.step.observation)
    named = {key_of(value) for value in look.step.arguments.values()} & {
        key_of(value) for value in face.values()
    }
    written = frozenset[str]().union(*(step.named for step in look.world.writes))
    for collection in collections_of_things(look) if len(named & written - {""}) == 1 else ():
        for key in named & collection.id_keys & written:
            yield pointer, face, collection, by_key(look, collection)[key]
