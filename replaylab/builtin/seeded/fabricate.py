"""State fabrication: shapes that show an entity which is not there."""

from __future__ import annotations

import copy
from collections.abc import Callable

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import (
    Ground,
    Rows,
    Said,
    changed,
    entities_of,
    has_lists,
    holds,
    nodes,
    pointer,
)
from replaylab.builtin.seeded.names import near_duplicate, sibling, strange
from replaylab.builtin.seeded.values import other_time
from replaylab.schema.base import JsonObject
from replaylab.schema.seeded import Seeded

Name = Callable[[Ground, Draw, Rows], str | None]


def invented_sibling(ground: Ground, draw: Draw) -> Said | None:
    """One more row, with the next id of the family."""
    return _added(ground, draw, "sibling", lambda g, d, rows: sibling(g, d, rows.ids))


def invented_duplicate(ground: Ground, draw: Draw) -> Said | None:
    """One more row, with an id that is easily taken for one that exists."""
    return _added(ground, draw, "near_duplicate", lambda g, d, rows: near_duplicate(g, d, rows.ids))


def invented_stranger(ground: Ground, draw: Draw) -> Said | None:
    """One more row, with a name of another family."""
    return _added(ground, draw, "other_family", lambda g, d, rows: strange(g, d))


def example_leak(ground: Ground, draw: Draw) -> Said | None:
    """One more row, for what stands only in the examples of the tools."""
    shown = {
        name
        for tool in ground.environment.tools
        for name in entities_of(tool.example_output)
        if name not in ground.entities and not holds(ground.state, name)
    }

    def leaked(_: Ground, draw: Draw, rows: Rows) -> str | None:
        fitting = sorted(name for name in shown if name[:2] == rows.ids[0][:2])
        return draw.one(fitting) if fitting else None

    return _added(ground, draw, "example_leak", leaked)


def replaced_list(ground: Ground, draw: Draw) -> Said | None:
    """The whole list, with an invented id in each row."""
    rows = _own_rows(ground, draw)
    if rows is None:
        return None
    names: list[str] = []
    for _ in rows.items:
        name = sibling(ground, draw, [*rows.ids, *names])
        if name is None or name in names:
            return None
        names.append(name)
    new = [row | {rows.field: name} for row, name in zip(rows.items, names, strict=True)]
    return _replaced(ground, rows, new, tuple(names), rows.ids, "replaced_list")


def replaced_id(ground: Ground, draw: Draw) -> Said | None:
    """One row under an invented id, all else as it is."""
    rows = _own_rows(ground, draw)
    if rows is None:
        return None
    at = draw.below(len(rows.items))
    make = draw.one((sibling, near_duplicate))
    name = make(ground, draw, rows.ids)
    if name is None:
        return None
    new = [row | {rows.field: name} if place == at else row for place, row in enumerate(rows.items)]
    return _replaced(ground, rows, new, (name,), (rows.ids[at],), "replaced_id")


def invented_reference(ground: Ground, draw: Draw) -> Said | None:
    """A known entity refers to one that does not exist: a patient lies in a room that nobody has."""
    if not ground.reads:
        return None
    places = [
        (subject, field, value)
        for subject in ground.subjects
        for field, value in subject.row.items()
        if isinstance(value, str)
        and value in ground.entities
        and value != subject.entity
        and value not in ground.asked.values()
    ]
    if not places:
        return None
    subject, field, value = draw.one(places)
    name = sibling(ground, draw, [value, *ground.peers(value)])
    if name is None:
        return None
    path = (*subject.path, field)
    seeded = Seeded(
        kind="fabrication",
        shape="reference",
        entity=name,
        pointer=pointer(path),
        expected=value,
        observed=name,
    )
    return Said(changed(ground.truth, path, name), (seeded,))


def invented_in_id_list(ground: Ground, draw: Draw) -> Said | None:
    """One more id in a list of ids."""
    if not ground.reads:
        return None
    lists = [
        (path, node)
        for path, node in nodes(ground.truth)
        if isinstance(node, list)
        and node
        and all(isinstance(one, str) and one in ground.entities for one in node)
    ]
    if not lists:
        return None
    path, node = draw.one(lists)
    name = sibling(ground, draw, [*node, *ground.peers(node[0])])
    if name is None:
        return None
    at = draw.below(len(node) + 1)
    seeded = Seeded(
        kind="fabrication", shape="id_list", entity=name, pointer=pointer((*path, at)), observed=name
    )
    return Said(changed(ground.truth, path, [*node[:at], name, *node[at:]]), (seeded,))


def invented_without_id(ground: Ground, draw: Draw) -> Said | None:
    """One more row in a list whose rows have no id: a booking, a window, a lease of nobody."""
    lists = [
        rows for rows in ground.rows if not rows.field and isinstance(next(iter(rows.items[0].values())), str)
    ]
    if not lists or not ground.reads:
        return None
    rows = draw.one(lists)
    row = _unlike(ground, rows, draw)
    if row is None:
        return None
    new = [*rows.items, row]
    path = (*rows.path, len(rows.items))
    seeded = Seeded(kind="fabrication", shape="without_id", pointer=pointer(path), observed=row)
    return Said(changed(ground.truth, rows.path, new), (seeded,))


