"""What is recorded of a run, as a session looks it up: by lane in order, and by key."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.cassette.tape import lane_messages
from replaylab.engine.captured.header import CLIENT, MAIN, RETRIES, lane_and_part
from replaylab.engine.captured.rules import Parts, Rules, parts_of_row
from replaylab.errors import CassetteGone
from replaylab.schema.base import Json
from replaylab.schema.callpath import TrialKey
from replaylab.schema.interaction import Attempt, Interaction
from replaylab.schema.outcome import body_bytes
from replaylab.schema.run import Run
from replaylab.store.library import Library


class Part:
    """One cassette of a run, with what is worked out of it once."""

    def __init__(self, cassette: Cassette) -> None:
        self.cassette = cassette
        self.rows: Sequence[Interaction] = cassette.lanes.get(CLIENT, [])

    @cached_property
    def messages(self) -> list[list[str]]:
        """The digests of the messages of each request."""
        return lane_messages(self.rows)

    def value(self, name: str) -> Json:
        return self.cassette.blob(name).value

    def raw(self, name: str) -> bytes:
        return base64.b64decode(self.cassette.blob(name).b64 or "")

    def parts(self, ordinal: int) -> Parts:
        """A request by its parts."""
        return parts_of_row(self.rows[ordinal].request, self.messages[ordinal], self.value, self.raw)


@dataclass(eq=False)
class Entry:
    """One recorded interaction. `served` is how many of its attempts were given out, 0 for one that nobody asked for.

    `later` are the attempts that were added when its run was extended: it was sealed before its retry came.
    """

    part: Part
    ordinal: int
    lane: str
    key: str
    served: int = field(default=0)
    later: list[Attempt] = field(default_factory=list)

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return (*self.row.attempts, *self.later)

    @property
    def row(self) -> Interaction:
        return self.part.rows[self.ordinal]

    @property
    def path(self) -> str:
        return self.row.path


class Recorded:
    """The interactions of a run. `gone` names the parts that were purged or redacted."""

    def __init__(self, library: Library, run: Run | None, rules: Rules) -> None:
        self.lanes: dict[str, list[Entry]] = {}
        self.gone: list[str] = []
        parts = sorted(
            (*lane_and_part(TrialKey.parse(entry.key).task), entry.counting.cassette)
            for entry in (run.ledger if run else ())
            if entry.counting
        )
        broken: set[str] = set()
        for lane, number, name in parts:
            if lane in broken:
                continue
            try:
                part = Part(open_cassette(library, name))
            except CassetteGone as gone:
                self.gone.append(f"{lane}@{number} was {gone.why}")
                if lane != MAIN:
                    broken.add(lane)  # what follows in a lane that is held to its order has no place any more
                continue
            entries = self.lanes.setdefault(lane, [])
            for ordinal, row in enumerate(part.rows):
                if row.extra is not None and (entry := self._retried(entries, row.extra)) is not None:
                    entry.later += row.attempts
                    continue
                key = rules.key(part.parts(ordinal)) if rules else row.request.digest
                entries.append(Entry(part, ordinal, lane, key))

    @staticmethod
    def _retried(entries: Sequence[Entry], extra: Json) -> Entry | None:
        """The interaction of the same lane whose attempts are gone on with, if it is there."""
        path = extra.get(RETRIES) if isinstance(extra, dict) else None
        return next((one for one in reversed(entries) if one.path == path), None)

    @cached_property
    def by_key(self) -> dict[str, list[Entry]]:
        """Those of clients that named no lane, in the order in which they were asked."""
        found: dict[str, list[Entry]] = {}
        for entry in self.lanes.get(MAIN, ()):
            found.setdefault(entry.key, []).append(entry)
        return found

    @cached_property
    def endpoints(self) -> dict[str, str]:
        """Each endpoint that was asked, with its address as far as it is known."""
        found: dict[str, str] = {}
        for entry in self:
            facts = entry.part.cassette.header.capture
            known = facts.endpoints.get(entry.row.request.alias, "") if facts else ""
            found[entry.row.request.alias] = found.get(entry.row.request.alias) or known
        return dict(sorted(found.items()))

    @cached_property
    def by_digest(self) -> dict[str, list[Entry]]:
        """The same by the digest of the request as it was asked, before the rules."""
        found: dict[str, list[Entry]] = {}
        for entry in self.lanes.get(MAIN, ()):
            found.setdefault(entry.row.request.digest, []).append(entry)
        return found

    def __iter__(self) -> Iterator[Entry]:
        """All of them: those without a lane first, then lane by lane."""
        for lane in sorted(self.lanes, key=lambda name: (name != MAIN, name)):
            yield from self.lanes[lane]

    def __len__(self) -> int:
        return sum(map(len, self.lanes.values()))

    def exchangeable(self) -> list[list[Entry]]:
        """Identical requests that were asked at the same time and answered differently: any of their answers may have
        been meant for any of them. Only those that were given out now.
        """
        return [
            group
            for entries in self.by_key.values()
            if len(entries) > 1
            for group in _overlapping([one for one in entries if one.served])
            if len({_answer(one.row) for one in group}) > 1
        ]


def _overlapping(entries: Sequence[Entry]) -> list[list[Entry]]:
    """Groups of two or more whose times overlap, each with another one of its group."""
    spans = sorted((_span(entry.part, entry.row), at) for at, entry in enumerate(entries))
    groups: list[list[Entry]] = []
    ends: tuple[str, float] = ("", 0.0)
    for (clock, start, end), at in spans:
        if groups and clock == ends[0] and start < ends[1]:
            groups[-1].append(entries[at])
            ends = (clock, max(end, ends[1]))
        else:
            groups.append([entries[at]])
            ends = (clock, end)
    return [group for group in groups if len(group) > 1]


def _span(part: Part, row: Interaction) -> tuple[str, float, float]:
    """(which clock, from, to). Parts of one session were begun at the same time and share a clock."""
    first, last = row.attempts[0], row.attempts[-1]
    return part.cassette.header.created, first.started_ms, last.started_ms + last.latency_ms


def _answer(row: Interaction) -> tuple[object, ...]:
    return tuple((one.status, one.complete, body_bytes(one)) for one in row.attempts)
