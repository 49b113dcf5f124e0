"""What a tool says it leaves out of its lists, in words: "tickets that are not closed", "all but the paid ones"."""

from __future__ import annotations

import re
from collections.abc import Mapping

from replaylab.diff.contract.collection import Collection
from replaylab.diff.words.identity import stems
from replaylab.schema.base import Json
from replaylab.schema.scenario import Tool

_EXCEPTED = re.compile(
    r"(?:\bnot\b|n['’]t\b|\bnever\b|\bnor\b|\bexcept(?:ing| for)?\b|\bexclud(?:es|ing)\b|\bwithout\b|\bother than\b|\b(?:all|everything|any) but\b)"
    r"(?P<what>[^.;:()]{1,60})",
    re.IGNORECASE,
)


def excepted_words(tool: Tool, collection: Collection) -> frozenset[str]:
    """The stems of words by which a tool says what it leaves out: "tickets that are not closed", "all but the paid ones"."""
    own = collection.stems | collection.heads
    said = (found["what"] for found in _EXCEPTED.finditer(tool.description))
    return frozenset().union(*map(stems, said)) - own


def is_excepted(excepted: frozenset[str], values: Mapping[str, Json]) -> bool:
    """Whether a thing is one that a tool says it leaves out, by a flag or a text that it has."""
    return any(
        (value is True and stems(field) & excepted)
        or (isinstance(value, str) and stems(value) and stems(value) <= excepted)
        for field, value in values.items()
    )
