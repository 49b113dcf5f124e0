"""A session: one recording, or one replay, of what strangers ask.

    record     everything goes live; at the end there is a new run object
    offline    only what is recorded is answered; the rest is a MissError
    extend     recorded answers first; what is new goes live and is added. What a session recorded itself is never
               played to it

A client that names its lane is held to it: its n-th question must be the n-th recorded. Without a lane a request is found
by its content: asked for the k-th time it gets the k-th recorded answer. Places are taken when a request starts.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Literal

from replaylab.cassette.indexing import sync_index
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.header import MAIN, key_at, lane_and_part
from replaylab.engine.captured.ledger import captured_run, recover, write_run
from replaylab.engine.captured.live import Asking, Live
from replaylab.engine.captured.miss import Miss, MissError
from replaylab.engine.captured.missed import misses_file, write_misses
from replaylab.engine.captured.missing import Missing
from replaylab.engine.captured.played import Found, Played
from replaylab.engine.captured.recorded import Recorded
from replaylab.engine.captured.rules import Rules, parts_of
from replaylab.engine.gate import Stopped
from replaylab.engine.journal import RunJournal
from replaylab.engine.seams import Seams
from replaylab.errors import ReplaylabError, UsageError
from replaylab.schema.callpath import TrialKey
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.cassette import Evidence
from replaylab.schema.interaction import Attempt
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.redact import REDACTION_VERSION

Mode = Literal["record", "offline", "extend"]


class Place:
    """The place of one attempt, taken when the request started.

    `path` is its CallPath. `recorded` is the attempt to serve (its `retry-after` is one millisecond); None: go live, and
    commit what came. `started_ms` is when it began, on the recording's clock.
    """

    def __init__(
        self,
        path: str,
        recorded: Attempt | None,
        clock: Callable[[], float],
        commit: Callable[[Attempt], None] | None = None,
    ) -> None:
        self.path, self.recorded = path, recorded
        self._clock, self._commit = clock, commit
        self.started_ms = clock()

    def elapsed_ms(self) -> float:
        """Milliseconds since this place was taken."""
        return round(self._clock() - self.started_ms, 3)

    def commit(self, attempt: Attempt) -> None:
        """Record what came, an answer or a failure; it is journaled when this returns. Commit before the client has the
        end of its answer. `started_ms` is filled in where it is 0. A place that is never committed is not recorded.
        """
        if self._commit is None:
            raise ValueError(f"{self.path} is played and not recorded")
        if not attempt.started_ms:
            attempt = attempt.model_copy(update={"started_ms": self.started_ms})
        self._commit(attempt)


class Session:
    """One run of a library, recorded or played. Thread-safe; one a run and process: `record` and `extend` hold its lock.

    Opening seals what a killed recording of that run left behind. `evidence` is `imported` where exchanges come from
    another tool's file. Offline the run has to be there, unless it `may_be_new`: then every question is a miss.
    """

    def __init__(
        self,
        library: Library,
        run_name: str,
        mode: Mode,
        seams: Seams,
        *,
        rules: Rules | None = None,
        facts: CaptureFacts | None = None,
        evidence: Evidence = "recorded",
        may_be_new: bool = False,
    ) -> None:
        self.library, self.run_name, self.mode = library, run_name, mode
        self._may_be_new = may_be_new
        self._seams, self._rules, self._evidence = seams, rules or Rules(), evidence
        self._lock = threading.Lock()
        self._held = contextlib.ExitStack()
        self._notes: list[str] = []
        self._result: Run | None = None
        self._left: ReplaylabError | None = None
        self._over = self.misses_kept = False
        self._started = seams.elapsed_ms()
        self._journal = RunJournal(library.journal(run_name))
        try:
            self._open(facts or CaptureFacts())
        except BaseException:
            self._held.close()
            raise

    def _open(self, facts: CaptureFacts) -> None:
        if self.mode == "offline":
            self._recover_if_possible()
        else:
            self._held.enter_context(self.library.lock(self.run_name))
            self._notes += recover(self.library, self.run_name, self._journal, self._seams.now())
        self._before = captured_run(self.library, self.run_name)
        if self.mode == "offline" and self._before is None and not self._may_be_new:
            self._before = self._by_id()
        self._run_id = self._before[0] if self._before else ""
        played = self._before[1] if self._before and self.mode != "record" else None
        recorded = Recorded(self.library, played, self._rules)
        self._played = Played(recorded)
        self._missing = Missing(recorded, self._rules, self.run_name)
        for gone in recorded.gone:
            self._notes.append(f"{gone}: what it held is not played")
        self._live: Live | None = None
        if self.mode != "offline":
            extends = self._run_id if played else None
            known = facts.model_copy(
                update={
                    "rules": self._rules.rules,
                    "redaction": REDACTION_VERSION,
                    "extends": extends or None,
                }
            )
            next_part = _next_parts(played)
            self._live = Live(
                self.library,
                self._journal,
                known,
                self._evidence,
                self._seams.now,
                lambda lane: next_part.get(lane, 0),
            )

    def _by_id(self) -> tuple[str, Run]:
        """A run by its id; raises UsageError with what comes closest where there is none, or it holds trials."""
        try:
            run_id, run = self.library.run(self.run_name)
        except UsageError as error:
            if self._left is None:
                raise
            raise UsageError(
                f"{error.what}; {self._notes[-1]}", where=self._left.where, fix=self._left.fix
            ) from error
        if run.holds_trials:
            captured_run(self.library, run.name)
        return run_id, run

    def _recover_if_possible(self) -> None:
        """Offline nothing must be written; what a killed recording left is sealed where that is possible."""
        if not self._journal.folder.is_dir() or not (self._journal.files() or self._journal.sealed()):
            return
        try:
            with self.library.lock(self.run_name):
                self._notes += recover(self.library, self.run_name, self._journal, self._seams.now())
        except ReplaylabError as error:
            self._left = error
            self._notes.append(
                f"what a recording of this run left in the journal is not played: {error.what}"
            )

    def _clock(self) -> float:
        return round(self._seams.elapsed_ms() - self._started, 3)

    def begin(self, asked: Exchange) -> Place:
        """Take the place, now. Raises MissError where nothing that may be played is recorded and nobody may be asked."""
        lane = asked.lane or MAIN
        key_at(lane, 0)
        request = asked.request()
        digested, parts = parts_of(request)
        with self._lock:
            if self._over:
                raise Stopped("the session is over")
            key = self._rules.key(parts) if self._rules else digested.digest
            retries = self._unanswered(lane, key) if asked.retry else ""
            place, found = (
                (None, Found(None, 0, 1))
                if retries
                else self._recorded_place(lane, key, asked.retry, digested.digest)
            )
            if place is None and self._live is not None and found.stands is None:
                asking = Asking(request, digested, parts.blobs, retries)
                return self._live_place(self._live, lane, key, asked.retry, asking)
        if place is not None:
            return place
        raise MissError(self._missing.add(asked, key, parts, found))

    def _recorded_place(self, lane: str, key: str, retry: int, digest: str) -> tuple[Place | None, Found]:
        nothing = Found(None, 0, 1)
        if self.mode == "record" or (retry and self._live and self._live.waits(lane, key)):
            return None, nothing
        if retry and (again := self._played.again(lane, key, retry)) is not None:
            entry, attempt = again
            return Place(entry.path, attempt, self._clock), nothing
        found = self._played.next(lane, key, digest)
        if found.entry is None:
            return None, found
        attempt = self._played.serve(found.entry, retry, digest)
        return Place(found.entry.path, attempt, self._clock), found

    def _unanswered(self, lane: str, key: str) -> str:
        """The CallPath of a recorded question that this is a retry of, where all that is recorded of it failed and it
        may go live: its recorder was killed before the retry.
        """
        if self._live is None or self._live.waits(lane, key):
            return ""
        entry = self._played.unanswered(lane, key)
        return entry.path if entry else ""

    def _live_place(self, live: Live, lane: str, key: str, retry: int, asking: Asking) -> Place:
        question, number = live.begin(lane, key, retry, asking)
        return Place(
            question.path,
            None,
            self._clock,
            lambda attempt: live.commit(lane, key, question, number, attempt),
        )

    @property
    def misses(self) -> Sequence[Miss]:
        """What was asked and not answered, in order; the first thousand."""
        return tuple(self._missing.listed)

    @property
    def missed(self) -> int:
        """How many questions were not answered."""
        return self._missing.count

    @property
    def relaxed(self) -> int:
        """How many questions only the normalisers made match."""
        return self._played.relaxed

    @property
    def endpoints(self) -> dict[str, str]:
        """The endpoints that are recorded, with their addresses; none while recording anew."""
        return self._played.recorded.endpoints

    def unplayed(self) -> Sequence[str]:
        """The CallPaths of recorded interactions that nobody asked for."""
        with self._lock:
            return [entry.path for entry in self._played.unplayed()]

    def warnings(self) -> Sequence[str]:
        """What a user should know: answers that may have changed places, what a killed recording left behind."""
        with self._lock:
            groups = self._played.recorded.exchangeable()
            groups_blurred = [self._played.recorded.by_key[key] for key in self._played.blurred]
        swapped = [
            f"{len(group)} identical requests were asked at the same time and answered differently; which of them gets "
            f"which answer may have changed: {', '.join(one.path for one in group[:5])}"
            + (" …" if len(group) > 5 else "")
            for group in groups
        ]
        matching = "1 request matches" if self.relaxed == 1 else f"{self.relaxed} requests match"
        relaxed = [f"{matching} what is recorded by the normaliser rules alone"]
        blurred = [
            f"the normaliser rules make {len(group)} recorded requests equal that are not; one that was asked now may have got "
            f"the answer of another: {', '.join(one.path for one in group[:5])}"
            + (" …" if len(group) > 5 else "")
            for group in groups_blurred
        ]
        return [*self._notes, *swapped, *(relaxed if self.relaxed else ()), *blurred]

    @property
    def run_id(self) -> str:
        """The id of the run object that is played, and after `seal` of the one that was made; "" for none."""
        return self._run_id

    def seal(self) -> Run | None:
        """End the session and seal what was recorded. None when nothing was recorded: no empty cassette and no run.

        Calling it again gives the same answer.
        """
        with self._lock:
            if self._over:
                return self._result
            self._over = True
        try:
            if self._live is not None:
                self._write(self._live)
        finally:
            self._end()
        return self._result

    def _write(self, live: Live) -> None:
        sealed = live.seal()
        if not sealed:
            self._journal.clear_sealed()
            return
        self._run_id, self._result = write_run(
            self.library,
            self.run_name,
            sealed,
            before=self._before,
            extends=self._before[1] if self._before and self.mode == "extend" else None,
            created=self._seams.now(),
            evidence=self._evidence,
        )
        self._journal.clear_sealed()
        sync_index(self.library)

    def close(self) -> None:
        """End without sealing: what is journaled stays for the next session of that run. After `seal` it does nothing."""
        with self._lock:
            if self._over:
                return
            self._over = True
        if self._live is not None:
            self._live.stop()
        self._end()

    def _end(self) -> None:
        self._journal.close()
        if self.mode != "record":
            kept = self._missing.kept
            self.misses_kept = write_misses(misses_file(self.library, self.run_name), kept) and bool(kept)
            if kept and not self.misses_kept:
                self._notes.append(
                    "the library can't be written, so explain-miss will know nothing of the misses"
                )
        self._held.close()


def _next_parts(run: Run | None) -> dict[str, int]:
    """The number of the next part of each lane."""
    found: dict[str, int] = {}
    for entry in run.ledger if run else ():
        lane, part = lane_and_part(TrialKey.parse(entry.key).task)
        found[lane] = max(found.get(lane, 0), part + 1)
    return found
