"""A reason in clauses, each held against what the call, the state and earlier calls bear out.

"An invoice is missing; only a photo is on file" is licensed by two things, and none of them has most of its words. A reason is
borne out where each clause is, or says nothing new, and one at least is borne out.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from replaylab.diff.calls.world import Step
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.refusals.standing import standing_of
from replaylab.diff.words.identity import names_whole, stems
from replaylab.diff.words.lexicon import REFUSAL_WORDS, RULE_WORDS
from replaylab.diff.words.observed import texts, words_of
from replaylab.schema.base import Json

_SPLIT = re.compile(
    r",(?!\d)|[;!?()\u2013\u2014]|[:.](?=\s|$)(?!\s*\d)|\s-\s|\b(?:but|so|because|since|while|although)\b"
)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:no|not|nobody|no one|none|nothing|never|without|lacks?|lacking|misses|missing|neither|nor|un(?!der|til|it|ion|ique|less)\w{4,})\b|n't\b",
    re.IGNORECASE,
)
_SHORTEST = 3
# What a reason says of where it reads, and when.
_FILLING = stems(
    "record file book list register system moment time day date today database entry carry show mark flag anymore longer "
    "earlier later yet anyway please sorry already therefore case such one this that these those meanwhile someone somebody else "
    "another other both same together currently present right here there none only just still since long "
    "nobody isn aren wasn weren hasn haven doesn don didn t s"
)


class Thing(NamedTuple):
    """A member of the state that the call names or that a clause does."""

    collection: Collection
    entity: Entity


def clauses(text: str) -> list[str]:
    """The clauses of a text."""
    return [part for one in _SPLIT.split(text) if (part := " ".join(one.split()))]


def halves(clause: str) -> list[str]:
    """What "and" joins in a clause; nothing where it joins nothing."""
    parts = [one.strip() for one in _AND.split(clause)]
    return parts if len(parts) > 1 and all(parts) else []


def is_denied(clause: str) -> bool:
    """Whether a clause says that something is not so, or not there."""
    return _DENIED.search(clause) is not None


def call_words(reason: Reason) -> frozenset[str]:
    """The words of the call alone: of its tool's name and of what it was given."""
    return stems(reason.look.step.tool.name) | words_of(reason.look.step.arguments)


def open_words(reason: Reason, clause: str) -> frozenset[str]:
    """The words of a clause that say more than any refusal of this call does."""
    return stems(clause) - REFUSAL_WORDS - RULE_WORDS - reason.context - _FILLING


def has_rule(reason: Reason, clause: str) -> bool:
    """Whether a clause has the words of a rule and not of a fact."""
    return bool((stems(clause) & RULE_WORDS) - reason.context)


def known_words(reason: Reason) -> frozenset[str]:
    """The words of what is known of the things at hand: by the state, by accepted answers, by accepted calls on them."""
    things = reason.look.contract.things
    referred = (words_of(entity.facts) for key in _referred_keys(reason) for _, entity in things[key])
    return (reason.of_subjects | reason.of_made | done_words(reason)).union(*referred)


def done_words(reason: Reason) -> frozenset[str]:
    """The words of the accepted writes on what the call names: of their tools, what they were given and what they returned."""
    found: frozenset[str] = frozenset()
    for step in writes_on(reason):
        found |= stems(step.tool.name) | step.words
        found = found.union(*(stems(text) for _, text in texts(step.arguments)))
    return found


def noted_words(reason: Reason) -> frozenset[str]:
    """The words that accepted writes on what the call names were given or returned."""
    found: frozenset[str] = frozenset()
    for step in writes_on(reason):
        given = (text for _, text in (*texts(step.arguments), *texts(step.observation)))
        found = found.union(*(stems(text) for text in given))
    return found - REFUSAL_WORDS


def plain_words(clause: str) -> frozenset[str]:
    """The words of a clause that any refusal of anything may not have."""
    return stems(clause) - REFUSAL_WORDS - RULE_WORDS - _FILLING


def writes_on(reason: Reason, key: str = "") -> list[Step]:
    """The accepted writes on a thing; without a key on anything that the call names, and on what these things refer to."""
    named = {key} if key else reason.look.step.named | _referred_keys(reason)
    return [step for step in reason.look.world.writes if step.named & named]


def _referred_keys(reason: Reason) -> frozenset[str]:
    """The keys of what the things of the call refer to, by the state and by accepted calls that named both."""
    things, named = reason.look.contract.things, reason.look.step.named
    values = (value for thing in things_of(reason) for value in thing.entity.value_keys)
    made = (key for step in reason.look.world.writes if step.keys & named for key in step.named)
    return frozenset(key for key in (*values, *made) if key in things)


def things_of(reason: Reason) -> list[Thing]:
    """The members that the call names."""
    named = reason.look.step.named
    return [
        Thing(collection, entity)
        for collection, entity in reason.subjects
        if collection.shape in ("map", "rows") and entity.aliases & named
    ]


def things_in(reason: Reason, clause: str) -> list[Thing]:
    """The members that a clause speaks of: those that it names, else all that the call names."""
    every = [Thing(*pair) for pair in reason.subjects if pair[0].shape in ("map", "rows")]
    named = [one for one in every if any(names_whole(clause, name) for name in names_of(one))]
    return named or things_of(reason)


def names_of(thing: Thing) -> list[str]:
    """By what a text may name a thing: its id, and its short texts that no other of its sort has."""
    others = [one for one in thing.collection.entities if one is not thing.entity]
    own = [
        value
        for field, value in thing.entity.attributes.items()
        if isinstance(value, str)
        and len(value) >= _SHORTEST
        and value[:1].isupper()
        and not any(one.attributes.get(field) == value for one in others)
    ]
    return [thing.entity.id, *own] if thing.entity.id else own


def values_now(reason: Reason, thing: Thing, *, sure: bool = False) -> dict[str, Json]:
    """The fields of a thing as far as they are known: what was told last, or the state's where no call has named the thing; with
    `sure` none where a call may have reached it by what it refers to.
    """
    look = reason.look
    known = dict(standing_of(look, thing.collection, thing.entity))
    named = any(step.named & thing.entity.aliases for step in look.world.writes)
    return (
        known
        if named or (sure and thing.entity.key in look.touched)
        else {**thing.entity.attributes, **known}
    )


def is_plain_rest(reason: Reason, rest: str, more: frozenset[str] = frozenset(), *, least: int = 0) -> bool:
    """Whether what is left of a clause says nothing that is not known, but for so many words."""
    return not has_rule(reason, rest) and len(open_words(reason, rest) - known_words(reason) - more) <= least