def too_many_counted(ground: Ground, draw: Draw) -> Said | None:
    """A counter of a list that counts more than the state holds."""
    rows = _named_rows(ground, draw)
    if rows is None or len(rows.path) != 1 or not rows.own:
        return None
    there = 1 + len(ground.peers(rows.ids[0]))
    said, name = max(there, len(rows.items)) + 1 + draw.below(3), f"total_{rows.path[0]}"
    seeded = Seeded(
        kind="fabrication", shape="counter", pointer=f"/{name}", expected=len(rows.items), observed=said
    )
    return Said({**ground.truth, name: said}, (seeded,))


def unknown_shown(ground: Ground, draw: Draw) -> Said | None:
    """A plain record for an id that does not exist and was asked for."""
    if not ground.refused or ground.tool.effect != "read":
        return None
    for argument, value in ground.arguments.items():
        if not isinstance(value, str) or not value or value in ground.entities:
            continue
        for other in draw.shuffled(sorted(ground.entities))[:24]:
            shown = ground.put({**ground.arguments, argument: other})
            if isinstance(shown, dict) and other in shown.values() and not has_lists(shown):
                record = {key: value if part == other else part for key, part in shown.items()}
                seeded = Seeded(
                    kind="fabrication", shape="unknown_shown", entity=value, expected=ground.truth
                )
                return Said(record, (seeded,))
    return None


Shape = Callable[[Ground, Draw], Said | None]
SHAPES: tuple[Shape, ...] = (
    invented_sibling,
    invented_duplicate,
    invented_stranger,
    example_leak,
    replaced_list,
    replaced_id,
    invented_reference,
    invented_in_id_list,
    invented_without_id,
    too_many_counted,
    unknown_shown,
)


def _named_rows(ground: Ground, draw: Draw) -> Rows | None:
    """A list whose rows have ids, in what a read returns."""
    lists = [rows for rows in ground.rows if rows.field]
    return draw.one(lists) if lists and ground.reads else None


def _own_rows(ground: Ground, draw: Draw) -> Rows | None:
    """Such a list whose rows show the things that their ids name.

    Where a row only refers to a thing, another reference is one mistake: nothing is left out, since the row is there.
    """
    lists = [rows for rows in ground.rows if rows.field and rows.own]
    return draw.one(lists) if lists and ground.reads else None


def _added(ground: Ground, draw: Draw, shape: str, name_of: Name) -> Said | None:
    rows = _named_rows(ground, draw)
    name = name_of(ground, draw, rows) if rows else None
    if rows is None or name is None:
        return None
    row = _like(rows, draw.below(len(rows.items)), ground) | {rows.field: name}
    at = draw.below(len(rows.items) + 1)
    new = [*rows.items[:at], row, *rows.items[at:]]
    seeded = Seeded(
        kind="fabrication",
        shape=shape,
        entity=name,
        pointer=pointer((*rows.path, at)),
        observed=name,
    )
    return Said(changed(ground.truth, rows.path, new), (seeded,))


def _like(rows: Rows, at: int, ground: Ground) -> JsonObject:
    """A copy of a row without what only that one can have: the things that it alone refers to."""
    copied: JsonObject = copy.deepcopy(rows.items[at])
    for field, value in copied.items():
        alone = sum(row.get(field) == value for row in rows.items) == 1
        if field != rows.field and alone and isinstance(value, str) and value in ground.entities:
            copied[field] = None
        elif alone and isinstance(value, list):
            copied[field] = []
    return copied


def _replaced(
    ground: Ground,
    rows: Rows,
    new: list[JsonObject],
    names: tuple[str, ...],
    gone: tuple[str, ...],
    shape: str,
) -> Said | None:
    said = changed(ground.truth, rows.path, new)
    if any(holds(said, name) for name in gone):
        return None
    where = pointer(rows.path)
    invented = [
        Seeded(kind="fabrication", shape=shape, entity=name, pointer=where, observed=name) for name in names
    ]
    left_out = [
        Seeded(kind="omission", shape=shape, entity=name, pointer=where, expected=name) for name in gone
    ]
    return Said(said, (*invented, *left_out))


def _unlike(ground: Ground, rows: Rows, draw: Draw) -> JsonObject | None:
    """A row like another, but for its first field: a time that no row has, or a word that nobody has said."""
    row: JsonObject = copy.deepcopy(draw.one(rows.items))
    field, value = next(iter(row.items()))
    taken = [one.get(field) for one in rows.items]
    new = next((time for _ in range(9) if (time := other_time(value, draw)) not in taken), None)
    new = new or strange(ground, draw)
    return {**row, field: new} if new else None
