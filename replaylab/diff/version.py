"""Which detector this is: a digest over the sources that a contract check depends on, so that no result outlives a rule."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from replaylab.canonical import digest, digest_bytes

_ROOMS = ("canonical.py", "checks", "derive", "diff", "faults", "roles", "schema", "wire")


@cache
def detector_version() -> str:
    """Changes whenever a rule of the check, of the trial or of the parsers does."""
    root = resources.files("replaylab")
    sources: dict[str, str] = {}
    for room in _ROOMS:
        sources.update(_sources(root / room, room))
    return digest({"v": "detector/1", "sources": sources})[:16]


def _sources(part: Traversable, name: str) -> Iterator[tuple[str, str]]:
    """The digests of the sources in a room, and in the rooms in it."""
    if part.is_file():
        if name.endswith(".py"):
            yield name, digest_bytes(part.read_bytes())
        return
    for one in part.iterdir():
        yield from _sources(one, f"{name}/{one.name}")
