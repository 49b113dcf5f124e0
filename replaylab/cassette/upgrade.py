"""Old formats of the cassette, read as the newest one. In memory only: a file that someone cited is never rewritten.

A step takes one line of its format, as JSON, and gives that line in the next format. What holds in every version, and
so needs no step: the file is one zstd frame of JSON lines, `type` comes first in each, the first line is the header and
says `format`, the last is the seal and says `lines`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import NamedTuple

from replaylab.errors import StoreError
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import FORMAT

Line = Callable[[JsonObject], JsonObject]


class Step(NamedTuple):
    """From one format to the next."""

    line: Line
    to: str


# Format name -> the step from it. Version 1 is the first, so there is none yet.
STEPS: dict[str, Step] = {}


def upgrade(said: object, where: str, steps: Mapping[str, Step] = STEPS, newest: str = FORMAT) -> Line | None:
    """What makes a line of format `said` one of the newest; None when it is one already.

    Raises StoreError naming the file `where` when no steps lead from `said` to the newest.
    """
    path: list[Line] = []
    at = said
    while at != newest:
        step = steps.get(at) if isinstance(at, str) else None
        if step is None:
            raise StoreError(
                f"this cassette has format {ascii(said)[:80]}; this replaylab reads {newest!r}",
                where=where,
                fix="use the replaylab that wrote it, or a newer one",
            )
        path.append(step.line)
        at = step.to
    return (lambda line: reduce(lambda row, step: step(row), path, line)) if path else None
