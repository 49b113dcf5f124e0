"""Two arguments that must not be one and the same: "a purse can't pay itself"."""

from __future__ import annotations

import re

from replaylab.diff.refusals.clauses import is_plain_rest
from replaylab.diff.refusals.reason import Reason
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.observed import leaves

_SELF = re.compile(
    r"\b(?:itself|themselves|himself|herself|oneself|self(?:-\w+)?|same|identical|equal|differ(?:ent|s)?|distinct|cycles?|cyclic|"
    r"circular(?:ity)?|twice|loop)\b",
    re.IGNORECASE,
)
_ONE = re.compile(
    r"\b(?:into|with|to|for|from|on|by) (?:itself|themselves|himself|herself)\b"
    r"|\b(?:can't|cannot|can not|may not|must not|does not|doesn't|never) (?:[\w-]+ ){1,3}(?:itself|themselves|himself|herself)\b"
    r"|\b(?:source|sender|origin|from|first|both|two|arguments|they)\b[^.;]{0,40}\b(?:(?:are|is) (?:the same|identical|equal)\W*$|must (?:differ|be different|be distinct|not be (?:the same|equal|identical)))"
    r"|\b(?:pick|choose|give|name|use) two (?:different|distinct)\b|\bto the same \w+\W*$",
    re.IGNORECASE,
)
_DIFFER = re.compile(
    r"\b(?:are|be) (?:the same|equal|identical)\W*$|\bmust (?:differ|be different|be distinct)", re.IGNORECASE
)
_SAID = stems(
    "source target destination sender receiver recipient origin reference allow depend pick choose cycle circular both two"
)


def same_arguments(reason: Reason) -> list[str]:
    """The arguments that name one and the same thing; nothing where all differ."""
    given = _references(reason)
    keys = [key for _, key in given]
    return [name for name, key in given if keys.count(key) > 1]


def _references(reason: Reason) -> list[tuple[str, str]]:
    """The arguments that may name something, with the keys of what they name."""
    known = reason.look.contract.things
    found = [
        (name, key_of(value))
        for _, name, value in leaves(reason.look.step.arguments)
        if isinstance(value, str)
    ]
    return [(name, key) for name, key in found if key in known or any(map(str.isdigit, key))]


def is_the_same(reason: Reason, clause: str) -> bool:
    """A clause says that two things are one, or must not be, and two arguments are the same."""
    if not _SELF.search(clause) or not same_arguments(reason) or reason.figures:
        return False
    names = frozenset(word for name, _ in _references(reason) for word in stems(" ".join(words(name))))
    rest = _SELF.sub(" ", _DIFFER.sub(" ", clause))
    return is_plain_rest(reason, rest, _SAID | names, least=1) or bool(_ONE.search(clause))


def differ_all(reason: Reason) -> str:
    """What stands against a reason which says that two arguments are the same; "" where nothing does."""
    given = _references(reason)
    named = [name for name, _ in given if stems(name) and stems(name) <= stems(reason.text)]
    both = len(named) > 1 and _DIFFER.search(reason.text)
    if len(given) < 2 or same_arguments(reason) or not (_ONE.search(reason.text) or both):
        return ""
    return "the arguments name different things"
