"""Which detector this is: a digest over the sources that a contract check depends on, so that no result outlives a rule."""

from __future__ import annotations

from functools import cache
from importlib import resources

from replaylab.canonical import digest, digest_bytes

_ROOMS = ("canonical.py", "checks", "derive", "diff", "faults", "roles", "schema", "wire")


@cache
def detector_version() -> str:
    """Changes whenever a rule of the check, of the trial or of the parsers does."""
    root = resources.files("replaylab")
    sources: dict[str, str] = {}
    for room in _ROOMS:
        part = root / room
        for file in [part] if part.is_file() else part.iterdir():
            if file.name.endswith(".py"):
                sources[f"{room}/{file.name}"] = digest_bytes(file.read_bytes())
    return digest({"v": "detector/1", "sources": sources})[:16]
