"""Denials in answers that refuse nothing by their form: no error, no outcome, only that there is nobody of that name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.calls.looking import Look
from replaylab.diff.calls.refusal import Refusal, shortened
from replaylab.diff.refusals.denial import denials, named_in, sorts_of
from replaylab.diff.refusals.unknown import says_unknown
from replaylab.diff.words.identity import key_of, stems
from replaylab.diff.words.lexicon import COMMON, ID_WORDS, OUTCOME_KEYS, REASON_KEYS, WRAPPERS
from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json
from replaylab.schema.violation import Violation

_MOST = 25  # words of an answer that says nothing else
_SUBJECT = r"^(?:[\w-]+ ){{0,2}}['\"‘“`]?{}['\"’”`]?,? (?:[\w-]+ ){{0,2}}?(?:not|never|unknown|nowhere|\w+n['’]t|absent|matches no)\b"
_OBJECT = r"\b(?:no|nobody|no one|nothing|none)\b((?: [\w-]+){{0,6}}?) ['\"‘“`]?{}(?![\w-])"
# What stands between "no" and a name beside what the thing is called.
_KEPT = stems(
    "such record entry file data item match result trace row known registered listed recorded found stored filed named called "
    "numbered exist exists existing under id number name code key as with by of for"
)


def plain_denials(look: Look) -> Iterator[Violation]:
    """What an answer that has nothing else denies."""
    said = list(_texts(look))
    for pointer, text in said:
        if any(_denies(look, argument, str(value), text) for argument, value in _given(look)):
            yield from denials(look, Refusal(shortened(((pointer, text),))))
            return


def _given(look: Look) -> Iterator[tuple[str, Json]]:
    for _, argument, value in leaves(look.step.arguments):
        if key_of(value) and str(value) in named_in(look):
            yield argument, value


def _texts(look: Look) -> Iterator[tuple[str, str]]:
    """The texts that say how the call went; none where the answer has anything else: a number, a fact, a name that it was not
    given.
    """
    found = []
    given = {key_of(value) for _, _, value in leaves(look.step.arguments)} | {""}
    for pointer, key, value in leaves(look.step.observation):
        if value in (None, False, "", 0) or key_of(value) in given:
            continue
        # "found" of a count, "result" of what a wrapper has: words on the call, and no fields of a thing.
        about_the_call = not key or key.casefold() in OUTCOME_KEYS | WRAPPERS or stems(key) & REASON_KEYS
        if not isinstance(value, str) or not about_the_call or len(value.split()) > _MOST:
            return
        found.append((pointer, value))
    yield from found


def _denies(look: Look, argument: str, name: str, text: str) -> bool:
    """Whether a text says of this very name that there is none, and not that it has none of something else."""
    if not says_unknown(text, [name]):
        return False
    if re.search(_SUBJECT.format(re.escape(name)), text, re.IGNORECASE):
        return True
    between = re.search(_OBJECT.format(re.escape(name)), text, re.IGNORECASE)
    sort = stems(argument) - frozenset(ID_WORDS)
    sort = sort.union(*(one.heads | one.stems for one in sorts_of(look, argument)))
    return between is not None and stems(between[1]) <= sort | _KEPT | COMMON
