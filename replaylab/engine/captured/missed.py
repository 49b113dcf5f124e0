"""The misses of a session, kept as a small file for `explain-miss`: what was asked, and what came closest.

    journal/<run>/misses.json

It holds what the requests held, redacted as they were, and goes away with the next session of that run that misses nothing.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import dumps, loads
from replaylab.errors import StoreError, UsageError
from replaylab.schema.base import Json
from replaylab.store import disk
from replaylab.store.library import Library

KEPT = 50
_BODY = 1 << 18


class Kept(NamedTuple):
    """`miss` is the Miss as JSON. `asked` and `expected` are bodies, None where one was too large to be kept."""

    miss: Mapping[str, Json]
    asked: Json
    expected: Json


def misses_file(library: Library, run_name: str) -> Path:
    """Where the misses of a run's last session are."""
    return library.journal(run_name) / "misses.json"


def runs_with_misses(library: Library) -> list[str]:
    """The runs of which misses are kept, those that have no recording yet too."""
    return sorted(path.parent.name for path in (library.root / "journal").glob("*/misses.json"))


def write_misses(path: Path, kept: list[Kept]) -> bool:
    """Write them, or remove the file when there are none. False where the folder can't be written: nobody needs them."""
    rows = [
        {"miss": dict(one.miss), "asked": _small(one.asked), "expected": _small(one.expected)} for one in kept
    ]
    try:
        if rows:
            disk.make_folder(path.parent)
            disk.write_file(path, dumps(rows) + b"\n", durable=False)
        else:
            path.unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # other files are in it
                path.parent.rmdir()
    except (StoreError, OSError):
        return False
    return True


def _small(body: Json) -> Json:
    return body if body is not None and len(dumps(body)) <= _BODY else None


def read_misses(path: Path) -> list[Kept]:
    """What is kept. Raises UsageError where there is nothing, StoreError where it can't be read."""
    try:
        rows = loads(disk.read_file(path))
        return [Kept(row["miss"], row["asked"], row["expected"]) for row in rows]
    except FileNotFoundError:
        raise UsageError(
            "no miss is kept of this run: its last replay found everything, or there was none",
            where=str(path),
            fix="replay it first: replaylab capture --offline -- COMMAND",
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            f"{path.name} is damaged: {type(error).__name__}",
            where=str(path),
            fix="remove it, and replay again",
        ) from error
