"""What an argument can ask of a record: a condition on one column, told by the argument's name or by where its value stands."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Literal, NamedTuple

from replaylab.canonical import canonical
from replaylab.checks.matcher import parse_matcher
from replaylab.diff.contract.tables import Record, Table, column_stems
from replaylab.diff.words.bounds import is_beyond
from replaylab.diff.words.identity import key_of, name_key, says, stem, stems, words
from replaylab.diff.words.lexicon import DIRECTIONS, EVERYTHING, FREE_TEXT, LOWER_BOUND, PAGING, UPPER_BOUND
from replaylab.diff.words.stated import is_day_of
from replaylab.errors import UsageError
from replaylab.schema.base import Json, JsonObject

Kind = Literal["is", "has", "at least", "at most", "says"]


class Condition(NamedTuple):
    """One way to take an argument: by this column, so. `column` is "" where it asks for nothing."""

    argument: str
    kind: Kind
    column: str = ""
    other: str = ""  # another column that may have it instead

    def holds(self, record: Record, value: Json) -> bool | None:
        """Whether a record passes for a value of the argument; None where nobody can say."""
        if not self.column:
            return True
        if self.other:
            either = [
                one.holds(record, value)
                for one in (self._replace(other=""), self._replace(column=self.other, other=""))
            ]
            return True if True in either else None if None in either else False
        own = record.columns.get(self.column)
        if own is None:
            return None if self.column not in record.columns else False
        if self.kind in ("at least", "at most"):
            return is_beyond(own, value, at_least=self.kind == "at least")
        if self.kind == "says":
            return says(str(own), str(value))
        wanted = value if isinstance(value, list) else [value]
        held = own if isinstance(own, list) else [own]
        return any(key_of(one) == key_of(each) or is_day_of(one, each) for one in wanted for each in held)


def asks_nothing(name: str, value: Json) -> bool:
    """Whether an argument is as good as not given."""
    return value in (None, "", [], {}) or name_key(str(value)) in EVERYTHING


def conditions(table: Table, name: str, value: Json) -> list[Condition]:
    """Every way in which an argument may pick from a table; none where nothing in it says."""
    if asks_nothing(name, value):
        return [Condition(name, "is")]
    if name_key(name) in PAGING or isinstance(value, dict):
        return []
    asked = ("conditions", name, value_key(value))
    if asked not in table.kept:
        table.kept[asked] = list(dict.fromkeys(_conditions(table, name, value)))
    found: list[Condition] = table.kept[asked]
    return found


def value_key(value: Json) -> tuple[str, Json]:
    """A value as a key of what is kept: 1 and true are two."""
    plain = value is None or isinstance(value, (str, int, float, bool))
    return type(value).__name__, value if plain else canonical(value)


def _conditions(table: Table, name: str, value: Json) -> Iterator[Condition]:
    parts = frozenset(stem(word) for word in words(name))
    if isinstance(value, bool):
        return
    bounds = parts & (LOWER_BOUND | UPPER_BOUND)
    ordered = _ordered(table, value) if bounds else []
    if ordered and (
        bounds <= LOWER_BOUND or bounds <= UPPER_BOUND
    ):  # `starts_after` has two words of one side
        kind: Kind = "at least" if bounds <= LOWER_BOUND else "at most"
        alike = [one for one in ordered if column_stems(one) & (parts - bounds)]
        # A moment bounds whatever tells a moment; a number only what it is called after.
        fitting = alike or (ordered if isinstance(value, str) else [])
        yield from (Condition(name, kind, one) for one in fitting)
        return
    wanted = [key_of(one) for one in (value if isinstance(value, list) else [value])]
    for column in sorted(table.columns):
        held = [one.columns.get(column) for one in table.records]
        if any(_stands_in(value, one, wanted) for one in held):
            yield Condition(name, "has" if any(isinstance(one, list) for one in held) else "is", column)
    found = [
        column
        for column in sorted(table.columns)
        if any(_stands_in(value, one.columns.get(column), wanted) for one in table.records)
    ]
    yield from (Condition(name, "is", one, other) for one, other in combinations(found, 2))
    if parts & FREE_TEXT:
        for column in sorted(table.columns):
            if any(
                isinstance(one.columns.get(column), str) and says(str(one.columns[column]), str(value))
                for one in table.records
            ):
                yield Condition(name, "says", column)


def _ordered(table: Table, value: Json) -> list[str]:
    """The columns whose values can be above or below a value."""
    return [
        column
        for column in sorted(table.columns)
        if any(_can_be_compared(one.columns.get(column), value) for one in table.records)
    ]


def _can_be_compared(own: Json, value: Json) -> bool:
    try:
        return parse_matcher({"ge": value})(own) or parse_matcher({"le": value})(own)
    except UsageError:
        return False


def _stands_in(value: Json, held: Json, wanted: list[str]) -> bool:
    if held is None or isinstance(held, bool):
        return False
    each = held if isinstance(held, list) else [held]
    return any(key_of(one) in wanted and key_of(one) for one in each) or any(
        is_day_of(value, one) for one in each
    )


def passes(record: Record, taken: tuple[Condition, ...], arguments: JsonObject) -> bool | None:
    """Whether a record passes all conditions; None where one can't say and no other excludes it."""
    said = [one.holds(record, arguments.get(one.argument)) for one in taken]
    if False in said:
        return False
    return None if None in said else True


def is_called_like(one: Condition) -> bool:
    """Whether a column is called like the argument that is taken by it: also `from` for an origin."""
    return not one.other and bool(_meant(column_stems(one.column)) & _meant(stems(one.argument)))


def _meant(said: frozenset[str]) -> frozenset[str]:
    return said.union(*(one for one in DIRECTIONS if one & said))
