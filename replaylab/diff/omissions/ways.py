"""Ways to come by a list: from which table of the state, by which conditions, under which column; learned from a tool's example
and from what it answered before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from replaylab.checks.matcher import same
from replaylab.diff.contract.likeness import Likeness
from replaylab.diff.contract.tables import AROUND, OWN, Record, Table, column_stems
from replaylab.diff.omissions.conditions import (
    Condition,
    asks_nothing,
    conditions,
    is_called_like,
    passes,
    value_key,
)
from replaylab.diff.words.identity import key_of, name_key
from replaylab.diff.words.lexicon import STATUS_FIELDS
from replaylab.diff.words.observed import Group, Item
from replaylab.schema.base import Json, JsonObject

_MOST = 64  # ways that are tried for one table


class Shown(NamedTuple):
    """A list that was shown: with the arguments as far as they are known, or `asked` with these and no others."""

    arguments: JsonObject
    group: Group
    asked: bool = False


class Way(NamedTuple):
    """One way: `by` is the column whose values a list of plain names shows, and that names its rows; "" where rows are told
    by their values.
    """

    table: Table
    taken: tuple[Condition, ...]
    by: str

    @property
    def likeness(self) -> int:
        """How many of its conditions are on a column that is called like the argument."""
        return sum(is_called_like(one) for one in self.taken)

    def knows(self, arguments: JsonObject) -> bool:
        """Whether the value of an argument that picks is among these."""
        return any(one.column and one.argument in arguments for one in self.taken)

    def select(self, arguments: JsonObject) -> tuple[list[Record], list[Record]]:
        """The records that it must show, and those that it may."""
        asked = (
            self.taken,
            tuple(value_key(arguments.get(one.argument)) for one in self.taken if one.column),
        )
        if asked not in self.table.kept:
            must: list[Record] = []
            may: list[Record] = []
            for one in self.table.records:
                passing = passes(one, self.taken, arguments)
                (must if passing else may if passing is None else []).append(one)
            self.table.kept[asked] = must, may
        found: tuple[list[Record], list[Record]] = self.table.kept[asked]
        return found

    def told(self, record: Record) -> str:
        """What tells a record in the list: its name; the value of another column, which stands once however many have it;
        where it has no name, its place.
        """
        by = self.by or OWN
        return key_of(record.columns.get(by)) or record.pointer


def ways(table: Table, arguments: JsonObject, group: Group) -> Iterator[Way]:
    """Every way from a table to a list with these arguments; none where an argument asks for what no column tells."""
    each = [conditions(table, name, value) for name, value in arguments.items()]
    for taken in list(product(*each))[:_MOST]:
        for by in _told_by(table, group):
            yield Way(table, taken, by)


def _told_by(table: Table, group: Group) -> Iterator[str]:
    if group.shape == "rows":
        yield from ([OWN] if OWN in table.columns else [])
        yield ""
        around = {key_of(one.columns.get(AROUND)) for one in table.records} - {""}
        if all(around & {key_of(value) for value in item.row.values()} for item in group.items):
            yield AROUND
    else:
        yield from sorted(table.columns)


class Match(NamedTuple):
    """A list held against the records of a way: what it shows of them, what it does not, and items that are none of them."""

    shown: list[Record]
    missing: list[Record]
    strange: list[Item]


def match(way: Way, records: Sequence[Record], group: Group) -> Match:
    """Each item with one record; of records with one name, one item shows all."""
    left, shown, strange = dict(enumerate(records)), [], []
    by_name: dict[str, list[int]] = {}
    for place, record in left.items():
        by_name.setdefault(way.told(record), []).append(place)
    likeness = None if way.by else Likeness([one.columns for one in records], [one.values for one in records])
    for item in group.items:
        if item.label:
            near = by_name.get(name_key(item.label), [])
        elif likeness is None:
            keys = {key_of(value) for value in item.row.values()}
            near = sorted(place for key in keys for place in by_name.get(key, ()))
        else:
            near = likeness.whole(item.row)
        found = [place for place in near if place in left and is_shown_as(way, left[place], item)]
        if not found:
            strange.append(item)
        shown += [left.pop(place) for place in (found if way.by else found[:1])]
    return Match(shown, list(left.values()), strange)


def is_shown_as(way: Way, record: Record, item: Item) -> bool:
    """Whether an item can be that record: by its name, or by all values of the fields that both have."""
    if item.label:
        return way.told(record) == name_key(item.label)
    plain = {name: value for name, value in item.row.items() if not isinstance(value, (dict, list))}
    if way.by == OWN and not record.name:
        return False
    if way.by:
        return way.told(record) in {key_of(value) for value in plain.values()} and not _differs(record, plain)
    shared = [name for name in plain if name in record.columns]
    if shared and len(shared) * 2 >= len(plain):
        return all(same(record.columns[name], plain[name]) for name in shared)
    texts = [key for value in plain.values() if (key := key_of(value))]
    return bool(texts) and len(texts) * 2 > len(plain) and all(key in record.values for key in texts)


def _differs(record: Record, plain: JsonObject) -> bool:
    """Whether a name stands in a row that says otherwise what the record has: most of what both have differs."""
    shared = [name for name in plain if name in record.columns]
    equal = sum(same(record.columns[name], plain[name]) for name in shared)
    return bool(shared) and equal * 2 < len(shared)


def explains(way: Way, one: Shown, optional: Sequence[str]) -> bool:
    """Whether a way gives exactly the list that was shown. An argument that is not known may have had any value that its
    column has; one that is `optional` may not have been given, and another given instead: of a whole table by how things stand
    only where that column is called like it, since those that wait are shown so by the tool itself.
    """
    if one.asked:
        given = tuple(each for each in way.taken if each.argument in one.arguments)
        return _gives(way._replace(taken=given), one.arguments, one.group)
    if any(_gives(way, arguments, one.group) for arguments in _completed(way, one.arguments)):
        return True
    left = tuple(
        each for each in way.taken if each.argument in one.arguments or each.argument not in optional
    )
    others = [
        name
        for name in optional
        if name not in one.arguments and name not in {each.argument for each in left}
    ]
    if len(left) == len(way.taken) and not others:
        return False
    tried = [way._replace(taken=left)]
    tried += [
        way._replace(taken=(*left, Condition(name, "is", column)))
        for name in others[:1]
        for column in sorted(way.table.columns)
        if way.taken
        or is_called_like(Condition(name, "is", column))
        or not column_stems(column) & STATUS_FIELDS
    ]
    return any(
        _gives(each, arguments, one.group) for each in tried for arguments in _completed(each, one.arguments)
    )


def allows(way: Way, one: Shown) -> bool:
    """Whether a way could give all that was shown, and perhaps more."""
    return any(
        not match(way, [record for part in way.select(arguments) for record in part], one.group).strange
        for arguments in _completed(way, one.arguments)
    )


def _gives(way: Way, arguments: JsonObject, group: Group) -> bool:
    must, may = way.select(arguments)
    found = match(way, [*must, *may], group)
    return not found.strange and not any(each in must for each in found.missing)


def _completed(way: Way, known: JsonObject) -> Iterator[JsonObject]:
    free = [one for one in way.taken if one.argument not in known and one.column]
    values = [_values(way.table, one.column) for one in free]
    for chosen in list(product(*values))[:_MOST]:
        yield {**known, **{one.argument: value for one, value in zip(free, chosen, strict=True)}}


def _values(table: Table, column: str) -> list[Json]:
    found: dict[str, Json] = {}
    for one in table.records:
        held = one.columns.get(column)
        for value in held if isinstance(held, list) else [held]:
            if not asks_nothing("", value):
                found.setdefault(str(value), value)
    return list(found.values())
