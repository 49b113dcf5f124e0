from __future__ import annotations

import pytest
from pydantic import ValidationError

from replaylab.canonical import digest
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Tombstone

PURGED = {
    "format": TOMBSTONE_FORMAT,
    "cassette": digest("x"),
    "why": "purged",
    "size": 3,
    "reason": "a key",
    "when": "2026-01-01T00:00:00Z",
}


def test_a_purge_says_why_and_when() -> None:
    assert Tombstone.model_validate(PURGED).kept is None
    for field, value in (
        ("reason", ""),
        ("reason", "  "),
        ("reason", "a\nsound"),
        ("reason", "\x1b[1m"),
        ("when", "2026\n"),
        ("when", ""),
        ("size", -1),
        ("cassette", "x"),
    ):
        with pytest.raises(ValidationError):
            Tombstone.model_validate({**PURGED, field: value})


def test_only_what_was_redacted_keeps_digests() -> None:
    with pytest.raises(ValidationError, match="leaves its digests"):
        Tombstone.model_validate({**PURGED, "why": "redacted"})
