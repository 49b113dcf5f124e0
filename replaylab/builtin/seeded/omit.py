"""Entity omission: shapes that leave out an entity which has to be there, or deny it."""

from __future__ import annotations

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Rows, Said, changed, holds, nodes, pointer
from replaylab.schema.seeded import Seeded

DENIALS = (
    "there is no {noun} {name}",
    "{noun} {name} not found",
    "No record found for {noun} '{name}'",
    "{name} does not exist",
    "unknown {noun}: {name}",
    "404: no such {noun}, {name}",
)


def first_dropped(ground: Ground, draw: Draw) -> Said | None:
    """The first row is left out."""
    rows = _rows(ground, draw, least=2)
    return _without(ground, rows, [0], "first") if rows else None


def last_dropped(ground: Ground, draw: Draw) -> Said | None:
    """The last row is left out."""
    rows = _rows(ground, draw, least=2)
    return _without(ground, rows, [len(rows.items) - 1], "last") if rows else None


def middle_dropped(ground: Ground, draw: Draw) -> Said | None:
    """A row between others is left out."""
    rows = _rows(ground, draw, least=3)
    return _without(ground, rows, [1 + draw.below(len(rows.items) - 2)], "middle") if rows else None


def several_dropped(ground: Ground, draw: Draw) -> Said | None:
    """Two rows are left out, and the others stand in another order."""
    rows = _rows(ground, draw, least=4)
    if rows is None:
        return None
    gone = sorted(draw.shuffled(range(len(rows.items)))[:2])
    said = _without(ground, rows, gone, "several")
    if said is None:
        return None
    left = [row for at, row in enumerate(rows.items) if at not in gone]
    return Said(changed(said.observation, rows.path, draw.shuffled(left)), said.seeded)


def all_dropped(ground: Ground, draw: Draw) -> Said | None:
    """The list is empty."""
    rows = _rows(ground, draw, least=1)
    return _without(ground, rows, range(len(rows.items)), "all") if rows else None


def dropped_with_counter(ground: Ground, draw: Draw) -> Said | None:
    """A row is left out, and a counter says that the rest is all."""
    rows = _rows(ground, draw, least=2)
    said = _without(ground, rows, [draw.below(len(rows.items))], "with_counter") if rows else None
    if rows is None or said is None or not isinstance(said.observation, dict) or "count" in said.observation:
        return None
    return Said({**said.observation, "count": len(rows.items) - 1}, said.seeded)


def id_dropped(ground: Ground, draw: Draw) -> Said | None:
    """An id is left out of a list of ids."""
    lists = [
        (path, node)
        for path, node in nodes(ground.truth)
        if isinstance(node, list)
        and len(node) > 1
        and all(isinstance(one, str) and one in ground.entities for one in node)
    ]
    if not lists or not ground.reads:
        return None
    path, node = draw.one(lists)
    at = draw.below(len(node))
    said = changed(ground.truth, path, node[:at] + node[at + 1 :])
    if holds(said, node[at]):
        return None
    seeded = Seeded(
        kind="omission", shape="id_list", entity=node[at], pointer=pointer(path), expected=node[at]
    )
    return Said(said, (seeded,))


def row_without_id_dropped(ground: Ground, draw: Draw) -> Said | None:
    """A row is left out of a list whose rows have no id."""
    lists = [rows for rows in ground.rows if not rows.field and len(rows.items) > 1]
    if not lists or not ground.reads:
        return None
    rows = draw.one(lists)
    at = draw.below(len(rows.items))
    left = [row for place, row in enumerate(rows.items) if place != at]
    if rows.items[at] in left:
        return None
    seeded = Seeded(kind="omission", shape="without_id", pointer=pointer(rows.path), expected=rows.items[at])
    return Said(changed(ground.truth, rows.path, left), (seeded,))


def denied(ground: Ground, draw: Draw) -> Said | None:
    """The call is refused, because what it names is said not to exist."""
    if ground.refused or not ground.asked:
        return None
    argument, name = draw.one(sorted(ground.asked.items()))
    text = draw.one(DENIALS).format(noun=argument.replace("_", " "), name=name)
    seeded = Seeded(kind="omission", shape="denial", entity=name, pointer="/error", observed=text)
    return Said({"error": text}, (seeded,))


SHAPES = (
    first_dropped,
    last_dropped,
    middle_dropped,
    several_dropped,
    all_dropped,
    dropped_with_counter,
    id_dropped,
    row_without_id_dropped,
    denied,
)


def _rows(ground: Ground, draw: Draw, *, least: int) -> Rows | None:
    lists = [rows for rows in ground.rows if rows.field and len(rows.items) >= least]
    return draw.one(lists) if lists and ground.reads else None


def _without(ground: Ground, rows: Rows, gone: list[int] | range, shape: str) -> Said | None:
    """The truth without some rows; None where what they name still stands elsewhere in it."""
    left = [row for at, row in enumerate(rows.items) if at not in gone]
    said = changed(ground.truth, rows.path, left)
    names = [rows.ids[at] for at in gone]
    if any(holds(said, name) for name in names):
        return None
    full = f"{shape}_under_a_filter" if ground.arguments else shape
    seeded = [
        Seeded(kind="omission", shape=full, entity=name, pointer=pointer(rows.path), expected=name)
        for name in names
    ]
    return Said(said, tuple(seeded))
