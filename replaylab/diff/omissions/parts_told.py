"""Lists of which the contract says that they show a part: "`rentals` are those of the pass that are out"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from replaylab.diff.calls.looking import Look
from replaylab.diff.contract.collection import Collection, Entity
from replaylab.diff.omissions.filters import is_status
from replaylab.diff.words.identity import key_of, stems, words
from replaylab.diff.words.lexicon import COMMON

_NARROWS = (
    r"(?:^|[:;,.] )\W*{name}\W+(?:is|are|lists?|shows?|holds?|names?)\b[^.;]*"
    r"\b(?:(?:that|which|who) (?:is|are|were|was|have|has)|not|still|only|now|until|yet)\b"
)

# What is said of things behind their name: which of them are meant.
_QUALIFIED = re.compile(
    r"\b(?P<head>\w+),? (?:(?:that|which|who|whose|without|not|still|yet|due|in need)\b|to (?!be (?:shown|listed)))(?P<what>[^.;:(]+)",
    re.IGNORECASE,
)
_BEFORE = 2  # words before what a tool says that it shows: "Lists all rooms to clean"
_OPEN = stems(
    "match matches meet meets fit fits pass passes satisfy filter filters criteria criterion condition conditions argument arguments "
    "given asked chosen selected stand stands belong belongs list listed exist known part parts registered page id ids start end date day"
)


def is_told_part(look: Look, name: str) -> bool:
    """Whether a sentence that begins with a list's name says which of its things it shows, by how they stand."""
    if not name:
        return False
    narrows, tool = re.compile(_NARROWS.format(name=re.escape(name)), re.IGNORECASE), look.step.tool.name
    about = [one for one in look.contract.sentences if one.tool == tool or tool in one.text]
    return any(
        narrows.search(one.text) and any(one.text in each.text for each in about)
        for one in look.contract.sentences
    )


def is_narrowed(look: Look) -> bool:
    """Whether what a tool says of itself, where nothing is asked for, picks some of the things that it shows: "Rooms to clean", "Bins that
    hold something".
    """
    tool = look.step.tool
    if any(value not in (None, "", [], {}) for value in look.step.arguments.values()):
        return False
    taken = frozenset[str]().union(*(stems(one) for one in tool.parameters.get("properties", {})))
    for found in _QUALIFIED.finditer(tool.description.partition(". ")[0]):
        said = stems(found["what"]) - COMMON - _OPEN - taken - look.contract.sorts
        early = len(words(tool.description[: found.start()])) <= _BEFORE
        if early and stems(found["head"]) & (look.contract.sorts | stems(tool.name)) and said:
            return True
    return False


def stands_like_one(collection: Collection, entity: Entity, shown: Sequence[Entity]) -> bool:
    """Whether a member stands like one that is shown: by status, by yes and no, and by what is empty in some."""
    own = _standing(collection, entity)
    return any(_standing(collection, one) == own for one in shown)


def _standing(collection: Collection, entity: Entity) -> dict[str, str]:
    told: dict[str, str] = {}
    for field in sorted(collection.facts):
        value = entity.facts.get(field)
        if any(one.facts.get(field) is None for one in collection.entities):
            told[field] = "empty" if value is None else "filled"
        elif isinstance(value, bool) or (is_status(field, collection) and isinstance(value, str)):
            told[field] = key_of(value) or str(value)
    return told
