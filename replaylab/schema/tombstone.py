"""Tombstone: what stands in the place of a cassette whose content was removed."""

from __future__ import annotations

import re
from typing import Literal, Self

from pydantic import Field, model_validator

from replaylab.schema.base import DigestField, Frozen
from replaylab.schema.cassette import Header, Seal
from replaylab.schema.interaction import FailureKind, Usage

# A reason is shown as one line wherever it stands: it must not look like lines of the program that shows it.
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
TOMBSTONE_FORMAT = "replaylab.tombstone/1"


class KeptInteraction(Frozen):
    """What is left of an interaction: enough to compute its outcome digest again, and no word of it.

    `status`, `failure`, `complete` and `body` (the SHA-256 of the body's bytes) are those of the last attempt.
    """

    path: str
    request: DigestField
    outcome: DigestField
    status: int | None = None
    failure: FailureKind | None = None
    complete: bool = True
    body: DigestField
    attempts: int = 1
    usage: Usage | None = None
    answered_by: str = ""
    fingerprint: str = ""


class Kept(Frozen):
    """What is left of a redacted cassette: header and seal as they were, and the digests of each lane in order."""

    header: Header
    lanes: dict[str, tuple[KeptInteraction, ...]]
    seal: Seal


class Tombstone(Frozen):
    """Names the cassette that is not here any more, says why, and is never read as one.

    `purged`: nothing of it is left, on somebody's request. `redacted`: what was said is left out of a pack, and `kept`
    has the digests. `size` is that of the cassette's file.
    """

    format: str
    cassette: DigestField
    why: Literal["purged", "redacted"]
    size: int = Field(ge=0)
    reason: str = Field(default="", max_length=2000)
    when: str = ""
    kept: Kept | None = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.why == "redacted") != (self.kept is not None):
            raise ValueError("a redacted cassette leaves its digests, a purged one nothing")
        if self.why == "purged" and not (self.reason.strip() and self.when):
            raise ValueError("a purged cassette has a reason and a time")
        if CONTROL.search(self.reason) or CONTROL.search(self.when):
            raise ValueError("a reason is one line of text")
        return self
