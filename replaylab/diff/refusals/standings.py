"""How a clause says that a thing stands, in any words for it, against the state and what accepted calls have done to it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.checks.numbers import exact
from replaylab.checks.prose import quantities
from replaylab.diff.refusals.clauses import (
    Thing,
    clauses,
    has_rule,
    is_denied,
    is_plain_rest,
    known_words,
    names_of,
    noted_words,
    open_words,
    plain_words,
    things_in,
    things_of,
    values_now,
    writes_on,
)
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import key_of, names_whole, stems, words
from replaylab.diff.words.lexicon import OPPOSITES, RULE_WORDS, STATUS_FIELDS
from replaylab.diff.words.observed import leaves, texts
from replaylab.diff.words.standings import STANDINGS, Standing, in_standings
from replaylab.schema.base import Json, in_json

_SHORT = 3  # words of a value that says how a thing stands
_EMPTY: tuple[Json, ...] = (None, "", [], {})
# Fields that say by a 0 that a thing stands so.
_AT_NOTHING = {
    "paid": stems("owed owes due dues debt outstanding balance arrears unpaid"),
    "full": stems("left free remaining available vacant vacancies"),
}
# Words by which any rule says that something has to be so.
_OBLIGING = stems("must require required only need needs necessary unless allowed permitted")


_DENYING = re.compile(r"(?:\b(?:not|never|no)|n't)(?: (?:yet|been|be|currently|now))*\s*$", re.IGNORECASE)


def stands_so(reason: Reason, clause: str) -> bool:
    """A clause says, in any words for it, how a thing stands by the state or by what an accepted call did to it."""
    if has_rule(reason, clause):
        return False
    return any(
        is_plain_rest(reason, rest)
        and any(_is_in(reason, thing, one, holds=holds) for thing in things_in(reason, clause))
        for one, holds, rest in _sayings(clause)
    )


def _sayings(clause: str) -> Iterator[tuple[Standing, bool, str]]:
    """The standings of which a clause speaks, whether it says or denies them, and the rest of the clause."""
    for one in STANDINGS:
        denied, said = one.denies.search(clause), one.says.search(clause)
        if said and _DENYING.search(clause[: said.start()]) and not _DENYING.search(said[0]):
            said = None
        if denied and said and denied.start() < said.end() and said.start() < denied.end():
            longer = max(denied, said, key=lambda one: len(one[0]))
            denied, said = (denied, None) if longer is denied else (None, said)
        for found, holds in ((denied, False), (said, True)):
            if found is not None:
                yield one, holds, f"{clause[: found.start()]} {clause[found.end() :]}"


def stands_otherwise(reason: Reason) -> str:
    """What stands against a clause that says in any words how the one thing stands; "" where nothing does."""
    return next(_against(reason), "")


def _against(reason: Reason) -> Iterator[str]:
    for clause in clauses(reason.text):
        things = things_in(reason, clause)
        if len(things) == 1 and not has_rule(reason, clause) and not reason.sets_a_condition:
            yield from _otherwise(reason, things[0], clause)


def _otherwise(reason: Reason, thing: Thing, clause: str) -> Iterator[str]:
    """The fields that say that a thing does not stand so, where none bears out any of the standings that the clause may mean."""
    if _names_another(clause, thing) or writes_on(reason, thing.entity.key):
        return
    values = values_now(reason, thing, sure=True)
    found: list[str] = []
    for one, holds, rest in _sayings(clause):
        told = {
            field: verdict
            for field, value in values.items()
            if (verdict := _told(thing, field, value, one)) is not None
        }
        if holds in told.values():
            return  # "set off" is no "off"
        held = one.name in ("taken", "full") and reason.look.contract.links.of.get(thing.entity.key)
        if not held and is_plain_rest(reason, rest, least=1):
            found += [f"{field} of {thing.entity.id} is {in_json(values[field])}" for field in told]
    yield from found


def _is_in(reason: Reason, thing: Thing, one: Standing, *, holds: bool) -> bool:
    """Whether a thing stands so, or does not (`holds`), by what is known of it; else by what accepted calls on it do."""
    told = [
        verdict
        for field, value in values_now(reason, thing).items()
        if (verdict := _told(thing, field, value, one)) is not None
    ]
    if holds in told:
        return True
    for step in reversed(writes_on(reason, thing.entity.key)):
        about = stems(step.tool.name)
        if about & one.back:
            return not holds
        if about & one.members or any(
            stems(text) & one.members for _, text in texts(step.arguments) if len(words(text)) == 1
        ):
            return holds
    return False


def _told(thing: Thing, field: str, value: Json, one: Standing) -> bool | None:
    """Whether a field says that a thing stands so, or that it does not; None where it says nothing of that."""
    named = bool(stems(field) & one.members)
    if isinstance(value, bool):
        return value if named else None
    number = None if isinstance(value, str) else exact(value)
    if number is not None and stems(field) & _AT_NOTHING.get(one.name, frozenset()):
        return number <= 0
    if isinstance(value, str) and value and len(words(value)) <= _SHORT:
        if not named and not _is_no_name(field, value):
            return None
        said = stems(value)
        if said & one.members:
            return True
        opposite = frozenset(OPPOSITES[word] for word in said & OPPOSITES.keys())
        if opposite & one.members or said & one.back:
            return False
        if named:
            return True
        # Where another of its sort stands so, this one does not.
        others = (other.attributes.get(field) for other in thing.collection.entities)
        plain = (part for part in others if isinstance(part, str) and _is_no_name(field, part))
        return False if any(stems(part) & one.members for part in plain) else None
    return value not in _EMPTY if named else None


def _is_no_name(field: str, value: str) -> bool:
    """Whether a text says how a thing stands and is nobody's name: the customer "Open Market" is not open."""
    return value == value.lower() or bool(stems(field) & STATUS_FIELDS)


