"""How a thing stands: what a hidden condition of a list can go by, such as "free", "overdue" or "low". Things that stand alike are
in a list together or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from itertools import combinations

from replaylab.checks.numbers import exact
from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection
from replaylab.diff.contract.tools import moves_time
from replaylab.diff.things.readings import OWN, Path, collection_at, reached, references
from replaylab.diff.things.thing import Thing, things_of
from replaylab.diff.words.bounds import is_beyond
from replaylab.diff.words.clock import is_clock
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import STATUS_FIELDS
from replaylab.schema.base import Json

_MOMENT = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?Z?)?|\d\d:\d\d(?::\d\d)?")
_FEW = 4  # words, by which things are sorted
_DAY = 10  # letters of a date

SORT = "="  # before the name of a field that only sorts things

Profile = frozenset[tuple[str, Hashable]]


def profile(look: Look, collection: Collection, thing: Thing, *, whole: bool) -> Profile | None:
    """How a thing stands by its own fields; with `whole`, also which of its numbers is the greater one and how stands what it
    names and what names it. None where something of it is not known.
    """
    told: dict[str, Hashable] = {}
    for field in sorted(collection.fields - {collection.key_field}):
        if _tells(look, collection, field, whole=whole):
            value = thing.values.get(field)
            chosen = whole and not stems(field) & STATUS_FIELDS and _is_a_choice(look, collection, field)
            sorts = chosen or bool(stems(field) & STATUS_FIELDS)
            standing = None if field in thing.unsure else _standing(look, value, sorts=sorts)
            if standing is None:
                return None
            told[f"{SORT}{field}" if chosen else field] = standing
    if whole:
        told |= _compared(thing, told)
        told["@"] = _mentions(look, thing.key)
        told["done"] = frozenset(one.tool.name for one in look.world.writes if thing.key in one.keys)
        for field, near in references(look.contract, collection.pointer):
            named = _standing_of(look, thing, collection, field, collection_at(look.contract, near))
            if named is None:
                return None
            told[f"{field}>"] = named
    return frozenset(told.items())


def _standing(look: Look, value: Json, *, sorts: bool) -> str | None:
    """How a thing stands by one value; None where nobody knows on which side of now a moment is. A text counts as it is where
    it `sorts` things.
    """
    if _is_empty(value):
        return "empty"
    if isinstance(value, bool) or (isinstance(value, str) and sorts):
        return key_of(value) or str(value)
    return side_of_now(look, value) if is_moment(value) else "filled"


def _compared(thing: Thing, told: Mapping[str, Hashable]) -> dict[str, Hashable]:
    """Which is greater of each two numbers; a list counts as how many it has."""
    numbers: dict[str, Json] = {}
    for field in told:
        value = thing.values.get(field)
        number = len(value) if isinstance(value, list) else value
        if exact(number) is not None:
            numbers[field] = number
    return {
        f"{one}?{other}": _sign(numbers[one], numbers[other])
        for one, other in combinations(sorted(numbers), 2)
    }


def _tells(look: Look, collection: Collection, field: str, *, whole: bool) -> bool:
    """Whether a field can tell how a thing stands: a yes or no, a status, a day, or what is empty in some; with `whole` any
    number.
    """
    asked = "tells", field, whole
    if asked not in collection.kept:
        collection.kept[asked] = _can_tell(look, collection, field, whole=whole)
    return bool(collection.kept[asked])


def _can_tell(look: Look, collection: Collection, field: str, *, whole: bool) -> bool:
    values = [one.attributes.get(field) for one in collection.entities]
    if stems(field) & STATUS_FIELDS or any(isinstance(one, bool) or _is_empty(one) for one in values):
        return True
    if any(is_moment(one) for one in values):
        return True
    return whole and (
        _is_a_choice(look, collection, field)
        or any(exact(one) is not None or isinstance(one, list) for one in values)
    )


def _is_a_choice(look: Look, collection: Collection, field: str) -> bool:
    """Whether a field has one of a few words in each thing, and names no other thing: "ok" or "missing"."""
    said = [one.attributes.get(field) for one in collection.entities]
    plain = [one for one in said if isinstance(one, str) and not is_moment(one)]
    named = {name for name, _ in references(look.contract, collection.pointer)}
    few = len(set(plain)) <= min(_FEW, len(plain) // 2)
    return bool(plain) and len(plain) == len(said) and few and field not in named


def _mentions(look: Look, key: str) -> frozenset[str]:
    """Where else the state names a thing: in a queue, in a log."""
    places = look.contract.universe.places(key)
    return frozenset(re.sub(r"/\d+(?=/|$)", "/*", one.pointer) for one in places if one.provenance == "state")


def _is_empty(value: Json) -> bool:
    return value in (None, "", [], {}) or (value == 0 and not isinstance(value, bool))


def _sign(one: Json, other: Json) -> int:
    left, right = exact(one), exact(other)
    return 0 if left is None or right is None else (left > right) - (left < right)


def _standing_of(
    look: Look, thing: Thing, collection: Collection, field: str, near: Collection
) -> frozenset[Hashable] | None:
    """How those stand that a thing names by a field, or that name it."""
    names = reached(look, thing, Path((field, OWN), (collection.pointer, near.pointer)))
    if names is None:
        return None
    keys = set(map(key_of, names))
    found = [profile(look, near, one, whole=False) for one in things_of(look, near) if one.key in keys]
    return None if None in found else frozenset(found)


def is_moment(value: Json) -> bool:
    """Whether a text is a date, a time of day, or both."""
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None


def side_of_now(look: Look, value: Json) -> str | None:
    """Whether a moment lies before or after the clock of the state; "" where there is none that it can be compared with, None
    where nobody knows what it shows by now.
    """
    moved = max((step.call for step in look.world.writes if moves_time(step.tool)), default=-1)
    for field, first in sorted(look.contract.environment.initial_state.items()):
        if not is_moment(first) or not is_clock(field):
            continue
        told = look.world.told.get(("", field))
        if moved >= 0 and (told is None or told.call < moved):
            return None
        now = first if told is None else told.value
        if isinstance(now, str) and isinstance(value, str) and len(now) > len(value) >= _DAY:
            now = now[:_DAY]
        past, ahead = is_beyond(value, now, at_least=False), is_beyond(value, now, at_least=True)
        if past is not None or ahead is not None:
            return "ahead" if ahead else "past"
        if key_of(value) == key_of(now):
            return "now"
    return ""
