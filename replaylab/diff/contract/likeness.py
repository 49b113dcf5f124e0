"""Members of a collection by their values, so that a row is held against those alone that it can be like."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from typing import NamedTuple

from replaylab.checks.matcher import equality
from replaylab.checks.numbers import exact
from replaylab.diff.words.identity import key_of
from replaylab.diff.words.keyfield import MAX_NAME
from replaylab.schema.base import Json, JsonObject

_KEY = "key"
LEAST = 2  # so many fields that are the same make a likeness


def is_plain(value: Json) -> bool:
    """Whether a value can tell which member a row is: a number or a text that is no essay."""
    return not isinstance(value, (dict, list, bool)) and value is not None and len(str(value)) <= 4 * MAX_NAME


class _Sort(NamedTuple):
    """Members with the same fields: their places, and those of each value of each field."""

    fields: frozenset[str]
    members: list[int]
    places: dict[str, dict[Hashable, list[int]]]


class Likeness:
    """The values of members, by field. Those of a large collection are never gone through one by one."""

    def __init__(self, members: Sequence[JsonObject], texts: Sequence[frozenset[str]]) -> None:
        sorts: dict[frozenset[str], _Sort] = {}
        for place, member in enumerate(members):
            fields = frozenset(member)
            sort = sorts.setdefault(fields, _Sort(fields, [], {field: {} for field in fields}))
            sort.members.append(place)
            for field, value in member.items():
                for mark in _marks(value):
                    sort.places[field].setdefault(mark, []).append(place)
        self._sorts = tuple(sorts.values())
        self._texts: dict[str, list[int]] = defaultdict(list)
        for place, keys in enumerate(texts):
            for key in keys:
                self._texts[key].append(place)

    def like(self, row: JsonObject, telling: Sequence[str]) -> list[int]:
        """The places of all members that share more than half of the fields they have in common with a row, two at least,
        or one of the telling texts; and of some others.

        Who shares `need` of n fields shares one of any n - need + 1 of them: those with the rarest values are looked at.
        """
        found: set[int] = set()
        for sort in self._sorts:
            shared = [_at(sort.places[field], row[field]) for field in row if field in sort.fields]
            need = max(LEAST, len(shared) // 2 + 1)
            found.update(*sorted(shared, key=len)[: max(0, len(shared) - need + 1)])
        found.update(*(self._texts.get(key, []) for key in telling))
        return sorted(found)

    def whole(self, row: JsonObject) -> list[int]:
        """The places of all members that have a row's values in every field that both have, one at least, or every text of
        the row in some field; and of some others.
        """
        found: set[int] = set()
        for sort in self._sorts:
            shared = [field for field in row if field in sort.fields]
            told = [_at(sort.places[field], row[field]) for field in shared if is_plain(row[field])]
            found.update(_shortest(told) if told else sort.members if shared else ())
        found.update(
            _shortest([self._texts.get(key, []) for value in row.values() if (key := key_of(value))])
        )
        return sorted(found)


def _marks(value: Json) -> set[Hashable]:
    """What a value has in common with any that is the same (`same`), or has the same key. Nothing where it is not plain."""
    if not is_plain(value):
        return set()
    number = exact(value)  # of a code too: to a number it is the same
    keys = {(_KEY, key)} if (key := key_of(value)) else set()
    return {equality(value), *keys, *([] if number is None else [number])}


def _at(places: Mapping[Hashable, Sequence[int]], value: Json) -> list[int]:
    return list({place for mark in _marks(value) for place in places.get(mark, ())})


def _shortest(lists: Sequence[list[int]]) -> list[int]:
    return min(lists, key=len) if lists else []
