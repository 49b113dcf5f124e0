"""Benign shapes: what a simulator may say otherwise than the twin without breaking its contract."""

from __future__ import annotations

from replaylab.builtin.seeded.draw import Draw
from replaylab.builtin.seeded.ground import Ground, Said, changed
from replaylab.builtin.seeded.omit import DENIALS

_OPEN = (
    ("display_note", "Front view"),
    ("last_updated_by", "system"),
    ("record_uuid", "035b7399"),
    ("ui_colour", "teal"),
)


def reordered(ground: Ground, draw: Draw) -> Said | None:
    """The same rows in another order."""
    lists = [rows for rows in ground.rows if rows.field and len(rows.items) > 1]
    if not lists or ground.refused:
        return None
    rows = draw.one(lists)
    return Said(changed(ground.truth, rows.path, draw.shuffled(rows.items)))


def open_fields(ground: Ground, draw: Draw) -> Said | None:
    """Fields that the contract does not speak of."""
    if ground.refused or not isinstance(ground.truth, dict):
        return None
    name, value = draw.one(_OPEN)
    lists = [rows for rows in ground.rows if rows.field]
    if lists and draw.once_in(2):
        rows = draw.one(lists)
        return Said(changed(ground.truth, rows.path, [{**row, name: value} for row in rows.items]))
    return None if name in ground.truth else Said({**ground.truth, name: value})


def wrapped(ground: Ground, draw: Draw) -> Said | None:
    """The same under an envelope."""
    if ground.refused or not isinstance(ground.truth, dict) or "status" in ground.truth:
        return None
    number = f"req-{draw.below(16**6):06x}"
    return Said({"status": "success", "request_id": number, "data": ground.truth})


def counted(ground: Ground, draw: Draw) -> Said | None:
    """A counter that agrees with its list."""
    lists = [rows for rows in ground.rows if rows.field and len(rows.path) == 1]
    if len(lists) != 1 or ground.refused or "count" in ground.truth or "total" in ground.truth:
        return None
    return Said({**ground.truth, "count": len(lists[0].items)})


def reworded(ground: Ground, draw: Draw) -> Said | None:
    """A refusal because of an unknown id, in other words."""
    if not ground.refused:
        return None
    text = str(ground.truth["error"])
    unknown = [
        (name, value)
        for name, value in sorted(ground.arguments.items())
        if isinstance(value, str) and value and value in text and value not in ground.entities
    ]
    if not text.startswith("there is no ") or not unknown:
        return None
    argument, value = unknown[0]
    return Said({"error": draw.one(DENIALS).format(noun=argument.replace("_", " "), name=value)})


def coded(ground: Ground, draw: Draw) -> Said | None:
    """A refusal that is due, with a code beside it."""
    if not ground.refused:
        return None
    return Said({**ground.truth, "code": draw.one(("REJECTED", "INVALID_REQUEST", "CONFLICT"))})


def units_named(ground: Ground, draw: Draw) -> Said | None:
    """A row that stands for several pieces names each of them after itself."""
    for rows in ground.rows:
        for at, row in enumerate(rows.items):
            pieces = row.get("quantity", row.get("copies"))
            if rows.field and "units" not in row and isinstance(pieces, int) and 1 < pieces < 7:
                units = [f"{row[rows.field]}/{number + 1}" for number in range(pieces)]
                return Said(changed(ground.truth, (*rows.path, at), {**row, "units": units}))
    return None


SHAPES = (reordered, open_fields, wrapped, counted, reworded, coded, units_named)
