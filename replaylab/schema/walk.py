"""Walks through JSON values."""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.schema.base import Json


def texts(value: Json, *, keys: bool = True) -> Iterator[str]:
    """Every string in a value, in the order of the document; names of fields too, before what they hold, if `keys`."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, part in value.items():
            if keys:
                yield key
            yield from texts(part, keys=keys)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts(part, keys=keys)
