"""Seeded: a contract violation that a built-in simulator committed on purpose. It is the truth that a check is measured with.

A model says what it seeded in a response header, beside the answer and not in it. The header is recorded with the attempt,
and becomes a label of the cassette; no agent, no prompt and no check reads either.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import ValidationError

from replaylab.schema.base import Frozen, Json
from replaylab.schema.violation import CheckedFor

SEEDED_HEADER = "x-replaylab-seeded"
SEEDED = "violation"  # the kind of its label


class Seeded(Frozen):
    """One thing that was said against the contract. `shape` is how; `entity` is "" where it is about none.

    `pointer` leads into the observation that was given, `expected` is what the truth would have been there.
    """

    kind: CheckedFor
    shape: str
    entity: str = ""
    pointer: str = ""
    expected: Json = None
    observed: Json = None


def to_header(seeded: Sequence[Seeded]) -> dict[str, str]:
    """The response headers that say what was seeded; none where nothing was."""
    if not seeded:
        return {}
    rows = [one.to_json() for one in seeded]
    return {SEEDED_HEADER: json.dumps(rows, ensure_ascii=True, sort_keys=True, separators=(",", ":"))}


def from_headers(headers: Mapping[str, str]) -> tuple[Seeded, ...]:
    """What recorded headers say was seeded. A header of this name that no built-in model wrote counts as none."""
    try:
        rows = json.loads(headers.get(SEEDED_HEADER, "[]"))
        return tuple(Seeded.model_validate(row) for row in rows)
    except (ValueError, TypeError, ValidationError):
        return ()
