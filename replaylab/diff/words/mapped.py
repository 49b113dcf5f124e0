"""Whether the keys of an object are data, as in a map from ids to things, or names of fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from replaylab.diff.words.identity import stems, words
from replaylab.diff.words.lexicon import MAPPED
from replaylab.schema.base import Json, JsonObject

_KEYED = re.compile(
    r"\bkeys (?:are|being) (?:[\w-]+ ){0,2}?(?:ids?|identifiers|names|codes|symbols|numbers)\b", re.IGNORECASE
)


def map_shape(node: JsonObject, told: str = "", *, named: bool = False) -> Literal["map", "values"] | None:
    """Whether the keys of an object are data and not names of fields, and what they lead to.

    `told` is what the description says of it; `named` is set where the object is named after something tools take ids of.
    """
    if not node:
        return None
    inner = list(node.values())
    told_so = bool(stems(told) & MAPPED) or _KEYED.search(told) is not None
    named = named and not any(words(key)[-1:] == ("id",) for key in node)  # it has an id itself
    data = [is_data(key) for key in node]
    if all(isinstance(part, dict) for part in inner):
        keyed = any(data) or named or told_so
        return "map" if keyed or (len(inner) > 1 and _alike(inner)) else None
    kinds = {_kind(part) for part in inner}
    if len(kinds) != 1 or "dict" in kinds:
        return None
    if kinds == {"list"}:
        return "map" if any(data) else None
    keyed = all(data) or (len(node) > 1 and (named or told_so))
    return "values" if keyed else None


def _kind(value: Json) -> str:
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, (int, float)):
        return "number"
    return type(value).__name__


def _alike(rows: Sequence[JsonObject]) -> bool:
    """Whether objects have the same fields, most of them."""
    counts = Counter(key for row in rows for key in row)
    common = sum(1 for count in counts.values() if count == len(rows))
    return bool(counts) and common / len(counts) >= 0.5


def is_data(key: str) -> bool:
    """Whether a key can't be the name of a field: it has capitals, digits, blanks or signs other than _."""
    return not key.replace("_", "a").isalnum() or any(char.isupper() for char in key) or _is_numbered(key)


def _is_numbered(key: str) -> bool:
    return key.isdigit() or (len(words(key)) > 1 and words(key)[-1].isdigit() and "_" in key)
