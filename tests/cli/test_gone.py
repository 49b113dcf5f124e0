from __future__ import annotations

from replaylab.canonical import digest
from replaylab.cli.gone import gone_document, gone_lines
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Tombstone


def stone(name: str, reason: str) -> Tombstone:
    return Tombstone(
        format=TOMBSTONE_FORMAT, cassette=digest(name), why="purged", size=1, reason=reason, when="2026"
    )


def test_reasons_are_counted() -> None:
    gone = {name: stone(name, reason) for name, reason in (("a", "one"), ("b", "two"), ("c", "one"))}
    assert list(gone_lines(gone)) == [
        "purged: 2 cassettes (one); nothing of it is left to check",
        "purged: 1 cassette (two); nothing of it is left to check",
    ]
    assert gone_document(gone) == {
        "gone": {name: {"why": "purged", "reason": one.reason} for name, one in gone.items()}
    }


def test_where_nothing_is_gone_nothing_is_said() -> None:
    assert list(gone_lines({})) == []
    assert gone_document({}) == {}
