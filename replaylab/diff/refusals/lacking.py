"""What a rule wants of a thing and its record does not have: "an invoice is missing", where the papers on file are a photo.

And what a refusal says that a thing lacks, where its record has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.refusals.absent import is_empty, ruling
from replaylab.diff.refusals.clauses import (
    Thing,
    call_words,
    clauses,
    is_denied,
    known_words,
    open_words,
    things_in,
    values_now,
    writes_on,
)
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import names_whole, stems
from replaylab.diff.words.lexicon import COMMON, LEAVE_WORDS, NEED_WORDS, RULE_WORDS
from replaylab.diff.words.observed import leaves, texts
from replaylab.schema.base import Json, in_json

_WANTS = re.compile(
    r"\b(?:needs?|wants?|requires?|takes?|(?:has|have) to have|must have|with|without|by (?:somebody|someone|one) with|only|until|before|after|once|when)\b",
    re.IGNORECASE,
)
_INCOMPLETE = re.compile(
    r"\b(?:incomplete|not complete|missing (?:papers?|documents?|details)|still (?:missing|open)|awaiting|wait(?:s|ing)?)\b",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"^(?:there is |it has |we have |it holds |has )?(?:only|just|nothing but) ", re.IGNORECASE
)
_SAID = stems(
    "wait waits waiting await awaits still outstanding incomplete submitted submit received receive filed file attached attach provided named given uploaded signed there far details papers"
)
_LACK = (
    r"\b(?:has|have|with|there (?:is|are)|holds?|contains?) no (?:valid )?{what}(?=\W*$| (?:yet|on|for|at|in|of)\b)|\bno {what} (?:is |was |has been )?(?:on file|on record|given|filed|there|yet|assigned|set|named)\b"
    r"|^no {what}$|\b(?:lacks?|misses|without) (?:an? |its |the |any )?{what}(?![\w-])|\b{what} (?:of [\w-]+ )?(?:is|are|was) (?:still )?(?:missing|absent|not (?:on file|there|set|given|assigned))"
    r"|\b{what} (?:has|have) not (?:yet )?been (?:submitted|filed|given|received|provided|named|set|assigned)|\bdoes(?:n't| not) have (?:an? |any )?{what}(?![\w-])"
    r"|\bis(?:n't| not) (?:on|in|at|with|under) (?:an? |any |its )?{what}(?![\w-])"
)


def is_lacking(reason: Reason, clause: str) -> bool:
    """A clause says that something is missing which a sentence about the call wants, and no thing of the call has it."""
    if _rules(reason, clause):
        return False
    said = stems(clause) - call_words(reason)
    missed, bare = _missed(reason), open_words(reason, clause) - _SAID
    if is_denied(clause) or _INCOMPLETE.search(clause):
        named = {word for word in missed if word in said}
        new = open_words(reason, clause) - known_words(reason) - missed - _SAID
        if (named or (_INCOMPLETE.search(clause) and missed)) and not new:
            return True
    return bool(missed) and (
        (bool(bare) and bare <= missed)
        or (bool(_ONLY.search(clause)) and open_words(reason, clause) <= known_words(reason) | _SAID)
    )


def _rules(reason: Reason, clause: str) -> bool:
    rules = (stems(clause) & RULE_WORDS) - NEED_WORDS - reason.context - {"only"}
    wanted = frozenset[str]().union(*(one.stems for one in ruling(reason)))
    return bool(rules - wanted or rules & LEAVE_WORDS - wanted)


def _missed(reason: Reason) -> frozenset[str]:
    """The words of what sentences about the call want, of which nothing is said anywhere of the things of the call."""
    has: frozenset[str] = frozenset()
    for thing in things_in(reason, ""):
        has = has.union(*(_held(field, value) for field, value in values_now(reason, thing).items()))
        for step in writes_on(reason, thing.entity.key):
            has = has.union(*(stems(text) for _, text in texts(step.arguments)))
    wanted = frozenset[str]().union(
        *(
            stems(one.text[found.end() :])
            for one in ruling(reason)
            for found in [_WANTS.search(one.text)]
            if found
        )
    )
    return wanted - has - COMMON - RULE_WORDS - call_words(reason)


def _held(field: str, value: Json) -> frozenset[str]:
    """The words of what a field holds; its own name too, where it holds something."""
    if is_empty(value):
        return frozenset()
    own = stems(field)
    return own.union(*(stems(text) for _, text in texts(value)))


def has_it(reason: Reason) -> str:
    """What stands against a reason which says that the one thing lacks what its record has; "" where nothing does."""
    return next(_against(reason), "")


def _against(reason: Reason) -> Iterator[str]:
    for clause in clauses(reason.text):
        things = [one for one in things_in(reason, clause) if not writes_on(reason, one.entity.key)]
        found = [list(_in_record(reason, one, clause)) for one in things]
        # Of several things each may be meant, so that all of them that could lack it have to have it.
        if len(things) == len(things_in(reason, clause)) and sum(map(bool, found)) == 1:
            yield from (one for part in found for one in part)


def _is_something(value: Json) -> bool:
    """Whether a value is there, and no word for what is not there yet: "open", "pending"."""
    if isinstance(value, str):
        return any(char.isupper() or char.isdigit() for char in value)
    return not is_empty(value) and value != 0


def _in_record(reason: Reason, thing: Thing, clause: str) -> Iterator[str]:
    """What of a record a clause says that there is not: a field that holds something, or a part of a list."""
    for field, value in values_now(reason, thing, sure=True).items():
        if isinstance(value, list):
            whats = [part for part in value if isinstance(part, str) and len(part) > 1]
        else:
            whats = [" ".join(re.split(r"[_\W]+", field))] if _is_something(value) else []
        for what in whats:
            if not names_whole(clause, what):
                continue
            said = re.search(_LACK.replace("{what}", re.escape(what)), clause, re.IGNORECASE)
            if said and not any(what in str(other) for _, _, other in leaves(reason.look.step.arguments)):
                yield f"{field} of {thing.entity.id} is {in_json(value)}"
