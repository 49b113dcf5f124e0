"""Contradiction: a value of the state is shown otherwise, and no call has changed it."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.checks.matcher import same
from replaylab.checks.prose import quantity
from replaylab.diff.collection import Collection, Entity
from replaylab.diff.identity import name_key, stems
from replaylab.diff.looking import Look
from replaylab.diff.observed import Item, escape
from replaylab.diff.tools import is_write
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation


def contradictions(look: Look) -> Iterator[Violation]:
    """Fields of members that differ from the state."""
    if is_write(look.step.tool) or look.world.writes:
        return
    for binding in look.bindings:
        for item in binding.group.items:
            entity = binding.entity_of(item)
            if entity is not None and item.row:
                yield from _in_row(look, binding.collection, entity, item, binding.id_field)


def _in_row(
    look: Look, collection: Collection, entity: Entity, item: Item, id_field: str
) -> Iterator[Violation]:
    for field, value in item.row.items():
        if (
            field == id_field
            or field not in entity.attributes
            or not differs(entity.attributes[field], value)
        ):
            continue
        yield Violation(
            kind="contradiction",
            subkind="changed_value",
            call=look.step.call,
            tool=look.step.tool.name,
            pointer=f"{item.pointer}/{escape(field)}",
            contract=f"{entity.pointer}/{escape(field)}",
            entity=entity.id,
            expected=entity.attributes[field],
            observed=value,
            confidence=0.8,
            message=f"{look.step.tool.name} shows {field} of {entity.id or collection.name!r} as {value!r}; it is {entity.attributes[field]!r}",
        )


def differs(expected: Json, observed: Json) -> bool:
    """Whether two plain values can't mean one thing. Other words for a text may; a number that is rounded does."""
    if (
        isinstance(expected, (dict, list))
        or isinstance(observed, (dict, list))
        or expected is None
        or observed is None
    ):
        return False
    if same(expected, observed) or isinstance(expected, bool) is not isinstance(observed, bool):
        return False
    left, right = quantity(expected), quantity(observed)
    if left is not None and right is not None:
        return left not in (right / 100, right * 100) and round(left) != right and round(left, 1) != right
    if left is not None or right is not None or isinstance(expected, bool):
        return isinstance(expected, bool) and expected is not observed
    mine, theirs = name_key(str(expected)), name_key(str(observed))
    return mine not in theirs and theirs not in mine and not stems(str(expected)) & stems(str(observed))
