"""A call that denies what exists: "P-110 not found", where the state holds P-110."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.collection import Collection, Entity
from replaylab.diff.identity import key_of, stem, words
from replaylab.diff.looking import Look
from replaylab.diff.observed import leaves
from replaylab.diff.refusal import Refusal
from replaylab.schema.violation import Violation

_UNKNOWN = re.compile(
    r"\bnot (?:be )?(?:found|exist|recogni[sz]ed|registered|listed|known|located|present|on (?:file|record))\b|\bno (?:such|record|matching|results?|entry|data)\b"
    r"|\b(?:does|do|did)(?:n't| not) exist\b|\bunknown\b|\bnon-?existent\b|\bunrecogni[sz]ed\b|\bno \w+ (?:with|found|by|named|matching)\b"
    r"|\binvalid \w*(?:[ _-]?id|identifier|name|code)\b|\bis not (?:a|in) (?:valid|the|this|our)\b|\b(?:could|can)(?:not|n't| not) (?:be )?(?:find|found|locate|located)\b",
    re.IGNORECASE,
)


def says_unknown(text: str) -> bool:
    """Whether a reason says that something does not exist."""
    return _UNKNOWN.search(text) is not None


def denials(look: Look, refusal: Refusal) -> Iterator[Violation]:
    """Members that the call names, and that the refusal says there are not."""
    if not says_unknown(refusal.text):
        return
    named = list(_named(look))
    told = [one for one in named if one[1].id.casefold() in refusal.text.casefold() or one[0] in refusal.text]
    for _, entity, collection in told or (named if len(named) == 1 else []):
        if look.world.fate(entity, collection) != "perhaps gone":
            yield Violation(
                kind="omission",
                subkind="denial",
                call=look.step.call,
                tool=look.step.tool.name,
                pointer=refusal.pointer,
                contract=entity.pointer,
                entity=entity.id,
                expected=entity.id,
                observed=refusal.text,
                confidence=0.9,
                message=f"{look.step.tool.name} says that {entity.id!r} does not exist, and {entity.pointer} holds it",
            )


def _named(look: Look) -> Iterator[tuple[str, Entity, Collection]]:
    """Each member that an argument names, with the argument; not where the argument wants another sort of thing."""
    for _, key, value in leaves(look.step.arguments):
        own = sorts_of(look, key)
        for collection in look.contract.collections:
            entity = collection.find(key_of(value))
            if entity is not None and (
                not own or collection in own or any(one.find(key_of(value)) for one in own)
            ):
                yield key, entity, collection
                break


def sorts_of(look: Look, argument: str) -> list[Collection]:
    """The collections whose members an argument takes, by its name; none where that says nothing."""
    own = {stem(part) for part in words(argument)[:-1]}
    return [
        one
        for one in look.contract.collections
        if own
        and one.entities
        and (own & one.stems or own & {stem(part) for part in words(one.key_field)[:-1]})
    ]
