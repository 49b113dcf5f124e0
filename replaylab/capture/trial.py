"""What an agent of the user's own asks through the proxy: the places are in the lanes of its trial.

An SDK that tries again sends another request, and what it gets is another attempt of the same interaction. So an attempt
that may be tried again keeps its place until the retry comes, or until anything else shows that none will.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from replaylab.canonical import Digest
from replaylab.cassette.request import BlobPool, digest_request
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.session import Place
from replaylab.engine.captured.usage import read_said
from replaylab.engine.gate import Stopped
from replaylab.errors import ReplaylabError
from replaylab.foreign.own import OwnCalls, OwnPlace
from replaylab.foreign.session import TrialOver
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Interaction
from replaylab.wire.retry import is_passing


@dataclass
class _Tried:
    """A live request and its attempts so far."""

    place: OwnPlace
    attempts: list[Attempt] = field(default_factory=list)


class TrialCalls:
    """For one trial; what `capture.app.Proxy` asks for places. `gate` admits live calls and counts them."""

    def __init__(self, calls: OwnCalls, gate: AbstractContextManager[object]) -> None:
        self._calls, self._gate = calls, gate
        self._lock = threading.Lock()
        self._waiting: dict[Digest, _Tried] = {}
        self._open: dict[int, OwnPlace] = {}
        self._played: dict[Digest, Interaction] = {}

    def begin(self, asked: Exchange) -> Place:
        """Take the place, now. Raises Stopped once nothing is answered any more."""
        request = asked.request()
        digest = digest_request(request, BlobPool()).digest
        with self._lock:
            if asked.retry and digest in self._waiting:
                tried = self._waiting.pop(digest)
                self._calls.hold(tried.place.number, held=False)
                return self._live(digest, tried)
            again = self._played.get(digest)
            if asked.retry and again is not None and asked.retry < len(again.attempts):
                return self._recorded(again, asked.retry)
            self._settle()
            try:
                place = self._calls.begin(request)
                if place.recorded is None:
                    self._admit(place)
            except TrialOver as over:
                raise Stopped(str(over)) from over
            if place.recorded is None:
                return self._live(digest, _Tried(place))
            self._played[digest] = place.recorded
            return self._recorded(place.recorded, asked.retry)

    def _admit(self, place: OwnPlace) -> None:
        try:
            with self._gate:
                return
        except ReplaylabError as trouble:
            place.leave()
            raise self._calls.trip(trouble) from trouble

    def close(self) -> None:
        """Commit what still waits for a retry, and give up what was cut off. Call it when the proxy has stopped."""
        with self._lock:
            self._settle()
            for place in self._open.values():
                place.leave()

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, {}
        for tried in waiting.values():
            self._commit(tried)

    def _commit(self, tried: _Tried) -> None:
        said = read_said(tried.attempts[-1])
        self._open.pop(tried.place.number, None)
        tried.place.commit(
            tried.attempts, Completion(usage=said.usage, model=said.model, fingerprint=said.fingerprint)
        )

    def _recorded(self, row: Interaction, retry: int) -> Place:
        attempt = row.attempts[min(retry, len(row.attempts) - 1)]
        hurried = {
            name: value for name, value in attempt.headers.items() if not name.startswith("retry-after")
        }
        if hurried != attempt.headers:
            attempt = attempt.model_copy(update={"headers": hurried | {"retry-after-ms": "1"}})
        return Place(row.path, attempt, self._clock)

    def _live(self, digest: Digest, tried: _Tried) -> Place:
        def commit(attempt: Attempt) -> None:
            tried.attempts.append(attempt)
            with self._lock:
                if is_passing(attempt):
                    self._waiting[digest] = tried
                    self._calls.hold(tried.place.number, held=True)
                else:
                    self._commit(tried)

        self._open[tried.place.number] = tried.place
        return Place(str(tried.place.path), None, self._clock, commit)

    @property
    def _clock(self) -> Callable[[], float]:
        return self._calls.tape.elapsed_ms
