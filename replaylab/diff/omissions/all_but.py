"""Lists of which the tool says that they show all but those that stand in one way: "the orders that are not shipped"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import lists_on_face
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write
from replaylab.diff.omissions.alike import Shown, shown_in
from replaylab.diff.omissions.taken import is_told_short
from replaylab.diff.things.readings import Reading, readings
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.identity import key_of, stem, stems
from replaylab.diff.words.lexicon import STATUS_FIELDS
from replaylab.schema.violation import Violation

_ALL_BUT = re.compile(
    r"\b(?P<noun>[\w-]+) (?:that|which|who) (?:is|are|were|was|have|has)(?: not|n['’]t)(?: yet| been)* (?P<value>[\w-]+)(?=\W*(?:$|[.,;] ))",
    re.IGNORECASE,
)


def all_but(look: Look) -> Iterator[Violation]:
    """Things that stand otherwise than those that a list leaves out by what the tool says, and that its arguments let through."""
    said = _ALL_BUT.search(look.step.tool.description)
    if said is None or is_write(look.step.tool):
        return
    for group in lists_on_face(look):
        shown = None if is_told_short(look, group) else shown_in(look, group)
        if (
            shown is None
            or stem(said["noun"].casefold()) not in shown.collection.heads | shown.collection.stems
        ):
            continue
        field = _field_of(shown.collection, said["value"])
        if field and stems(group.name) & (shown.collection.heads | shown.collection.stems):
            yield from _left_out(look, shown, field, said["value"])


def _field_of(collection: Collection, value: str) -> str:
    """The one field that says how things stand and has this value in some of them; "" where there is none."""
    fields = [
        field
        for field in sorted(collection.fields)
        if stems(field) & STATUS_FIELDS
        and any(key_of(one.attributes.get(field)) == key_of(value) for one in collection.entities)
    ]
    return fields[0] if len(fields) == 1 else ""


def _left_out(look: Look, shown: Shown, field: str, value: str) -> Iterator[Violation]:
    things = things_of(look, shown.collection)
    here = [one for one in things if one.key in shown.keys]
    if any(_stands(one, field, value) for one in here):
        return  # the list goes by something else
    picked = [
        _fitting(look, readings(look, shown.collection, name, given), here)
        for name, given in look.step.arguments.items()
        if given not in (None, "", [], {})
    ]
    if any(not ways for ways in picked):
        return
    for one in things:
        if one.gone or one.key in look.said or one in here or not one.knows(field):
            continue
        if not _stands(one, field, value) and all(way.says(look, one) for ways in picked for way in ways):
            yield look.violation(
                kind="omission",
                subkind="missing" if shown.group.items else "all_missing",
                pointer=shown.group.pointer,
                contract=one.pointer,
                entity=one.id,
                expected={field: one.values[field]},
                observed=[item.row or item.label for item in shown.group.items][:12],
                confidence=0.75,
                message=f"{look.step.tool.name} leaves out {one.id!r}, whose {field} is {one.values[field]!r} and not {value!r}",
            )


def _fitting(look: Look, ways: Sequence[Reading], here: Sequence[Thing]) -> list[Reading]:
    """The readings of an argument that let through all that is shown."""
    return [way for way in ways if all(way.says(look, one) is not False for one in here)]


def _stands(one: Thing, field: str, value: str) -> bool:
    return one.knows(field) and key_of(one.values[field]) == key_of(value)
