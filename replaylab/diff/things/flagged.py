"""Whether a thing is what a flag asks for: by what answers have told of it, by two numbers that have decided so far,
or by a day that is over while it has no end yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import is_write, moves_time
from replaylab.diff.things.profile import is_moment, side_of_now
from replaylab.diff.things.thing import Thing, row_of
from replaylab.diff.words.identity import key_of, name_key, stem, stems
from replaylab.diff.words.lexicon import STATUS_FIELDS
from replaylab.diff.words.observed import groups, leaves
from replaylab.schema.base import Json, JsonObject

_LATE = frozenset(map(stem, ("late", "overdue")))
_DUE = frozenset(map(stem, ("due", "until", "expected", "deadline")))
_RUNNING = frozenset(map(stem, ("open", "out", "pending", "active", "scheduled", "promised", "unpaid")))


def is_flagged(look: Look, collection: Collection, thing: Thing, flag: str) -> bool | None:
    """Whether a thing is what a flag of this name asks for with true; None where nobody can say."""
    told = {said for row in _rows(look, collection, thing) if (said := _said_by(row, flag)) is not None}
    if told:
        return told.pop() if len(told) == 1 else None
    if stems(flag) <= _LATE:
        return _is_late(look, collection, thing)
    return _by_its_numbers(look, collection, thing, flag)


def _by_its_numbers(look: Look, collection: Collection, thing: Thing, flag: str) -> bool | None:
    """What two numbers of a thing say, where in all rows that bear the flag it goes by which of the two is the greater one."""
    rows = list(_rows_with(look, flag))
    said: set[bool | None] = set()
    for one, other in combinations(sorted(collection.fields), 2):
        told: dict[int | None, set[bool]] = {}
        for row in rows:
            told.setdefault(_sign(row.get(one), row.get(other)), set()).add(row[flag] is True)
        decided = None not in told and all(len(each) == 1 for each in told.values())
        if decided and len(set().union(*told.values())) > 1:
            knows = thing.knows(one) and thing.knows(other)
            sign = _sign(thing.values[one], thing.values[other]) if knows else None
            said.add(next(iter(told.get(sign, ())), None))
    return said.pop() if len(said) == 1 else None


def _rows_with(look: Look, flag: str) -> Iterator[JsonObject]:
    """The rows that bear the flag as a yes or no, of all that this tool has shown, and of its example."""
    tool = look.step.tool
    before = [one.observation for one in look.world.steps if one.tool.name == tool.name and not one.refused]
    for said in (*([tool.example_output] if tool.has_example else []), *before, look.step.observation):
        for group in groups(said):
            yield from (item.row for item in group.items if isinstance(item.row.get(flag), bool))


def _sign(one: Json, other: Json) -> int | None:
    left, right = exact(one), exact(other)
    return None if left is None or right is None else (left > right) - (left < right)


def _said_by(row: JsonObject, flag: str) -> bool | None:
    """What a row says of a flag: by a yes or no of that name, or by a figure that says by how much: `short_by` of 0 is not short."""
    for field, value in row.items():
        if name_key(field) == name_key(flag) and isinstance(value, bool):
            return value
    by = [
        number
        for field, value in row.items()
        if name_key(field) == name_key(f"{flag}_by") and (number := exact(value)) is not None
    ]
    return by[0] > 0 if by else None


def _rows(look: Look, collection: Collection, thing: Thing) -> Iterator[JsonObject]:
    """The rows of answers that have shown a thing since which nothing was done with it, nor with what it hangs together with.

    That a list was asked for by a flag says nothing of its rows: one that does not belong there may be among them.
    """
    for step in look.world.steps:
        if step.refused or is_write(step.tool) or _is_past(look, collection, thing, step):
            continue
        row = row_of(collection, step, thing.key)
        if row:
            yield row


def _is_past(look: Look, collection: Collection, thing: Thing, told: Step) -> bool:
    """Whether what an answer told of a thing may be otherwise by now."""
    since = [one for one in look.world.writes if one.call > told.call]
    if any(moves_time(one.tool) for one in since):
        return True
    named = frozenset[str]().union(*(one.keys for one in since))
    if not named:
        return bool(since)
    own = {
        key_of(value)
        for one in look.contract.collections
        for entity in one.entities
        if entity.aliases & named
        for _, _, value in leaves(entity.attributes)
    }
    return thing.key in look.contract.links.reached(named) | own


def _is_late(look: Look, collection: Collection, thing: Thing) -> bool | None:
    """Whether the one day by which something is due has passed, while what would have ended it is still empty, or it stands as
    what runs; what is due later is not late.
    """
    due = [field for field in sorted(collection.fields) if _is_due(collection, field)]
    if len(due) != 1 or not thing.knows(due[0]):
        return None
    side = side_of_now(look, thing.values[due[0]])
    if side == "ahead":
        return False
    return True if side == "past" and _runs(collection, thing, due[0]) else None


def _is_due(collection: Collection, field: str) -> bool:
    values = [one.attributes.get(field) for one in collection.entities]
    return bool(stems(field) & _DUE) and bool(values) and all(map(is_moment, values))


def _runs(collection: Collection, thing: Thing, due: str) -> bool:
    """Whether a thing has not ended: by its status, else by the one field with a moment that is empty in some."""
    status = [field for field in collection.fields if stems(field) & STATUS_FIELDS]
    if status:
        return len(status) == 1 and thing.knows(status[0]) and stems(str(thing.values[status[0]])) <= _RUNNING
    ends = [field for field in collection.fields - {due} if _is_an_end(collection, field)]
    return len(ends) == 1 and thing.knows(ends[0]) and thing.values[ends[0]] is None


def _is_an_end(collection: Collection, field: str) -> bool:
    values: list[Json] = [one.attributes.get(field) for one in collection.entities]
    filled = [one for one in values if one is not None]
    return len(filled) < len(values) and bool(filled) and all(map(is_moment, filled))
