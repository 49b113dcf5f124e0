"""Rows without ids beyond those that the state has: a seventh rate beside the six of its list."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from replaylab.diff.calls.changes import described
from replaylab.diff.calls.fixed import never_changes
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.members import owners_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import stems
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import JsonObject
from replaylab.schema.violation import Violation

_LEAST = 2  # rows that are the state's own, by which the list is that one


def surplus_rows(look: Look) -> Iterator[Violation]:
    """Rows that are no member's, in a list that shows members and holds more rows than there are."""
    if is_write(look.step.tool):
        return
    for group in look.groups:
        collection = _shown(look, group) if group.shape == "rows" else None
        members = [one for one in collection.entities if _is_of(look, group, one)] if collection else []
        if collection is None or _may_have_grown(look, collection, members):
            continue
        strange = _unmatched(group, members)
        known = len(group.items) - len(strange)
        if known < _LEAST or len(group.items) <= len(members):
            continue
        for item in strange:
            yield look.violation(
                kind="fabrication",
                subkind="unknown",
                pointer=item.pointer,
                contract=collection.pointer,
                entity=_first_text(item.row),
                expected=len(members),
                observed=item.row,
                confidence=0.75,
                message=f"{look.step.tool.name} shows {len(group.items)} rows of {group.name}; {collection.pointer} has "
                f"{len(members)}, and none is {item.row}",
            )


def _shown(look: Look, group: Group) -> Collection | None:
    """The one list of the state that bears the name of this one, and whose rows have no ids."""
    found = [
        one
        for one in look.contract.collections
        if one.shape == "rows" and one.entities and stems(one.name) == stems(group.name) != frozenset()
    ]
    return found[0] if len(found) == 1 and not any(each.id for each in found[0].entities) else None


def _may_have_grown(look: Look, collection: Collection, members: Sequence[Entity]) -> bool:
    """Whether a call or time may have added rows: of a thing's own list, one that named the thing or led to it."""
    if not look.world.writes or never_changes(described(look.contract, collection), collection.name):
        return False
    parents = {one.parent for one in members}
    unseen = look.world.time_moved and not look.contract.arrivals.is_accounted_for(collection)
    return unseen or len(parents) != 1 or "" in parents or bool(parents & look.touched)


def _is_of(look: Look, group: Group, one: Entity) -> bool:
    """Whether a member belongs to what the call asks for, or to the row that the list stands in."""
    around = look.step.named | group.owners
    return not one.parent or one.parent in around


def _unmatched(group: Group, members: Sequence[Entity]) -> list[Item]:
    """The rows that are no member's; each member is one row."""
    owners = owners_of([item.row for item in group.items], members)
    return [item for item, own in zip(group.items, owners, strict=True) if own is None]


def _first_text(row: JsonObject) -> str:
    return next((value for value in row.values() if isinstance(value, str)), "")
