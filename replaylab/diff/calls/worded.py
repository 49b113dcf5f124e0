"""Refusals that a sentence alone makes: nothing is there of what the tool hands out, no error and no outcome, and a text under any
name says what is needed, forbidden or closed.

{"message": "Moves are only made before noon"} refuses as {"error": ...} does. What says that the call was carried out ("Noted; a second
nurse has to sign") refuses nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.contract.tools import is_write, verb_of
from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.keyfield import is_reference
from replaylab.diff.words.lexicon import OUTCOME_KEYS, REFUSED, VAGUE_FIELDS
from replaylab.diff.words.observed import leaves, texts
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Tool

_LEAST = 4  # words of a sentence that can forbid
_MOST = 60  # words of an answer that does nothing but refuse
_NOT = r"(?:not|n['\u2019]t|never)"
_FORBIDS = re.compile(
    r"\bonly (?:be |ever )?(?:\w+(?:ed|en|ible|able|open|made|done|given) )?"
    r"(?:possible|allowed|permitted|available|open|if|when|once|after|before|until|with|by|between|from|during|on|at|to|for)\b"
    r"|\b(?:can(?:['\u2019]t|not)|won['\u2019]t)\b"
    rf"|\b(?:must|may|can|could|will|shall|should) ?{_NOT}\b"
    r"|\bnot (?:possible|allowed|permitted|authori[sz]ed|eligible|before|until|enough|open)\b|\bno longer\b"
    r"|\b(?:must|has to|have to|needs? to|(?:is|are) (?:needed|required|reserved|restricted|limited|closed|suspended|locked|frozen|blocked))\b"
    r"|\b(?:requires?|unless|until|unable|impossible|prohibited|forbidden|denied|rejected|refused|declined|exceeds?|sorry)\b"
    r"|\btoo (?:many|few|late|early|long|short|soon|old|young|high|low|close|far)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(rf"\b(?:do|does|did|is|are|was|were|has|have) ?{_NOT}\b", re.IGNORECASE)
_CARRIED_OUT = stems(
    "successful successfully completed confirmed accepted recorded noted registered scheduled sent submitted queued initiated saved "
    "created updated added done started applied booked placed assigned approved granted issued logged received"
)
_NOW = re.compile(
    r"\bnow (?:in|at|on|has|have|is|are|lies|stands|holds|under|with)\b|\b(?:is|are|lies|stands|has|have|holds) (?:[\w-]+ ){0,3}now\b",
    re.IGNORECASE,
)
_LOOKING = stems(
    "record records data information file files history list listing request report reports access view viewing show look share "
    "disclose disclosed release retrieve query search lookup read consult inspect inspection service system desk portal visible"
)
_CLAUSE = re.compile(r"(?<=[.;:!?])\s+|\s[-\u2013\u2014]\s|, (?=but\b|and\b|so\b)")


def worded_refusal(tool: Tool, observation: Json, arguments: JsonObject) -> list[tuple[str, str]]:
    """The texts of an answer that does nothing but say why not, with their pointers; [] where it is no such answer."""
    if _hands_out(tool, observation, arguments):
        return []
    said = [(pointer, text) for pointer, text in texts(observation) if len(words(text)) >= _LEAST]
    whole = " ".join(text for _, text in said)
    if not said or len(whole.split()) > _MOST or _is_carried_out(tool, whole):
        return []
    if is_write(tool):
        return said if any(_FORBIDS.search(text) or _DENIES.search(text) for _, text in said) else []
    # Who looks and is told what may not be done, or that something is not so, has an answer; unless it is about looking.
    return said if any(_FORBIDS.search(text) and stems(text) & _LOOKING for _, text in said) else []


def _hands_out(tool: Tool, observation: Json, arguments: JsonObject) -> bool:
    """Whether an answer has any of what the tool's example has, or a value of its own; true where no example tells."""
    wanted = _fields(tool.example_output)
    if not wanted:
        return True
    given = {key_of(value) for _, _, value in leaves(arguments)}
    for _, key, value in leaves(observation):
        if value in (None, False, "", 0):
            continue
        if key_of(value) in given - {""}:
            if stems(key) in wanted and len(words(key)) > 1 and not is_reference(key):
                return True  # "applied_speed": 60 says that it is so; "bed": "B9" may only say what was asked for
            continue
        sentence = isinstance(value, str) and len(words(value)) >= _LEAST
        if not sentence and not _is_outcome(key) and not (isinstance(value, str) and stems(value) & REFUSED):
            return True
        if sentence and stems(key) in wanted and key.casefold() not in OUTCOME_KEYS:
            return True  # what the tool hands out is a text
    return False


def _fields(example: Json) -> frozenset[frozenset[str]]:
    """The fields of an example that are no words on how the call went."""
    return frozenset(
        stems(key)
        for _, key, value in leaves(example)
        if key and not _is_outcome(key) and not stems(key) <= VAGUE_FIELDS and value not in (None, "")
    )


def _is_outcome(key: str) -> bool:
    return not key or key.casefold() in OUTCOME_KEYS or bool(stems(key) & _OUTCOMES)


_OUTCOMES = stems("status result outcome decision verdict code success")


def _is_carried_out(tool: Tool, text: str) -> bool:
    """Whether a clause says that the call was carried out: with no word that forbids, it has its verb, or another word for it,
    or says how things are now.
    """
    verbs = [one for one in {verb_of(tool), *words(tool.name)[:1]} if one]
    for clause in _clauses(text):
        said = words(clause)
        if _FORBIDS.search(clause) or _DENIES.search(clause) or {"not", "never", "nothing", "no"} & set(said):
            continue
        if _NOW.search(clause) or any(_is_done(word, verbs) for word in said):
            return True
    return False


def _is_done(word: str, verbs: list[str]) -> bool:
    ended = word.endswith(("ed", "en"))
    return stem(word) in _CARRIED_OUT or (
        ended and any(word in (f"{one}d", f"{one}ed", f"{one}{one[-1]}ed", f"{one[:-1]}ied") for one in verbs)
    )


def _clauses(text: str) -> Iterator[str]:
    yield from (part for part in _CLAUSE.split(text) if part.strip())
