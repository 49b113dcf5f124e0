"""The playing side of a session: which recorded interaction a question is, and which attempt of it is served.

Not thread-safe: the session's lock is held. What a question costs depends on no number of recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replaylab.engine.captured.header import MAIN
from replaylab.engine.captured.recorded import Entry, Recorded
from replaylab.schema.interaction import Attempt

_LOOKED_AT = 20


def may_be_retried(attempt: Attempt) -> bool:
    """Whether an SDK may try again after it."""
    return (
        attempt.failure is not None
        or not attempt.complete
        or attempt.status is None
        or attempt.status in (408, 409, 425, 429)
        or attempt.status >= 500
    )


class Found(NamedTuple):
    """`entry` is what is played, None for nothing. `recorded` and `asked` count; `stands` is what stands in its place."""

    entry: Entry | None
    recorded: int
    asked: int
    stands: Entry | None = None


@dataclass
class _Again:
    """What a retry may be meant for: those with attempts left, in order, and the one that was served last."""

    left: list[Entry] = field(default_factory=list)
    last: Entry | None = None


class Played:
    """The recording of a run, as far as it was asked for. `relaxed` counts what only the normalisers made match."""

    def __init__(self, recorded: Recorded) -> None:
        self.recorded = recorded
        self.relaxed = 0
        self.blurred: dict[str, None] = {}  # keys of which such a match may have been another recording's
        self._asked: dict[str, int] = {}
        self._behind: dict[tuple[str, bool], int] = {}
        self._cursor: dict[str, int] = {}
        self._again: dict[tuple[str, str], _Again] = {}

    def again(self, lane: str, key: str, retry: int) -> tuple[Entry, Attempt] | None:
        """The attempt for a retry of what was served: the next one recorded, else the final one. None: none was served."""
        found = self._again.get((lane, key))
        if found is None or found.last is None:
            return None
        entry = next((one for one in found.left if one.served == retry), None) or next(
            iter(found.left), found.last
        )
        return entry, self._serve(found, entry, retry)

    def unanswered(self, lane: str, key: str) -> Entry | None:
        """What was served last of that request, where all its attempts failed: its retry is not recorded yet."""
        found = self._again.get((lane, key))
        if found is None or found.left or found.last is None:
            return None
        return found.last if may_be_retried(found.last.attempts[-1]) else None

    def next(self, lane: str, key: str, digest: str) -> Found:
        """What stands at the next place: of its lane where it names one, else of all requests of that key.

        Where rules make several recorded requests equal, one that was asked just so (its `digest`) goes first.
        """
        if lane == MAIN:
            return self._by_content(key, digest)
        entries, at = self.recorded.lanes.get(lane, []), self._cursor.get(lane, 0)
        self._cursor[lane] = at + 1
        if at >= len(entries):
            return Found(None, len(entries), at + 1)
        if entries[at].key != key:
            return Found(None, len(entries), at + 1, entries[at])
        return Found(entries[at], len(entries), at + 1)

    def _by_content(self, key: str, digest: str) -> Found:
        entries, asked = self.recorded.by_key.get(key, []), self._asked.get(key, 0) + 1
        self._asked[key] = asked
        same = self.recorded.by_digest.get(digest, [])
        entry = self._waiting((digest, True), same) or self._waiting((key, False), entries)
        if entry is not None and entry.row.request.digest != digest and self._differ(entries):
            self.blurred[key] = None
        return Found(entry, len(entries), asked)

    def _waiting(self, name: tuple[str, bool], entries: Sequence[Entry]) -> Entry | None:
        """The first that nobody asked for."""
        at = self._behind.get(name, 0)
        while at < len(entries) and entries[at].served:
            at += 1
        self._behind[name] = at
        return entries[at] if at < len(entries) else None

    @staticmethod
    def _differ(entries: Sequence[Entry]) -> bool:
        """Whether several different requests are among them; those at the ends stand for the rest of a long list."""
        near = (*entries[:_LOOKED_AT], *entries[-_LOOKED_AT:])
        return len({entry.row.request.digest for entry in near}) > 1

    def serve(self, entry: Entry, retry: int, digest: str) -> Attempt:
        """Its attempt for that retry. `digest` is that of the request as it was asked now."""
        self.relaxed += entry.row.request.digest != digest
        found = self._again.setdefault((entry.lane, entry.key), _Again())
        found.last = entry
        if len(entry.attempts) > 1:
            found.left.append(entry)
        return self._serve(found, entry, retry)

    @staticmethod
    def _serve(found: _Again, entry: Entry, retry: int) -> Attempt:
        attempts = entry.attempts
        at = min(retry, len(attempts) - 1)
        entry.served = max(entry.served, at + 1)
        if entry.served == len(attempts) and entry in found.left:
            found.left.remove(entry)
        return without_waiting(attempts[at])

    def unplayed(self) -> list[Entry]:
        """What nobody asked for."""
        return [entry for entry in self.recorded if not entry.served]


def without_waiting(attempt: Attempt) -> Attempt:
    """The attempt as it is served: nobody waits for a server that was busy when this was recorded."""
    if not attempt.headers.keys() & {"retry-after", "retry-after-ms"}:
        return attempt
    headers = {name: value for name, value in attempt.headers.items() if name != "retry-after"}
    return attempt.model_copy(update={"headers": headers | {"retry-after-ms": "1"}})
