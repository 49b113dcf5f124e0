"""Which field of a row names the thing that the row is about."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.diff.words.identity import key_of, stem, stems, words
from replaylab.diff.words.lexicon import ID_WORDS, NAME_WORDS, REFERENCE_WORDS
from replaylab.schema.base import Json, JsonObject

MAX_NAME = 60  # a longer text is a sentence and names nothing
LEAST_NUMBER = 100  # smaller numbers are counts, places and bounds, and no names


def key_field_of(rows: Sequence[JsonObject], name: str) -> str:
    """The field that holds the ids of rows: in all of them, different in each, and named like one; "" where none is."""
    candidates = [field for field in rows[0] if all(key_of(row.get(field)) for row in rows)]
    unique = [field for field in candidates if len({key_of(row[field]) for row in rows}) == len(rows)]
    ranked = sorted(unique, key=lambda field: -rank_key(field, name, rows[0], len(rows)))
    best = ranked[0] if ranked else ""
    return best if best and rank_key(best, name, rows[0], len(rows)) > 0 else ""


def rank_key(field: str, name: str, row: JsonObject, count: int = 1) -> float:
    """How well a field of a row of `name` would serve as its id; 0 for one that does not look like any."""
    parts = words(field)
    if not parts or not isinstance(row.get(field), (str, int)) or len(str(row[field])) > MAX_NAME:
        return 0
    own = {stem(part) for part in parts[:-1]}
    first = next(iter(row)) == field
    if parts[-1] in ID_WORDS:
        if not own:
            return 6 if parts[-1] == "id" else 4
        return 5 if own & stems(name) else 3.5 if first else 2
    if parts[-1] in NAME_WORDS:
        return 3 if not own or own & stems(name) else 1.5 if first else 1
    if parts[-1] in ("time", "date", "timestamp", "at") and isinstance(row[field], str):
        return 0.5 if count > 1 else 0
    singular = {stem(part) for part in words(name)}
    if own | {stem(parts[-1])} <= singular:
        return 3.5 if first and count > 1 else 2.5  # `order` of orders, before their `title`
    return 1 if first and isinstance(row[field], str) and count > 1 and _is_short(row[field]) else 0


def _is_short(text: str) -> bool:
    return len(text.split()) <= 4 and not text.replace("-", "").replace(":", "").isdigit()


def is_name(value: Json) -> bool:
    """Whether a value of a plain list can name something: a short text, or a number too large for a count."""
    if isinstance(value, str):
        return 0 < len(value) <= MAX_NAME
    return isinstance(value, int) and not isinstance(value, bool) and value >= LEAST_NUMBER


def is_reference(key: str) -> bool:
    """Whether an argument names something, by what it is called."""
    parts = words(key)
    return bool(parts) and (parts[-1] in REFERENCE_WORDS or len(parts) == 1)
