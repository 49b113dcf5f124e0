"""What a fault does to an observation. Each function returns a new value, or None where it can change nothing.

The value handed in is never changed, and the one returned shares nothing with it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from replaylab.canonical import canonical, digest
from replaylab.schema.base import Json, JsonObject, copied
from replaylab.schema.fault import FaultKind, Implicit

# An environment reports its own errors as text under `error`; a broken connection is an object, which no
# environment writes, so that a reader can tell the two apart.
_BROKEN: dict[FaultKind, tuple[int | None, str]] = {
    "http_500": (500, "HTTP 500: the server failed while it was handling this call."),
    "timeout": (None, "Timeout: no answer came within 30 seconds."),
    "refused": (None, "Connection refused: nothing accepted the connection."),
    "unavailable": (503, "HTTP 503: the service is unavailable at the moment."),
}
# What says whether a call worked is left alone where anything else can be disturbed.
_OUTCOME_KEYS = frozenset({"error", "success", "ok"})


def broken(kind: FaultKind) -> JsonObject:
    """The observation of an explicit fault: {"error": {"transport": kind, "status": int | null, "message": text}}."""
    status, message = _BROKEN[kind]
    return {"error": {"transport": kind, "status": status, "message": message}}


def disturb(kind: Implicit, clean: Json, earlier: Sequence[Json], draw: int) -> Json:
    """`clean` as a fault of that kind shows it, or None where that kind can't change it.

    `earlier` are the clean observations of the same tool and arguments so far, oldest first; `draw` settles the
    details. What is returned is JSON and its canonical form differs from that of `clean`.
    """
    if kind == "stale":
        return _stale(clean, earlier)
    changed = copied(clean)
    return changed if _IN_PLACE[kind](changed, draw) else None


def _stale(clean: Json, earlier: Sequence[Json]) -> Json:
    now = canonical(clean)
    return next((copied(value) for value in reversed(earlier) if canonical(value) != now), None)


def _truncate(value: Json, draw: int) -> bool:
    """Keep the first one or two items of the longest list."""
    lists = [node for node in _nodes(value) if isinstance(node, list) and len(node) > 1]
    if not lists:
        return False
    longest = max(lists, key=len)
    del longest[1 if len(longest) == 2 else 1 + draw % 2 :]
    return True


def _drop_fields(value: Json, draw: int) -> bool:
    """Remove about a third of the fields of the largest object, and of the rows beside it."""
    rows = _rows(value)
    names = _chosen([name for row in rows[:1] for name in row], draw)
    for row in rows:
        for name in names:
            row.pop(name, None)
    return bool(names)


def _empty_fields(value: Json, draw: int) -> bool:
    """Set about a third of the fields of the largest object, and of the rows beside it, to null or to empty."""
    rows = _rows(value)
    filled = [name for row in rows[:1] for name, part in row.items() if part not in (None, "", [], {})]
    names = _chosen(filled, draw)
    for row in rows:
        for name in set(names) & set(row):
            row[name] = None if draw % 2 else _empty(row[name])
    return bool(names)


_IN_PLACE: dict[Implicit, Callable[[Json, int], bool]] = {
    "truncated": _truncate,
    "missing_fields": _drop_fields,
    "empty_fields": _empty_fields,
}


def _nodes(value: Json) -> list[Json]:
    """The value and every object and list inside it, outside first, in document order."""
    left: list[Json] = [value]
    found = []
    while left:
        node = left.pop()
        found.append(node)
        parts = list(node.values()) if isinstance(node, dict) else node
        if isinstance(parts, list):
            left.extend(part for part in reversed(parts) if type(part) is dict or type(part) is list)
    return found


def _rows(value: Json) -> list[JsonObject]:
    """The object with the most fields, then the other objects of the list that it stands in."""
    objects = [node for node in _nodes(value) if isinstance(node, dict) and node]
    if not objects:
        return []
    largest = max(objects, key=len)
    for node in _nodes(value):
        if isinstance(node, list) and any(item is largest for item in node):
            return [largest, *(row for row in node if isinstance(row, dict) and row is not largest)]
    return [largest]


def _chosen(names: list[str], draw: int) -> list[str]:
    free = [name for name in names if name.casefold() not in _OUTCOME_KEYS] or names
    drawn = sorted(free, key=lambda name: digest({"draw": f"{draw:x}", "name": name}))
    return drawn[: max(1, len(free) // 3)] if drawn else []


def _empty(value: Json) -> Json:
    """The empty value of the same type; numbers and booleans have none, so they become null."""
    return type(value)() if isinstance(value, (str, list, dict)) else None
