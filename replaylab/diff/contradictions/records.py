"""Values of records: what a record shows of a thing against what was said of it last, else against the state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.checks.numbers import exact
from replaylab.diff.calls.changes import described, may_have_changed
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.memory import Record, records
from replaylab.diff.calls.subjects import Fact
from replaylab.diff.calls.world import Told
from replaylab.diff.contract.tools import is_write
from replaylab.diff.contradictions.contradiction import differs, may_add_up
from replaylab.diff.contradictions.effects import is_left_alone, is_own_text
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import NO_NAMES, OUTCOME_FIELDS, OUTCOMES
from replaylab.diff.words.observed import escape, groups
from replaylab.diff.words.stated import same_times
from replaylab.schema.base import Json, in_json
from replaylab.schema.violation import Violation

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_SHARED = re.compile(r"/\d+(?=/|$)")
_NAMED = 0.5
_LEAST_WORDS = 5  # by which a text is a sentence, in which a number is no other wording


class Due(NamedTuple):
    """What a field has to show, and where that comes from."""

    value: Json
    contract: str
    told: Told | None


def other_values(look: Look) -> Iterator[Violation]:
    """Fields of records that are not what they have to be."""
    if is_write(look.step.tool):
        return
    yield from _beside_the_filter(look)
    for record in (*records(look), *_constants(look)):
        for field, value in record.row.items():
            if field not in record.entity.attributes or isinstance(value, (dict, list)):
                continue
            due = due_of(look, record, field)
            if due is None or not _is_other(look, record, field, due, value):
                continue
            if not may_add_up(look, Fact(due.value, due.contract)):
                yield _violation(look, record, field, due, value)


def _beside_the_filter(look: Look) -> Iterator[Violation]:
    """Rows that show another thing's value in the very field by which the call has asked for them: "queued" among what is
    "received".
    """
    for record in records(look):
        for field, wanted in look.step.arguments.items():
            value = record.row.get(field)
            if not _is_asked_for(record, field, wanted) or not isinstance(value, str):
                continue
            if differs(wanted, value) and _is_of_another(record, field, value):
                yield look.violation(
                    kind="contradiction",
                    subkind="changed_value",
                    pointer=record.at(field),
                    contract=f"{record.entity.pointer}/{escape(field)}",
                    entity=record.entity.id,
                    expected=wanted,
                    observed=value,
                    confidence=0.65,
                    message=f"{look.step.tool.name} shows {field} of {record.entity.id} as {in_json(value)} among those whose "
                    f"{field} is {in_json(wanted)}",
                )


def _is_asked_for(record: Record, field: str, wanted: Json) -> bool:
    """Whether a filter takes whole values of a field of the things that are listed: it is what some member has there."""
    listed = record.own and record.pointer and field in record.entity.attributes
    return bool(listed) and any(one.attributes.get(field) == wanted for one in record.collection.entities)


def _constants(look: Look) -> Iterator[Record]:
    """The rows that show members as such and are no records, since several parts of the state have things of these names:
    what never changes of those that a call has touched.
    """
    done = {one.pointer for one in records(look)}
    for one in look.bindings if look.world.writes else ():
        told = described(look.contract, one.collection)
        for item in one.group.items if one.evidence.named >= _NAMED or one.evidence.exact else ():
            entity = one.entity_of(item)
            if entity is not None and entity.id and not entity.parent and item.pointer not in done:
                row = {
                    field: value
                    for field, value in item.row.items()
                    if never_changes(told, field, one.collection.fields)
                }
                yield Record(item.pointer, row, entity, one.collection, own=True)


def due_of(look: Look, record: Record, field: str, *, lists: bool = False) -> Due | None:
    """What was said last and can't have changed since; else what the state says, where nothing can have changed it: of
    plain values, and with `lists` of lists too.
    """
    first = record.entity.attributes[field]
    contract = f"{record.entity.pointer}/{escape(field)}"
    last = look.world.told.get((record.entity.key, field))
    fixed = never_changes(described(look.contract, record.collection), field, record.collection.fields)
    if last is not None and not fixed:
        return Due(last.value, contract, last) if _still_stands(look, record, field, last) else None
    if isinstance(first, (dict, list)) and not lists:
        return None
    if not fixed and may_have_changed(look, record.collection, record.entity, field):
        writes = look.world.writes
        left = is_left_alone(look, record.collection, field, writes, (first,))
        if not left and not is_own_text(record, field, writes):
            return None
    return Due(first, contract, None)


def _still_stands(look: Look, record: Record, field: str, last: Told) -> bool:
    """Whether what was said last can't have changed since."""
    key, since = record.entity.key, [one for one in look.world.writes if one.call > last.call]
    if is_own_text(record, field, since):
        return True
    if look.world.time_moved or any(key_of(last.value) in one.named for one in since):
        return False  # time has moved on, or what was brought here
    reached = look.contract.links.reached
    touching = [one for one in since if key in reached(one.keys) or key in look.ripples_of(one)]
    known = (record.entity.attributes[field], last.value)
    return not touching or is_left_alone(look, record.collection, field, touching, known)


