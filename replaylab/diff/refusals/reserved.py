"""What a contract reserves an error for: "if an action references non-existent nodes, return …" reserves it for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import stems
from replaylab.diff.words.lexicon import ARGUMENT_WORDS
from replaylab.diff.words.sentences import LiteralError, split, unnamed

_SAID = 0.75  # of the reason's words stand in the error
_REPEATED = 0.5  # of the error's words stand in the reason
_NOUNS = 3  # a part of a condition with no more words goes on with the one before: "nodes or links"
_RETURN = re.compile(
    r"[\s:,;(]*\b(?:return|respond|output|reply|report|raise|give)\b.*$", re.IGNORECASE | re.DOTALL
)
_PARTS = re.compile(r",\s*(?:or\s+)?|\s+or\s+|;")
_ASIDE = re.compile(r"\([^)]*\)")
_NOTHING_SUCH = re.compile(
    r"non-?existent|\b(?:does|do)(?:n't| not) exist\b|\b(?:unknown|undefined|unrecogni[sz]ed|not found)\b",
    re.IGNORECASE,
)
_TAKEN = re.compile(
    r"\b(?:conflict\w*|double-?book\w*|overlap\w*|occupied|taken|booked|reserved)\b", re.IGNORECASE
)
_QUOTED_STATE = re.compile(r"\b(?:currently|is|are|in)\s+['\"‘“`]([A-Za-z][\w -]{1,30})['\"’”`]")


class Reserved(NamedTuple):
    """An error that the contract spells out, with the words that say when it is due."""

    error: LiteralError
    condition: str

    @property
    def for_unknown(self) -> bool:
        """Whether it is due for names that do not exist and for nothing else."""
        parts = [one for one in _PARTS.split(_ASIDE.sub(" ", self.condition)) if one.strip()]
        nouns = [one for one in parts[1:] if len(one.split()) <= _NOUNS and not stems(one) & ARGUMENT_WORDS]
        telling = [one for one in parts if one not in nouns or _NOTHING_SUCH.search(one)]
        return bool(telling) and all(_NOTHING_SUCH.search(one) for one in telling)

    @property
    def for_taken(self) -> bool:
        """Whether something that is taken already is among what it is due for, and the error says so."""
        return bool(_TAKEN.search(self.condition) and _TAKEN.search(self.error.text))

    @property
    def states(self) -> tuple[str, ...]:
        """The states in which it is due, as the condition quotes them: 'OFF'."""
        return tuple(dict.fromkeys(_QUOTED_STATE.findall(self.condition)))


def reserved_for(reason: Reason) -> Reserved | None:
    """The condition of the error that a reason repeats; None where it repeats none, or none is told."""
    said = stems(unnamed(reason.text))
    for error in reason.look.contract.errors:
        wanted = error.stems
        alike = bool(wanted and said) and reason.cause <= wanted  # no word of another cause
        if alike and _part(said, wanted) >= _SAID and _part(wanted, said) >= _REPEATED:
            condition = min(_conditions(reason, error), key=len, default="")
            if condition:
                return Reserved(error, condition)
    return None


def _part(of: frozenset[str], among: frozenset[str]) -> float:
    return len(of & among) / len(of)


def _conditions(reason: Reason, error: LiteralError) -> Iterator[str]:
    """What stands before an error in the sentences that spell it out."""
    environment = reason.look.contract.environment
    texts = [environment.system_prompt, *(tool.description for tool in environment.tools)]
    for text in texts:
        for sentence in split(text):
            before, found, _ = sentence.partition(error.text)
            condition = _RETURN.sub("", before).partition("{")[0]  # a brace begins another error
            if found and len(condition.split()) > 2:
                yield condition
