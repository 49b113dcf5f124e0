"""Readings: the ways in which an argument may pick among the things of a collection, by a field of theirs or of what they refer to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.contract import Contract
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.bounds import is_beyond, is_ordered
from replaylab.diff.words.identity import key_of, says, stem, stems, words
from replaylab.diff.words.lexicon import FREE_TEXT, LOWER_BOUND, NAME_WORDS, UPPER_BOUND
from replaylab.diff.words.stated import is_day_of
from replaylab.schema.base import Json

How = Literal["is", "says", "at least", "at most"]
OWN = "@"  # the name of the thing at the end of a path
_STEPS = 3
_NAMED = stems(" ".join(NAME_WORDS))
_PART = frozenset(
    map(stem, ("part", "contain", "contains", "has", "like", "match", "matches", "prefix", "substring"))
)


@dataclass(frozen=True)
class Path:
    """A way from a thing to a value: fields that each name a thing of the next collection, and a last field. A step that
    begins with < goes back, to the things that name this one there.
    """

    fields: tuple[str, ...]
    through: tuple[str, ...]  # the pointers of the collections on the way

    @property
    def last(self) -> str:
        return self.fields[-1]


@dataclass(frozen=True)
class Reading:
    """One way to take an argument."""

    path: Path
    how: How
    value: Json

    def says(self, look: Look, thing: Thing) -> bool | None:
        """Whether the argument lets a thing through; None where that is not known."""
        found = reached(look, thing, self.path)
        if found is None:
            return None
        said = [self._takes(one) for one in found]
        return True if True in said else None if None in said else False

    def _takes(self, value: Json) -> bool | None:
        if self.how == "is":
            wanted = self.value if isinstance(self.value, list) else [self.value]
            return any(_is_same(one, value) for one in wanted)
        if value is None:
            return False
        if self.how == "says":
            return _says(self.value, value)
        return is_beyond(value, self.value, at_least=self.how == "at least")


def _is_same(wanted: Json, value: Json) -> bool:
    if isinstance(wanted, bool) or isinstance(value, bool):
        return wanted is value
    key = key_of(wanted)
    return (bool(key) and key == key_of(value)) or wanted == value or is_day_of(wanted, value)


def readings(look: Look, collection: Collection, name: str, value: Json) -> list[Reading]:
    """Every way in which an argument may pick, those by a field that is called like it alone where there are such. None where
    nothing in the state says.
    """
    found = list(_readings(look, collection, name, value))
    parts = stems(name)
    bare = parts - LOWER_BOUND - UPPER_BOUND - _PART - FREE_TEXT
    named = [one for one in found if _is_called(look, one.path, bare)]
    return named or found


def _is_called(look: Look, path: Path, said: frozenset[str]) -> bool:
    """Whether the end of a path is called like an argument: by its last field, or, where it ends at a thing, by its sort."""
    own = stems(path.last) if path.last != OWN else frozenset[str]()
    if path.last == OWN:
        end = collection_at(look.contract, path.through[-1])
        own = (
            end.heads
            | end.stems
            | (stems(path.fields[-2].removeprefix("<")) if len(path.fields) > 1 else frozenset())
        )
    return bool(own & said)


def _readings(look: Look, collection: Collection, name: str, value: Json) -> Iterator[Reading]:
    parts = frozenset(stem(word) for word in words(name))
    lower, upper = bool(parts & LOWER_BOUND), bool(parts & UPPER_BOUND)
    things = things_of(look, collection)
    searches = bool(parts & (FREE_TEXT | _PART)) and isinstance(value, str)
    for path in paths(look.contract, collection.pointer):
        ends = [reached(look, thing, path) for thing in things]
        held = [one for each in ends for one in each or ()]
        if lower != upper and is_ordered(value):
            if any(is_beyond(one, value, at_least=True) is not None for one in held):
                yield Reading(path, "at least" if lower else "at most", value)
            continue
        if any(
            _is_same(one, each) for one in (value if isinstance(value, list) else [value]) for each in held
        ):
            yield Reading(path, "is", value)
        elif None in ends and _can_end_at(look, path, value):
            yield Reading(path, "is", value)  # what nobody knows by now may let through
        elif (searches or stems(path.last) & _NAMED) and any(_says(value, one) for one in held):
            yield Reading(path, "says", value)


def _can_end_at(look: Look, path: Path, value: Json) -> bool:
    """Whether a value is the name of one of the things at which a path ends."""
    return path.last == OWN and key_of(value) in collection_at(look.contract, path.through[-1]).id_keys


def _says(value: Json, held: Json) -> bool:
    return isinstance(value, str) and isinstance(held, str) and says(held, value)


@lru_cache(maxsize=1024)
def paths(contract: Contract, pointer: str) -> tuple[Path, ...]:
    """Every path from the things of the collection at a pointer, the shortest first."""
    collection = collection_at(contract, pointer)
    found = _paths(contract, collection, _STEPS, frozenset({pointer}))
    return tuple(sorted(found, key=lambda path: (len(path.fields), path.fields, path.through)))


def collection_at(contract: Contract, pointer: str) -> Collection:
    """The collection at a pointer."""
    return next(one for one in contract.collections if one.pointer == pointer)


def _paths(contract: Contract, collection: Collection, steps: int, met: frozenset[str]) -> Iterator[Path]:
    own = collection.fields - {collection.key_field} if len(met) > 1 else collection.fields
    yield from (Path((field,), (collection.pointer,)) for field in sorted(own))
    if len(met) > 1 or collection.key_field not in own:
        yield Path((OWN,), (collection.pointer,))
    for field, other in references(contract, collection.pointer) if steps > 1 else ():
        if other not in met:
            for path in _paths(contract, collection_at(contract, other), steps - 1, met | {other}):
                yield Path((field, *path.fields), (collection.pointer, *path.through))


@lru_cache(maxsize=1024)
def references(contract: Contract, pointer: str) -> tuple[tuple[str, str], ...]:
    """The fields by which things name others, and <fields of others that name these, each with the pointer of the others."""
    own = collection_at(contract, pointer)
    others = [one for one in contract.whole_things if one.pointer != pointer]
    return (
        *((field, one.pointer) for one in others for field in _naming(own, one)),
        *((f"<{field}", one.pointer) for one in others for field in _naming(one, own)),
    )


def _naming(one: Collection, other: Collection) -> Iterator[str]:
    """The fields of one collection in which nothing but things of the other stand."""
    for field in sorted(one.fields):
        keys = [
            key
            for entity in one.entities
            for value in _each(entity.attributes.get(field))
            if (key := key_of(value))
        ]
        if keys and field != one.key_field and other.id_keys.issuperset(keys):
            yield field


def _each(value: Json) -> Sequence[Json]:
    return value if isinstance(value, list) else (value,)


def reached(look: Look, thing: Thing, path: Path) -> list[Json] | None:
    """What stands at the end of a path; None where that is not known."""
    if len(path.fields) == 1:
        if path.last == OWN:
            return [thing.id]
        if path.last in thing.unsure:
            return None
        return list(thing.get(path.last))
    field, rest = path.fields[0], Path(path.fields[1:], path.through[1:])
    others = collection_at(look.contract, path.through[1])
    if field.startswith("<"):
        field = field[1:]
        all_of = things_of(look, others)
        if any(not one.knows(field) for one in all_of):
            return None
        near = [one for one in all_of if thing.key in map(key_of, one.get(field))]
    else:
        if field in thing.unsure:
            return None
        keys = set(map(key_of, thing.get(field)))
        near = [one for one in things_of(look, others) if one.key in keys]
    found: list[Json] = []
    for one in near:
        further = reached(look, one, rest)
        if further is None:
            return None
        found += further
    return found
