"""What commands say of cassettes that were purged or redacted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from replaylab.cli.output import counted
from replaylab.schema.tombstone import Tombstone


def gone_lines(gone: Mapping[str, Tombstone]) -> Iterator[str]:
    """What is not there, why, and what nobody can check therefore."""
    from replaylab.engine.redact import UNCHECKED

    purged = Counter(stone.reason for stone in gone.values() if stone.why == "purged")
    for reason, number in sorted(purged.items()):
        yield f"purged: {counted(number, 'cassette')} ({reason}); nothing of it is left to check"
    redacted = sum(1 for stone in gone.values() if stone.why == "redacted")
    if redacted:
        yield f"redacted: {counted(redacted, 'cassette')}; digests are there, words are not. What can't be checked:"
        yield from (f"  - {one}" for one in UNCHECKED)


def gone_document(gone: Mapping[str, Tombstone]) -> dict[str, object]:
    """The same for a program. Both fields are left out where nothing is gone."""
    from replaylab.engine.redact import UNCHECKED

    if not gone:
        return {}
    said: dict[str, object] = {
        "gone": {name: {"why": stone.why, "reason": stone.reason} for name, stone in gone.items()}
    }
    if any(stone.why == "redacted" for stone in gone.values()):
        said["unchecked"] = list(UNCHECKED)
    return said
