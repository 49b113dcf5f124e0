"""What the arguments of a call ask for, one by one: a member by id, a value, a bound, a page, a scope, or nothing known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from replaylab.checks.matcher import parse_matcher
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contract.contract import Contract
from replaylab.diff.contract.members import Key, by_name
from replaylab.diff.contract.universe import Known
from replaylab.diff.omissions.flags import day_field, denied_name, flag_of, has_word, is_in_days, today_of
from replaylab.diff.words.bounds import is_ordered
from replaylab.diff.words.identity import family, key_of, name_key, stem, stems, words
from replaylab.diff.words.lexicon import (
    EVERYTHING,
    FIELD_ARGUMENTS,
    FREE_TEXT,
    LOWER_BOUND,
    PAGING,
    REFERENCE_WORDS,
    SCOPES,
    UPPER_BOUND,
    VIEW_ARGUMENTS,
)
from replaylab.diff.words.stated import is_day_of
from replaylab.schema.base import Json, JsonObject

Means = Literal[
    "nothing",
    "member",
    "attribute",
    "at least",
    "at most",
    "text",
    "page",
    "scope",
    "unknown",
    "only",
    "but",
    "not",
    "in days",
]


_SO_MANY = frozenset(("last", "first", "newest", "latest", "oldest", "mostrecent", "recent"))


class Asked(NamedTuple):
    """What one argument means for a collection. `field` is the attribute that it is about."""

    means: Means
    argument: str
    value: Json = None
    field: str = ""


def asked(contract: Contract, collection: Collection, arguments: JsonObject) -> list[Asked]:
    """What each argument means for the members of a collection, in order."""
    return [one for name, value in arguments.items() for one in _one(contract, collection, name, value)]


def _one(contract: Contract, collection: Collection, name: str, value: Json) -> Iterator[Asked]:
    if value in (None, "", [], {}) or name_key(str(value)) in EVERYTHING:
        yield Asked("nothing", name)
    elif isinstance(value, dict):
        for inner, part in value.items():
            yield from _one(contract, collection, inner, part)
    elif cuts(name, value):
        yield Asked("page", name, value)
    elif bare := denied_name(name, value):
        yield _denied(collection, name, bare, value)
    elif members := _members(collection, value):
        yield Asked("member", name, members)
    else:
        yield _otherwise(contract, collection, name, value)


def cuts(name: str, value: Json) -> bool:
    """Whether an argument says how much of a list is shown, or from where: a limit, a page, the last so many."""
    number = isinstance(value, int) and not isinstance(value, bool)
    return name_key(name) in PAGING or (number and name_key(name) in _SO_MANY)


def _members(collection: Collection, value: Json) -> list[str]:
    """The keys of the members that an argument names; all of a list have to be, or to be written like members: nobody asks for
    the others by an id that there is not.
    """
    wanted = [one for one in (value if isinstance(value, list) else [value]) if key_of(one)]
    found = [by_name(Key(collection), str(one)) for one in wanted]
    strange = [str(one) for one, entity in zip(wanted, found, strict=True) if entity is None]
    families = {family(one) for one in collection.ids} if strange else set()
    return [one.key for one in found if one] if all(family(one) in families for one in strange) else []


def _denied(collection: Collection, name: str, bare: str, value: Json) -> Asked:
    """Those that are not so, or not these."""
    field = field_for(collection, bare) or field_with_value(collection, value)
    if field and not _members(collection, value):
        return Asked("not", name, value, field)
    return Asked("unknown", name, value)


def _by_a_word(contract: Contract, collection: Collection, name: str, value: Json) -> Asked | None:
    """What a flag or a number of days picks, where the members have something that tells it."""
    flag = flag_of(name, value)
    if flag is not None:
        sort, word = flag
        if not word:
            return Asked("nothing", name)
        if any(has_word(one, collection, word) != "perhaps" for one in collection.entities):
            return Asked(sort, name, sorted(word))
    if is_in_days(name, value) and day_field(collection) and today_of(contract.environment.initial_state):
        return Asked("in days", name, value, day_field(collection))
    return None


def _otherwise(contract: Contract, collection: Collection, name: str, value: Json) -> Asked:
    by_word = _by_a_word(contract, collection, name, value)
    if by_word is not None:
        return by_word
    parts = words(name)
    bound = next((part for part in parts if stem(part) in LOWER_BOUND | UPPER_BOUND), "")
    bare = "_".join(part for part in parts if part != bound)
    field = field_for(collection, bare) or field_with_value(collection, value)
    if bound and not field:
        field = moment_field(collection, value)
    if field and bound and is_ordered(value):
        return Asked("at least" if stem(bound) in LOWER_BOUND else "at most", name, value, field)
    if field and not bound:
        return Asked("attribute", name, value, field)
    if stems(name) & FIELD_ARGUMENTS and "value" not in parts:
        return Asked("nothing", name)
    if names_the_whole(contract, collection, value) or (parts and stem(parts[-1]) in VIEW_ARGUMENTS):
        return Asked("nothing", name)
    if not stems(name) & FREE_TEXT and is_alone(contract, collection, value):
        return Asked("nothing", name)
    if stems(name) & FREE_TEXT and isinstance(value, str):
        return Asked("text", name, value)
    is_scope = stems(name) & SCOPES and not _is_referred_to(contract, value)
    return Asked("scope" if is_scope else "unknown", name, value)


def _is_referred_to(contract: Contract, value: Json) -> bool:
    """Whether an argument names one of several things of the state that others refer to, so that it does pick: what a customer
    has in hand is told by their bookings.
    """
    key = key_of(value)
    return any(
        len(one.entities) > 1 and any(contract.referrers(other, key) for other in contract.whole_things)
        for one, _ in contract.things.get(key, [])
    )


def names_the_whole(contract: Contract, collection: Collection, value: Json) -> bool:
    """Whether an argument names the collection itself, its parent, or parts of the state: "pending" of `pending_stories`."""
    wanted = [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, str)]
    names = {name_key(one.name) for one in contract.collections}
    names |= {name_key(key) for key in contract.environment.initial_state}
    if any(one.pointer == collection.pointer for one in contract.asked_for({"": value})):
        return True
    if wanted and all(key_of(one) in {entity.parent for entity in collection.entities} for one in wanted):
        return True
    if wanted and all(name_key(one) in names for one in wanted):
        return any(name_key(one) == name_key(collection.name) for one in wanted)
    return bool(wanted) and all(stems(one) and stems(one) <= collection.stems for one in wanted)


def field_for(collection: Collection, name: str) -> str:
    """The attribute that a parameter is named after; the shortest of several.

    An `id` of the rows is meant by `robot_id` of robots, and not by the `report_id` that their list belongs to.
    """
    exact = [field for field in collection.facts if name_key(field) == name_key(name)]
    if exact:
        return min(exact)
    wanted = stems(name)
    own = wanted - collection.stems
    generic = frozenset(stem(word) for word in REFERENCE_WORDS)
    alike = [
        field
        for field in collection.facts
        if (said := stems(field))
        and ((said <= wanted and not said <= generic) or (own and own <= said and not own <= generic))
    ]
    return min(alike, key=lambda field: (len(field), field), default="")


def field_with_value(collection: Collection, value: Json) -> str:
    """The one attribute that has this very value in some member; "" when several have, or none."""
    key = key_of(value) if isinstance(value, str) else ""
    found = {
        field
        for entity in collection.entities
        for field, part in entity.facts.items()
        if key
        and any(
            key_of(one) == key or is_day_of(value, one)
            for one in (part if isinstance(part, list) else [part])
        )
    }
    return found.pop() if len(found) == 1 else ""


def moment_field(collection: Collection, value: Json) -> str:
    """The one attribute that tells a moment of the kind that a bound gives, in all members: "09:00" bounds `departs`."""
    if not isinstance(value, str) or not is_ordered(value):
        return ""
    found = [
        field
        for field in sorted(collection.facts)
        if all(_is_beside(value, one.facts.get(field)) for one in collection.entities)
    ]
    return found[0] if len(found) == 1 else ""


def _is_beside(value: str, own: Json) -> bool:
    """Whether a text is a moment that can be before or after another."""
    if not isinstance(own, str):
        return False
    return parse_matcher({"ge": value})(own) or parse_matcher({"le": value})(own)


def is_alone(contract: Contract, collection: Collection, value: Json) -> bool:
    """Whether an argument names the one thing of its sort that there is, so that it restricts nothing."""
    key = key_of(value)
    if not key:
        return False
    owners = [
        one
        for one in contract.collections
        if one.pointer != collection.pointer and key in one.keys and one.shape != "names"
    ]
    if owners:
        return all(len(one.entities) == 1 for one in owners)
    places = contract.universe.places(key)
    return bool(places) and all(_stands_alone(contract, one) for one in places)


def _stands_alone(contract: Contract, known: Known) -> bool:
    """Whether a name is a plain field of the state or of a single record of it."""
    singles = {
        one.pointer for one in contract.collections if one.shape == "single" and len(one.entities) == 1
    }
    parent = known.pointer.rpartition("/")[0]
    return known.provenance != "state" or (parent in singles and "*" not in parent)


def common_field(shown: Sequence[Entity], wanted: Sequence[str]) -> str:
    """The field by which all that are shown refer to what an argument names: `routing` to the bus; "" where none is."""
    fields = [field for field, value in shown[0].facts.items() if key_of(value) in wanted] if shown else []
    return next(
        (field for field in fields if all(key_of(one.facts.get(field)) in wanted for one in shown)), ""
    )
