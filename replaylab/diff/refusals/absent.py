"""What a clause says that a thing lacks, against fields that hold nothing: `berth` null, `rigged` false, `crew` []."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.refusals.clauses import (
    Thing,
    has_rule,
    is_denied,
    known_words,
    open_words,
    things_in,
    values_now,
)
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import PRESCRIBING, RULE_WORDS
from replaylab.diff.words.sentences import Sentence
from replaylab.schema.base import Json

_NEW = 1  # words that the contract does not have, in a clause that says what is not there
_MAY_NOT = re.compile(r"\b(?:may|must|can|shall|should)(?: ?not|n't)\b", re.IGNORECASE)
# What is not on, lit or open may be said without a "not".
_OFF = re.compile(
    r"(?<=\bis) (?:still |currently |now )?(?:off|out|down|cold|dark|idle|inactive|offline|stopped|switched off|at rest)(?=\s*$)",
    re.IGNORECASE,
)
_LACKS = re.compile(r"\b(?:missing|misses|lacks?|lacking|without)\b", re.IGNORECASE)
_WANTS = re.compile(
    r"\b(?:needs?|wants?|requires?|takes?|has|have|must|only|that (?:is|are|has|have)|who (?:is|are|has|have))\b",
    re.IGNORECASE,
)


def is_empty(value: Json) -> bool:
    """Whether a field holds nothing, or says no."""
    return value is None or value is False or value in ("", [], {})


def is_absent(reason: Reason, clause: str) -> bool:
    """A clause says that a thing has or is something not, and a field of the thing holds nothing: one of that name, or one that a
    sentence about the call wants. What a field of that name has is not absent.
    """
    clause = _OFF.sub(" not ", clause)
    if not is_denied(clause) or has_rule(reason, clause) or _MAY_NOT.search(clause):
        return False
    said = stems(clause)
    new = open_words(reason, clause) - known_words(reason)
    for thing in things_in(reason, clause):
        values = values_now(reason, thing)
        empty = {field for field, value in values.items() if is_empty(value)}
        full = frozenset[str]().union(*(stems(field) for field in values.keys() - empty))
        named = {field for field in empty if stems(field) & said - full}
        wanted = not said & full - reason.context and any(wanted_fields(reason, thing, empty))
        if len(new) <= _NEW and (named or (wanted and not (new and _LACKS.search(clause)))):
            return True
    return False


def wanted_fields(reason: Reason, thing: Thing, fields: set[str]) -> Iterator[str]:
    """Those of the fields of which a sentence about the call speaks: a vessel "that is at a berth"."""
    for field in fields:
        if stems(field) and any(stems(field) <= one.stems for one in ruling(reason)):
            yield field


def ruling(reason: Reason) -> Iterator[Sentence]:
    """The sentences that say what the call takes: those of its tool, and those of all that prescribe or share its verb."""
    tool = reason.look.step.tool
    for one in reason.look.contract.sentences:
        if one.pointer.startswith(("/initial_state", "/state_description")):
            continue
        shared = one.stems & stems(tool.name)
        prescribes = one.stems & (RULE_WORDS | PRESCRIBING) or _WANTS.search(one.text)
        if one.tool == tool.name or (not one.tool and (shared or prescribes)):
            yield one
