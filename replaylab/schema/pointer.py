"""JSON pointers (RFC 6901), as findings use them to name a place in a value."""

from __future__ import annotations

from replaylab.schema.base import Json


def unescape(part: str) -> str:
    """The key that one part of a pointer spells."""
    return part.replace("~1", "/").replace("~0", "~")


def lookup(value: Json, pointer: str) -> Json:
    """What a pointer leads to; `...` where it leads nowhere."""
    start, *parts = pointer.split("/")
    if start:
        return ...
    for key in map(unescape, parts):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        else:
            return ...
    return value