def _names_another(clause: str, thing: Thing) -> bool:
    """Whether a clause has an id that is none of the thing's."""
    return not any(names_whole(clause, name) for name in names_of(thing)) and any(map(str.isdigit, clause))


def was_brought_there(reason: Reason, clause: str) -> bool:
    """A clause says that a thing is at, on or with another to which an accepted call has brought it."""
    if has_rule(reason, clause):
        return False
    for step in writes_on(reason):
        given = [(key, value) for _, key, value in leaves(step.arguments) if isinstance(value, str)]
        said = [value for _, value in given if names_whole(clause, value)]
        own = [value for value in said if key_of(value) in reason.look.step.named]
        things = [thing for thing in things_of(reason) if thing.entity.key in step.named]
        about = own or (things if things_in(reason, clause) == things else [])
        others = [value for value in said if value not in own]
        if not about or not others or is_denied(clause):
            continue
        rest = clause
        for value in said:
            rest = re.sub(re.escape(value), " ", rest, flags=re.IGNORECASE)
        known = stems(step.tool.name) | stems(step.tool.description)
        if is_plain_rest(reason, rest, known, least=1):
            return True
    return False


def was_told(reason: Reason, clause: str) -> bool:
    """A clause repeats what accepted calls on the thing have noted of it: all of its words are known, and some by these alone."""
    said = plain_words(clause)
    noted = noted_words(reason) - reason.look.contract.keys
    known = known_words(reason)
    if not said & noted or not open_words(reason, clause) <= known:
        return False
    return not has_rule(reason, clause) or open_words(reason, clause) <= noted


_QUOTED = re.compile(r"['\"‘“][\w -]{2,40}['\"’”]")
_RULING = re.compile(
    r"\b(?:only|can|can't|cannot|may|must|never|no \w+ (?:is|are|can|may)|once)\b", re.IGNORECASE
)


def is_told_otherwise(reason: Reason, clause: str) -> bool:
    """A clause lays down a rule that a sentence of the contract has in other words: "called off" for "cancelled"."""
    if _QUOTED.search(clause) or not (has_rule(reason, clause) or _RULING.search(clause)):
        return False  # who quotes the name of a state says it in the contract's own words
    own = reason.look.step.tool.name
    said = _open(reason, clause)
    rules = (stems(clause) & RULE_WORDS) - _OBLIGING - reason.context
    numbers = {one.value for one in quantities(clause, words=True)}
    return bool(said) and any(
        said | rules <= stems(in_standings(one.text)) | _alike(one.stems)
        and numbers <= {found.value for found in quantities(one.text, words=True)}
        for one in reason.look.contract.sentences
        if one.tool in ("", own)
    )


_OTHERWISE = tuple(
    stems(line)
    for line in (
        "unpaid open outstanding due unsettled owing",
        "planned upcoming scheduled future",
        "free vacant available unoccupied empty idle",
        "current active running live ongoing valid",
        "new fresh draft",
    )
)


def _alike(said: frozenset[str]) -> frozenset[str]:
    """Words, with those that stand for the same."""
    return said.union(*(line for line in _OTHERWISE if line & said))


def _open(reason: Reason, clause: str) -> frozenset[str]:
    return (
        open_words(reason, in_standings(clause))
        | (stems(in_standings(clause)) & {one.name for one in STANDINGS}) - reason.context
    )
