"""How two things stand to each other against what a refusal says of it: "BT-1 already lies at BR-12", where it never did."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from replaylab.diff.calls.memory import Record
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.contradictions.records import due_of
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import key_of, words
from replaylab.diff.words.observed import leaves

_ALREADY = re.compile(r"\balready\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:does not|doesn't|do not|is not|isn't|has not|hasn't|was not|never)\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"\b(?:until|unless|if|when|only|must|should|can|may|cannot|can't|yet)\b", re.IGNORECASE
)
_STANDS = re.compile(
    r" (?:is|lies|stands|sits|belongs|stays|waits) (?:\w+ ){0,2}?(?:by|to|in|at|on|with|under|for)(?: the| an?)?(?: \w+)?$",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;.](?=\s|$)")


class Pair(NamedTuple):
    """Two things that one clause names, and the words between them."""

    one: tuple[Collection, Entity]
    other: tuple[Collection, Entity]
    between: str
    clause: str


def untrue_relation(reason: Reason) -> str:
    """What stands against how the reason says that two things stand to each other, in words; "" where nothing does."""
    for pair in _pairs(reason):
        against = _already(reason, pair) or _not(reason, pair) or _elsewhere(reason, pair)
        if against:
            return against
    return ""


def _pairs(reason: Reason) -> Iterator[Pair]:
    found = [pair for pair in reason.subjects if pair[0].shape in ("map", "rows")]
    found.sort(key=lambda pair: "*" not in pair[0].pointer)  # rows inside others only refer to things
    things: dict[str, list[tuple[Collection, Entity]]] = {}
    for thing in found:
        things.setdefault(thing[1].key, []).append(thing)
    for clause in _CLAUSE.split(reason.text):
        places = sorted(
            (found.start(), found.end(), key)
            for key, ((_, entity), *_) in things.items()
            if entity.id
            for found in re.finditer(rf"(?<![\w-]){re.escape(entity.id)}(?![\w-])", clause, re.IGNORECASE)
        )
        if len(places) == 2 and places[0][2] != places[1][2]:
            (_, end, one), (start, _, other) = places
            for pair in product(reversed(things[one]), reversed(things[other])):
                yield Pair(*pair, clause[end:start], clause)


def _already(reason: Reason, pair: Pair) -> str:
    """What is said to be so already has to be in the state, in what calls did, or in what was shown."""
    named = reason.look.step.named
    both = (pair.one[1].key, pair.other[1].key)
    if not _ALREADY.search(pair.between) or _NOT.search(pair.clause) or not named.issuperset(both):
        return ""
    if _are_linked(reason, *both) or any(step.keys.issuperset(both) for step in reason.look.world.writes):
        return ""
    return f"nothing has brought {pair.one[1].id} and {pair.other[1].id} together"


def _not(reason: Reason, pair: Pair) -> str:
    """What is denied must not stand in the state as it was, with no call since that named either."""
    both = (pair.one[1].key, pair.other[1].key)
    if not _NOT.search(pair.between) or _OTHERWISE.search(pair.clause) or len(words(pair.between)) > 5:
        return ""
    touched = any(step.keys & set(both) for step in reason.look.world.writes) or reason.look.world.time_moved
    if touched or not _are_linked(reason, *both, third=False):
        return ""
    return f"{pair.one[1].id} and {pair.other[1].id} belong together in the state"


def _elsewhere(reason: Reason, pair: Pair) -> str:
    """A thing that the call names is said to be with one that it does not name, and its record says with which it is."""
    (whole, one), (sort, other) = pair.one, pair.other
    named = reason.look.step.named
    if one.key not in named or other.key in named or not _STANDS.match(pair.between.rstrip()):
        return ""
    fields = [field for field in one.attributes if _refers(whole, field, sort)]
    if len(fields) != 1 or _are_linked(reason, one.key, other.key, third=False):
        return ""
    first = one.attributes[fields[0]]
    due = due_of(reason.look, Record("", {}, one, whole, own=True), fields[0])
    if due is None and any(
        one.key in step.keys and step.keys & sort.keys - {key_of(first)} for step in reason.look.world.writes
    ):
        return ""  # a call that named both may have brought it elsewhere
    stands = due.value if due else first
    return "" if key_of(stands) == other.key else f"{fields[0]} of {one.id} is {stands!r}"


def _refers(whole: Collection, field: str, sort: Collection) -> bool:
    """Whether members refer to members of another sort under a field."""
    return any(key_of(one.attributes.get(field)) in sort.keys for one in whole.entities)


def _are_linked(reason: Reason, one: str, other: str, *, third: bool = True) -> bool:
    """Whether the state links two things: one refers to the other, or a third (with `third`) to both."""
    links = reason.look.contract.links
    if other in links.to.get(one, ()) or one in links.to.get(other, ()):
        return True
    if not third:
        return False
    common = links.of.get(one, frozenset()) & links.of.get(other, frozenset())
    state = reason.look.contract.environment.initial_state
    rows = (part for part in state.values() if isinstance(part, list))
    loose = any(
        {one, other} <= {key_of(value) for _, _, value in leaves(row)} for part in rows for row in part
    )
    return bool(common) or loose
