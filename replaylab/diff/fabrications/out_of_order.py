"""Rows that stand where their time does not belong: a log is told old to new, and one row at its end is of the morning."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.arriving import said_of
from replaylab.diff.contract.binding import Binding
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.members import is_row_of
from replaylab.diff.contract.tools import is_write
from replaylab.diff.words.identity import key_of
from replaylab.diff.words.observed import Group, Item, leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_MOMENT = re.compile(r"(?:\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}.*)?|\d{2}:\d{2}(?::\d{2})?)$")
_ORDERED = re.compile(
    r"\bold(?:est)? (?:to new|first)\b|\bin (?:the )?order\b|\bchronolog\w+\b|\bnewest last\b", re.IGNORECASE
)
_LEAST = 3  # rows in order, by which a list has one
_OTHERS = 2


def misplaced(look: Look) -> Iterator[Violation]:
    """The one row of a list in order of time that breaks it, and that neither the state nor an earlier answer has."""
    if is_write(look.step.tool):
        return
    for binding in look.bindings:
        group, collection = binding.group, binding.collection
        field = _field_in_order(look, collection) if group.shape == "rows" and not _has_ids(binding) else ""
        item = _breaking(group, field) if field else None
        if item is None or _is_known(look, collection, item):
            continue
        yield look.violation(
            kind="fabrication",
            subkind="unknown",
            pointer=item.pointer,
            contract=collection.pointer,
            observed=item.row,
            confidence=0.7,
            message=f"{look.step.tool.name} shows a row of {item.row[field]} out of the order of {collection.pointer}, which does "
            f"not hold it: {item.row}",
        )


def _has_ids(binding: Binding) -> bool:
    """Whether the rows are named by something that the state has once in all of its rows, and that is no time."""
    named = [one.attributes.get(binding.id_field) for one in binding.collection.entities]
    return (
        bool(binding.id_field)
        and len({key_of(one) for one in named}) == len(named)
        and not all(map(_moment, named))
    )


def _field_in_order(look: Look, collection: Collection) -> str:
    """The field by whose times the state has its rows in order."""
    told = _ORDERED.search(said_of(look.contract.environment, collection)) is not None
    rows = [one.attributes for one in collection.entities]
    if len(rows) < (_OTHERS if told else _LEAST) or len({one.parent for one in collection.entities}) > 1:
        return ""
    for field in rows[0]:
        moments = [_moment(row.get(field)) for row in rows]
        if all(moments) and _is_sorted(moments) and len(set(moments)) > 1:
            return field
    return ""


def _breaking(group: Group, field: str) -> Item | None:
    """The row without which the others are in order; None where there is none, or any of several may be it."""
    moments = [_moment(item.row.get(field)) for item in group.items]
    if not all(moments) or len(moments) <= _OTHERS or _is_sorted(moments) or len(set(map(len, moments))) > 1:
        return None
    found = [at for at in range(len(moments)) if _is_sorted([*moments[:at], *moments[at + 1 :]])]
    return group.items[found[0]] if len(found) == 1 else None


def _moment(value: Json) -> str:
    return value if isinstance(value, str) and _MOMENT.match(value) else ""


def _is_sorted(moments: Sequence[str]) -> bool:
    return all(before <= after for before, after in pairwise(moments))


def _is_known(look: Look, collection: Collection, item: Item) -> bool:
    """Whether the state has the row, or a call before has shown or returned its values."""
    if any(is_row_of(item.row, one.attributes) for one in collection.entities):
        return True
    own = {str(value) for value in item.row.values() if isinstance(value, (str, int))}
    told = ([*leaves(step.arguments), *leaves(step.observation)] for step in look.world.writes)
    return any(own <= {str(value) for _, _, value in one} for one in told)
