"""Arguments that pick without a value of their own: `open_only`, `include_closed`, `with_charger`, `not_breed`, `within_days`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Literal

from replaylab.checks.numbers import exact
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.lexicon import NO_NAMES, VACANT
from replaylab.schema.base import Json, JsonObject

Sort = Literal["only", "but", "not"]
Says = Literal["yes", "no", "perhaps"]

_ONLY = frozenset(("only", "just"))
_WITH = frozenset(("with", "has", "have", "having"))
_INCLUDING = frozenset(map(stem, ("include", "including", "show", "also")))
_WITHOUT = frozenset(map(stem, ("exclude", "excluding", "without", "hide", "skip", "omit", "ignore")))
_NOT = frozenset(("not", "except", "excluding", "exclude", "excluded", "without", "but"))
_DAYS = frozenset(("day", "days"))


def flag_of(name: str, value: Json) -> tuple[Sort, frozenset[str]] | None:
    """What a yes or no asks for: only those of a word, or all but those. None where the name does not say which; an empty
    word where nothing is asked.
    """
    if not isinstance(value, bool):
        return None
    parts = words(name)
    own = frozenset(stem(word) for word in parts)
    rest = own - _ONLY - _WITH - _INCLUDING - _WITHOUT
    if not rest:
        return None
    if own & _ONLY:
        return "only", rest if value else frozenset()
    if own & _INCLUDING:
        return "but", frozenset() if value else rest
    if own & _WITHOUT:
        return "but", rest if value else frozenset()
    if own & _WITH and value:
        return "only", rest
    return None


def included(name: str) -> frozenset[str]:
    """What an argument that adds things adds: the retired ones by `include_retired`; nothing where it says no such word."""
    own = stems(name)
    return own - _INCLUDING - _ONLY - _WITH if own & _INCLUDING else frozenset()


def denied_name(name: str, value: Json) -> str:
    """What an argument is called without the word that turns it round: `not_breed` is of a breed; "" where it has none."""
    parts = words(name)
    rest = [part for part in parts if part not in _NOT]
    return "_".join(rest) if 0 < len(rest) < len(parts) and not isinstance(value, bool) else ""


def has_word(entity: Entity, collection: Collection, word: frozenset[str]) -> Says:
    """Whether a member is what a word says: by a field of yes or no, by a value that is that word, or, where it says vacant,
    by the one field that is empty in some. "perhaps" where the state has no such thing.
    """
    fields = [
        field
        for field in sorted(collection.facts)
        if word <= stems(field) and all(isinstance(one.facts.get(field), bool) for one in collection.entities)
    ]
    if len(fields) == 1:
        return "yes" if entity.facts[fields[0]] else "no"
    said = [
        field
        for field in sorted(collection.facts)
        if any(_is_word(one.facts.get(field), word) for one in collection.entities)
    ]
    if len(said) == 1:
        own = entity.facts.get(said[0])
        if not isinstance(own, str) or not own:
            return "perhaps"
        return "yes" if _is_word(own, word) else "perhaps" if stems(own) & word else "no"
    taken = list(_empty_in_some(collection)) if word <= VACANT and not said else []
    if len(taken) == 1:
        return "yes" if _is_empty(entity.facts.get(taken[0])) else "no"
    return "perhaps"


def _is_word(value: Json, word: frozenset[str]) -> bool:
    return isinstance(value, str) and bool(value) and stems(value) == word


def _empty_in_some(collection: Collection) -> Iterator[str]:
    """The fields that name something in some members, and nothing in others."""
    for field in sorted(collection.facts):
        values = [one.facts.get(field) for one in collection.entities if field in one.facts]
        plain = all(value is None or isinstance(value, str) for value in values)
        empty = sum(map(_is_empty, values))
        if plain and len(values) == len(collection.entities) and 0 < empty < len(values):
            yield field


def _is_empty(value: Json) -> bool:
    return value is None or key_of(value) in NO_NAMES | {""}


def is_in_days(name: str, value: Json) -> bool:
    """Whether an argument says within how many days something is: `within_days`, `days_ahead`."""
    parts = frozenset(words(name))
    number = exact(value) if isinstance(value, int) and not isinstance(value, bool) else None
    return number is not None and bool(parts & _DAYS) and bool(parts & {"within", "next", "ahead", "in"})


def day_field(collection: Collection) -> str:
    """The one field of the members that holds a day; "" where several do, or none."""
    found = [
        field
        for field in sorted(collection.facts)
        if all(day_in(one.facts.get(field)) is not None for one in collection.entities)
    ]
    return found[0] if len(found) == 1 else ""


def day_in(value: Json) -> date | None:
    """The day that a value states."""
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) and len(value) >= 10 else None
    except ValueError:
        return None


def today_of(state: JsonObject) -> date | None:
    """The day on which a state begins, where it tells just one by a field that is called so."""
    named = ("today", "date", "now", "current_date", "current_time", "clock", "current_day")
    found = {day for field in named if (day := day_in(state.get(field))) is not None}
    return found.pop() if len(found) == 1 else None


def is_within(day: date | None, today: date | None, days: int) -> Says:
    """Whether a day is one of the next so many. What lies before is open, and so is the last one."""
    if day is None or today is None or day < today:
        return "perhaps"
    last = today + timedelta(days=days)
    return "yes" if day < last else "perhaps" if day == last else "no"