def _is_other(look: Look, record: Record, field: str, due: Due, value: Json) -> bool:
    if same(due.value, value):
        return False
    if key_of(value) in NO_NAMES or value in (None, ""):
        return value in (None, "") and _is_forgotten(record, field, due)
    if stems(field) & OUTCOME_FIELDS and isinstance(value, str) and stems(value) & OUTCOMES:
        return False
    if isinstance(value, str) and isinstance(due.value, str):
        if _is_at_the_same_time(due.value, value):
            return False
        other = _has_other_numbers(due.value, value) or (record.own and _is_another_measure(due.value, value))
        return _is_of_another(record, field, value) or other
    if not (record.own or (due.told is None and _is_exemplified(look, record, field))):
        return False
    if due.value is None:
        return due.told is None or (record.entity.attributes[field] is None and not due.told.write)
    return differs(due.value, value)


def _is_at_the_same_time(one: str, other: str) -> bool:
    """Whether both tell one time of day, one of them with its day."""
    short, long = sorted((one, other), key=len)
    return short != long and long.endswith(short) and same_times(short, long)


def _is_exemplified(look: Look, record: Record, field: str) -> bool:
    """Whether the tool's example shows in that place what the state has for the things that it names: of what an order waits
    for, its sheets. Only of what never changes, since an example is of any time.
    """
    if not never_changes(described(look.contract, record.collection), field, record.collection.fields):
        return False
    place, name = _SHARED.sub("", record.pointer), _naming(record)
    rows = [
        item.row
        for group in groups(look.step.tool.example_output)
        for item in group.items
        if group.shape == "rows" and place.endswith(_SHARED.sub("", item.pointer))
    ]
    pairs = [
        (entity.attributes.get(field), row[field])
        for row in rows
        if field in row and (entity := record.collection.find(key_of(row.get(name)))) is not None
    ]
    return bool(pairs) and all(same(one, other) for one, other in pairs)


def _naming(record: Record) -> str:
    """The field by which a row names its thing."""
    return next((name for name, value in record.row.items() if key_of(value) == record.entity.key), "")


def _is_forgotten(record: Record, field: str, due: Due) -> bool:
    """Whether nothing is shown, as at first, where an answer since has said something."""
    first = record.entity.attributes[field]
    return due.told is not None and first in (None, "") and due.value not in (None, "")


def _is_of_another(record: Record, field: str, value: str) -> bool:
    """Whether a text is, sign by sign, what another member has there."""
    return any(
        one.attributes.get(field) == value
        for one in record.collection.entities
        if one.key != record.entity.key
    )


def _has_other_numbers(one: str, other: str) -> bool:
    """Whether two sentences differ in their numbers alone."""
    if len(one.split()) < _LEAST_WORDS or _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    return _NUMBER.findall(one) != _NUMBER.findall(other)


def _is_another_measure(one: str, other: str) -> bool:
    """Whether two short texts are alike but for their numbers, and these are no roundings: "21:00" and "22:00"."""
    left, right = _NUMBER.findall(one), _NUMBER.findall(other)
    if not left or _NUMBER.sub("#", one) != _NUMBER.sub("#", other):
        return False
    pairs = [(exact(mine), exact(theirs)) for mine, theirs in zip(left, right, strict=True)]
    return any(
        mine is not None
        and theirs is not None
        and mine != theirs
        and round(mine, 1) != theirs
        and round(mine) != theirs
        for mine, theirs in pairs
    )


def _violation(look: Look, record: Record, field: str, due: Due, value: Json) -> Violation:
    name, told = record.entity.id, due.told
    stale = told is not None and told.write and value == record.entity.attributes[field]
    how = (
        f"{told.tool} in call {told.call} said {in_json(told.value)}"
        if told
        else f"it is {in_json(due.value)}"
    )
    return look.violation(
        kind="contradiction",
        subkind="stale" if stale else "changed_value",
        pointer=record.at(field),
        contract=due.contract,
        entity=name,
        expected=due.value,
        observed=value,
        confidence=0.7,
        message=f"{look.step.tool.name} shows {field} of {name} as {in_json(value)}; {how}, and nothing has changed it since",
    )
