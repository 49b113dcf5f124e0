"""The state as tables: every list and every map in it as records, each with what stands around it in its columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from replaylab.diff.contract.contract import Contract
from replaylab.diff.words.identity import key_of, stem, words
from replaylab.diff.words.keyfield import key_field_of
from replaylab.diff.words.mapped import map_shape
from replaylab.diff.words.observed import escape
from replaylab.schema.base import Json, JsonObject

OWN, AROUND = "@", "^"  # the columns of a record's own name, and of the name of what holds it
_MANY = 2


@dataclass(frozen=True)
class Record:
    """One element of a list or a map. `columns` hold its plain fields and lists of plain values; those of an object in it
    as `zone.id`, those of what holds it after a ^, and the names as @ and ^.
    """

    pointer: str
    columns: JsonObject = field(hash=False)

    @property
    def name(self) -> str:
        """What it is called; "" where nothing names it."""
        return str(self.columns.get(OWN, ""))

    @property
    def key(self) -> str:
        return key_of(self.columns.get(OWN))

    @cached_property
    def values(self) -> frozenset[str]:
        """The keys of its plain values."""
        return frozenset(key for value in self.columns.values() if (key := key_of(value)))


@dataclass(frozen=True)
class Table:
    """All records that stand alike: `pointer` has a * for each parent, `name` is the field that they stand under."""

    name: str
    pointer: str
    records: tuple[Record, ...]
    kept: dict[Any, Any] = field(
        default_factory=dict, compare=False, repr=False
    )  # what was asked of it before

    @cached_property
    def columns(self) -> frozenset[str]:
        return frozenset(name for one in self.records for name in one.columns)

    @cached_property
    def is_named(self) -> bool:
        """Whether every record has a name that no other has under the same parent."""
        names = [(one.key, key_of(one.columns.get(AROUND))) for one in self.records]
        return all(key for key, _ in names) and len(set(names)) == len(names)


@lru_cache(maxsize=32)
def tables_of(contract: Contract) -> tuple[Table, ...]:
    """Every table of a contract's initial state, in document order."""
    found: dict[str, tuple[str, list[Record]]] = {}
    for name, pointer, record in _walk(contract.environment.initial_state, ("", "", ""), {}):
        found.setdefault(pointer, (name, []))[1].append(record)
    return tuple(Table(name, pointer, tuple(records)) for pointer, (name, records) in found.items())


def _walk(node: Json, at: tuple[str, str, str], around: JsonObject) -> Iterator[tuple[str, str, Record]]:
    """Records below a node: the name of their table, its pointer, and they. `at` is the nearest name, the table's pointer and
    the pointer of the node.
    """
    name, pattern, pointer = at
    if isinstance(node, list):
        rows = [one for one in node if isinstance(one, dict)]
        key_field = key_field_of(rows, name) if rows and len(rows) == len(node) else ""
        for number, part in enumerate(node):
            own = part.get(key_field) if key_field and isinstance(part, dict) else None
            yield from _entry(part, own, (name, f"{pattern}/*", f"{pointer}/{number}"), around)
    elif isinstance(node, dict):
        is_map = bool(pointer) and _is_map(node)
        for key, part in node.items():
            here = f"{pointer}/{escape(key)}"
            if is_map:
                yield from _entry(part, key, (name, f"{pattern}/*", here), around)
            if not is_map or not isinstance(part, dict):
                yield from _walk(part, (key, f"{pattern}/{escape(key)}", here), around)
            if not is_map and isinstance(part, dict) and _is_perhaps_map(part):
                for inner, value in part.items():
                    yield from _entry(
                        value, inner, (key, f"{pattern}/{escape(key)}/*", f"{here}/{escape(inner)}"), around
                    )


def _entry(
    part: Json, own: Json, at: tuple[str, str, str], around: JsonObject
) -> Iterator[tuple[str, str, Record]]:
    name, pattern, pointer = at
    named = {} if own in (None, "") else {OWN: own}
    if isinstance(part, dict):
        columns = {**around, **dict(_columns(part)), **named}
    elif isinstance(part, list):
        columns = {**around, **named}
        inner = {AROUND: own} if named else around
        yield from _walk(part, (name, pattern, pointer), inner)
        return
    else:
        columns = {**around, **(named and {"value": part}), **(named or {OWN: part})}
    yield name, pattern, Record(pointer, columns)
    if isinstance(part, dict):
        inner = {f"{AROUND}{key}": value for key, value in _columns(part) if not isinstance(value, list)}
        yield from _walk(part, (name, pattern, pointer), {**inner, **({AROUND: own} if named else {})})


def _columns(row: JsonObject, before: str = "") -> Iterator[tuple[str, Json]]:
    for name, value in row.items():
        if isinstance(value, dict):
            if not before and map_shape(value) is None:
                yield from _columns(value, f"{name}.")
        elif not isinstance(value, list) or all(not isinstance(one, (dict, list)) for one in value):
            yield f"{before}{name}", value


def _is_map(node: JsonObject) -> bool:
    """Whether the keys of an object are names of things: by its shape, or since it holds several lists of one sort."""
    if map_shape(node) is not None:
        return True
    lists = [part for part in node.values() if isinstance(part, list) and part]
    sorts = {_sort(part) for part in lists}
    objects = [part for part in node.values() if isinstance(part, dict)]
    return (len(sorts) == 1 and len(lists) == len(node) >= _MANY) or (
        len(objects) == len(node) >= _MANY and len({frozenset(part) for part in objects}) == 1
    )


def _is_perhaps_map(node: JsonObject) -> bool:
    """Whether an object of plain values may be a map of amounts as well as a record: all are numbers."""
    numbers = [
        value for value in node.values() if isinstance(value, (int, float)) and not isinstance(value, bool)
    ]
    return len(numbers) == len(node) >= _MANY and map_shape(node) is None


def _sort(part: list[Json]) -> frozenset[str]:
    """What the elements of a list are: the fields of objects, or the type of plain ones."""
    first = part[0]
    return frozenset(first) if isinstance(first, dict) else frozenset({type(first).__name__})


def column_stems(column: str) -> frozenset[str]:
    """The stems of what a column is called."""
    return frozenset(stem(word) for word in words(column) if not word.isdigit())
