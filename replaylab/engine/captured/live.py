"""The recording side of a session: places, attempts, the journal, and sealing part by part."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from replaylab.cassette.codec import Cassette
from replaylab.cassette.request import Digested, Request
from replaylab.engine.captured.header import CLIENT, PART, PART_BYTES, RETRIES, capture_header, key_at
from replaylab.engine.captured.journal import PartJournal, holds_answers, seal_part
from replaylab.engine.captured.played import may_be_retried
from replaylab.engine.captured.usage import read_said
from replaylab.engine.gate import Stopped
from replaylab.engine.journal import RunJournal
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.cassette import Blob, Evidence
from replaylab.schema.interaction import Attempt, Interaction, RequestLine
from replaylab.schema.outcome import interaction_outcome
from replaylab.schema.run import Try
from replaylab.store.library import Library

OPEN_FILES = 64
SEALERS = 8  # parts that are sealed at once in the end: each waits for the disk more than for the processor
_LARGE = 1 << 20  # bytes of a part, of which one at a time is sealed: it is held in memory several times


class LivePart:
    """A part that is being recorded. `unsettled` are the ordinals in flight or open to a retry."""

    def __init__(self, key: TrialKey, journal: PartJournal) -> None:
        self.key, self.journal = key, journal
        self.begun = 0
        self.unsettled: set[int] = set()
        self.sealing: Future[Try | None] | None = None

    @property
    def full(self) -> bool:
        """Whether the next question of the lane begins another part."""
        return self.begun >= PART or self.journal.stored >= PART_BYTES


class Asking(NamedTuple):
    """A request that goes live. `retries` is the CallPath of a sealed interaction whose attempts it goes on with."""

    request: Request
    digested: Digested
    blobs: Mapping[str, Blob]
    retries: str = ""


@dataclass(eq=False)
class Question:
    """An interaction that is being recorded: its place, its request, and what each attempt came to."""

    part: LivePart
    ordinal: int
    row: RequestLine
    chain: Sequence[bytes]
    blobs: Mapping[str, Blob]
    extra: JsonObject | None = None
    begun: int = 0
    attempts: dict[int, Attempt] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def path(self) -> str:
        return str(CallPath(self.part.key, CLIENT, self.ordinal))

    def interaction(self) -> Interaction:
        """What it comes to so far; the attempts in the order in which they were begun."""
        attempts = tuple(self.attempts[at] for at in sorted(self.attempts))
        said = read_said(attempts[-1])
        return Interaction(
            path=self.path,
            request=self.row,
            attempts=attempts,
            usage=said.usage,
            answered_by=said.model,
            request_id=said.request_id,
            fingerprint=said.fingerprint,
            outcome=interaction_outcome(self.path, self.row.digest, attempts[-1]),
            extra=self.extra,
        )


class Live:
    """What is recorded now. `begin` is called under the session's lock, all else from any thread."""

    def __init__(
        self,
        library: Library,
        journal: RunJournal,
        facts: CaptureFacts,
        evidence: Evidence,
        now: Callable[[], str],
        first_part: Callable[[str], int],
    ) -> None:
        self._library, self._journal, self._facts, self._evidence = library, journal, facts, evidence
        self._now, self._first_part = now, first_part
        self._created = now()
        self._lock = threading.Lock()
        self._lanes: dict[str, list[LivePart]] = {}
        self._open: dict[
            tuple[str, str], list[Question]
        ] = {}  # in flight, or open to a retry, by lane and key
        self._files: dict[Path, PartJournal] = {}  # those that may be open, the longest unused first
        self._files_lock = threading.Lock()
        self._sealer = ThreadPoolExecutor(1, thread_name_prefix="seal")
        self._over = False

    def waits(self, lane: str, key: str) -> bool:
        """Whether a retry of that request would be another attempt of something recorded now."""
        with self._lock:
            return bool(self._open.get((lane, key)))

    def begin(self, lane: str, key: str, retry: int, asked: Asking) -> tuple[Question, int]:
        """Take a place: the next one of the lane, or the next attempt of the question whose last attempt failed."""
        with self._lock:
            if self._over:
                raise Stopped("the session is over")
            question = self._retried((lane, key), retry) if retry else None
            if question is None:
                question = self._placed(lane, asked)
                self._open.setdefault((lane, key), []).append(question)
            attempt, question.begun = question.begun, question.begun + 1
            return question, attempt

    def _retried(self, named: tuple[str, str], retry: int) -> Question | None:
        """The one whose attempt before this one failed; else one that is still in flight, as its client may have given
        it up before we saw that; the oldest of several.
        """
        found = self._open.get(named, [])
        failed = [one for one in found if len(one.attempts) == one.begun]
        for group in (failed, found):
            exact = [one for one in group if one.begun == retry] or [
                one for one in group if one.begun < retry
            ]
            if exact:
                return exact[0]
        return None

    def _placed(self, lane: str, asked: Asking) -> Question:
        parts = self._lanes.setdefault(lane, [])
        if not parts or parts[-1].full:
            parts.append(self._new_part(lane, self._first_part(lane) + len(parts)))
        part = parts[-1]
        ordinal, part.begun = part.begun, part.begun + 1
        part.unsettled.add(ordinal)
        row, chain = part.journal.row(asked.request, asked.digested)
        extra = {RETRIES: asked.retries} if asked.retries else None
        return Question(part, ordinal, row, chain, asked.blobs, extra)

    def _new_part(self, lane: str, number: int) -> LivePart:
        key = key_at(lane, number)
        header = capture_header(key, self._facts, self._created, self._evidence)
        path = self._journal.path_of(str(key), 0)
        return LivePart(key, PartJournal(path, header, self._journal.open_file))

    def commit(self, lane: str, key: str, question: Question, attempt_number: int, attempt: Attempt) -> None:
        """Journal what came. The question is settled by an answer that no SDK tries again after."""
        with question.lock:
            if self._over:
                raise Stopped("the session is over")
            if attempt_number in question.attempts:
                raise ValueError(f"attempt {attempt_number} of {question.path} is committed already")
            before = dict(question.attempts)
            question.attempts[attempt_number] = attempt
            row = question.interaction()
            try:
                self._make_room(question.part.journal)
                question.part.journal.append(question.ordinal, row, question.blobs, question.chain)
            except BaseException:
                question.attempts = before
                raise
            question.blobs = {}
        with self._lock:
            if len(question.attempts) == question.begun and not may_be_retried(row.final):
                self._settle((lane, key), question)

    def _make_room(self, journal: PartJournal) -> None:
        """Close files that were not used for longest, where many lanes are recorded at once."""
        with self._files_lock:
            self._files.pop(journal.path, None)
            self._files[journal.path] = journal
            for path, other in list(self._files.items())[: max(0, len(self._files) - OPEN_FILES)]:
                if other.rest(self._journal.close_file):
                    del self._files[path]

    def _settle(self, named: tuple[str, str], question: Question) -> None:
        found = self._open.get(named, [])
        if question in found:
            found.remove(question)
        if not found:
            self._open.pop(named, None)
        part = question.part
        part.unsettled.discard(question.ordinal)
        if part.full and not part.unsettled and part.sealing is None and not self._over:
            part.sealing = self._sealer.submit(self._seal, part)

    def _seal(self, part: LivePart) -> Try | None:
        part.journal.close(self._journal.close_file)
        path = part.journal.path
        if not path.exists() or not holds_answers(path):
            path.unlink(missing_ok=True)
            return None
        sealed = put_part(self._library, seal_part(path, self._now()))
        self._journal.note_sealed(str(part.key), sealed, "")
        path.unlink(missing_ok=True)
        return sealed

    def _to_seal(self, part: LivePart, sealers: ThreadPoolExecutor) -> Future[Try | None]:
        return (self._sealer if part.journal.stored > _LARGE else sealers).submit(self._seal, part)

    def seal(self) -> list[tuple[TrialKey, Try]]:
        """Seal every part, and take no more places."""
        with self._lock:
            self._over = True
            parts = [part for lane in self._lanes.values() for part in lane]
        with ThreadPoolExecutor(SEALERS, thread_name_prefix="seal") as sealers:
            futures = [part.sealing or self._to_seal(part, sealers) for part in parts]
        self._sealer.shutdown()
        found = zip((part.key for part in parts), (one.result() for one in futures), strict=True)
        return [(key, sealed) for key, sealed in found if sealed is not None]

    def stop(self) -> None:
        """Take no more places and leave what is journaled where it is."""
        with self._lock:
            self._over = True
        self._sealer.shutdown()


def put_part(library: Library, data: bytes) -> Try:
    """Store a sealed part."""
    name = library.put(data, "cassette")
    seal = Cassette(data, where=name).seal
    return Try(cassette=name, outcome=seal.outcome, verdict=seal.verdict, termination=seal.termination)
