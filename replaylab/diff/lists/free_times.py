"""Times that a list calls free although something is booked then: of a vet on a day, of a room."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.lists.standing import sure
from replaylab.diff.things.listing import collections_of_things
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import SPAN_START, STATUS_FIELDS
from replaylab.schema.violation import Violation

_TIME = re.compile(r"\d\d:\d\d")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_FREE = stems("free available open vacant")
_HELD = stems("booked scheduled confirmed planned reserved active open")
_STARTS = SPAN_START | stems("time slot at")


def booked_but_free(look: Look) -> Iterator[Violation]:
    """Times of one day, of what else the call names, at which something stands that is booked."""
    days = [one for one in look.step.arguments.values() if isinstance(one, str) and _DAY.fullmatch(one)]
    if is_write(look.step.tool) or len(days) != 1:
        return
    for group in lists_on_face(look):
        free = stems(group.name) & _FREE or stems(look.step.tool.name) & _FREE
        if (
            group.shape not in ("names", "texts")
            or not free
            or not all(_TIME.fullmatch(one.label) for one in group.items)
        ):
            continue
        taken = dict(_taken(look, days[0]))
        for item in group.items:
            thing = taken.get(item.label)
            if thing is not None:
                yield look.violation(
                    kind="contradiction",
                    subkind="changed_value",
                    pointer=item.pointer,
                    contract=thing.pointer,
                    entity=thing.id,
                    observed=item.label,
                    confidence=0.7,
                    message=f"{look.step.tool.name} calls {item.label} free; {thing.id!r} is booked then",
                )


def _taken(look: Look, day: str) -> Iterator[tuple[str, Thing]]:
    """The times of a day at which something is known to start that has all else which the call names, and that stands as booked."""
    others = [
        key
        for one in look.step.arguments.values()
        if isinstance(one, str) and one != day and (key := key_of(one))
    ]
    for collection in collections_of_things(look) if others else ():
        starts = [one for one in sorted(collection.fields) if stems(one) & _STARTS]
        for thing in things_of(look, collection) if len(starts) == 1 else ():
            start = sure(look, collection, thing, starts[0])
            text = start[0] if start and isinstance(start[0], str) else ""
            if (
                text[:10] == day
                and _TIME.fullmatch(text[11:16])
                and _is_held(look, collection, thing, others)
            ):
                yield text[11:16], thing


def _is_held(look: Look, collection: Collection, thing: Thing, others: list[str]) -> bool:
    held = {field: sure(look, collection, thing, field) for field in collection.fields}
    known = {key_of(value[0]) for value in held.values() if value}
    standing = [value for field, value in held.items() if stems(field) & STATUS_FIELDS]
    stands = all(value and isinstance(value[0], str) and stems(value[0]) <= _HELD for value in standing)
    return stands and known.issuperset(others)
