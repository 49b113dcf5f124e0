"""What an agent of the user's own asks LLMs: recorded in lanes of its trial, and given back to it from there.

A lane is strictly ordered, and such an agent may ask several things at once, so each request takes the first lane in
which nothing is under way: `llm.0`, and only with a second one at the same time `llm.1`. An agent that asks one thing
after the other has one lane and is held to its order. What several streams asked is given back by content: the k-th time
that the same is asked, the k-th answer to it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

from replaylab.cassette.codec import lane_order
from replaylab.cassette.request import Request, digest_request
from replaylab.cassette.tape import Slot, Tape, expand, whole
from replaylab.errors import DivergenceError, ReplaylabError
from replaylab.foreign.session import Session, TrialOver
from replaylab.schema.callpath import OWN_CALLS, CallPath
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Interaction


@dataclass(frozen=True)
class OwnPlace:
    """The place of one request. `recorded` is its answer where one is recorded; else `commit` or `leave` must follow."""

    calls: OwnCalls
    number: int
    slot: Slot | None = None
    recorded: Interaction | None = None

    @property
    def path(self) -> CallPath:
        if self.slot is not None:
            return self.slot.path
        return (
            CallPath.parse(self.recorded.path) if self.recorded else CallPath(self.calls.tape.key, OWN_CALLS)
        )

    def elapsed_ms(self) -> float:
        return self.calls.tape.elapsed_ms()

    def play(self) -> Interaction:
        """The recorded interaction. It was taken as played when the trial began."""
        if self.recorded is None:
            raise ValueError(f"nothing is recorded at {self.path}")
        return self.recorded

    def commit(self, attempts: Sequence[Attempt], completion: Completion | None) -> Interaction:
        """Record the attempts, of which the last decides; journaled when it returns."""
        if self.slot is None:
            raise ValueError(f"{self.path} is recorded already")
        try:
            interaction = self.slot.commit(attempts, completion)
        except BaseException:
            self.leave()
            raise
        self.calls.release(self.number)
        return interaction

    def leave(self) -> None:
        """Give up the place of a request that was never sent: the run is being stopped."""
        self.calls.abandon(self.number)


class OwnCalls:
    """Of one trial. Thread-safe."""

    def __init__(self, tape: Tape, session: Session) -> None:
        self.tape, self._session = tape, session
        self._lock = threading.Condition()
        self._busy: set[int] = set()
        self._held: set[int] = set()
        self._dead: set[int] = set()
        lanes = tape.recorded(OWN_CALLS)
        self.ordered = len(lanes) <= 1
        self.offline = tape.closed(OWN_CALLS)
        self._lanes = {name: lanes[name] for name in sorted(lanes, key=lane_order)}
        rows = [row for lane in self._lanes.values() for row in lane]
        # In the order in which they were asked; what began at the same time in the order of the lanes.
        self._left = {row.path: row for row in sorted(rows, key=lambda row: row.attempts[0].started_ms)}
        self._by_digest: dict[str, deque[Interaction]] = {}
        for row in self._left.values():
            self._by_digest.setdefault(row.request.digest, deque()).append(row)

    @property
    def unplayed(self) -> Interaction | None:
        """The first recorded request that was not asked again; None when all were."""
        with self._lock:
            return self._first()

    def _first(self) -> Interaction | None:
        return next(iter(self._left.values()), None)

    @property
    def under_way(self) -> bool:
        """Whether a request is being answered now."""
        return self._busy > self._held

    def begin(self, request: Request) -> OwnPlace:
        """Take a place, now. What was recorded is given back; else it goes live.

        Raises TrialOver after the end, and where the agent asks something else than it did: the session then holds the
        divergence.
        """
        with self._lock:
            if self._session.over:
                raise TrialOver("the trial has ended")
            with self.tape.lock:
                asked = digest_request(request, self.tape.pool).digest
            waiting = self._by_digest.get(asked)
            if waiting and (not self.ordered or waiting[0] is self._first()):
                row = waiting.popleft()
                del self._left[row.path]
                return OwnPlace(self, -1, recorded=row)
            if self.offline or (self.ordered and self._left):
                self._session.trip(self._differs(request, asked))
                raise TrialOver("the agent asks something else than was recorded")
            number = next(n for n in range(len(self._busy) + len(self._dead) + 1) if self._is_free(n))
            self._busy.add(number)
        return OwnPlace(self, number, slot=self.tape.lane(f"{OWN_CALLS}.{number}").begin(request))

    def _is_free(self, number: int) -> bool:
        return number not in self._busy and number not in self._dead

    def release(self, number: int) -> None:
        """A place is committed; its lane is free for the next request."""
        with self._lock:
            self._busy.discard(number)
            self._held.discard(number)
            self._lock.notify_all()

    def hold(self, number: int, *, held: bool) -> None:
        """A place waits for its request to be tried again, or does so no more. Nothing is under way meanwhile."""
        with self._lock:
            (self._held.add if held else self._held.discard)(number)
            self._lock.notify_all()

    def abandon(self, number: int) -> None:
        """A place was taken and nothing came of it, so its lane can hold nothing more."""
        with self._lock:
            self._busy.discard(number)
            self._held.discard(number)
            self._dead.add(number)
            self._lock.notify_all()

    def trip(self, trouble: ReplaylabError) -> BaseException:
        """End the trial's conversation by an error that the engine raises; gives what ends the agent."""
        self._session.trip(trouble)
        return TrialOver(trouble.what)

    def drain(self) -> None:
        """Wait for the answers of requests under way: they are asked, and paid."""
        with self._lock:
            while self.under_way:
                self._lock.wait()

    def _differs(self, request: Request, asked: str) -> DivergenceError:
        first = self._first()
        if first is None:
            rows = sum(map(len, self._lanes.values()))
            last = next((lane[-1].path for lane in self._lanes.values()), "")
            return DivergenceError(
                f"the agent asks its LLM more than it did: {rows} requests are recorded",
                kind="lane_dry",
                callpath=last or str(CallPath(self.tape.key, "agent")),
                expected=rows,
                observed=whole(request),
                closest=last,
                fix=_CHANGED,
                asked=asked,
            )
        path = CallPath.parse(first.path)
        return DivergenceError(
            "the agent asks its LLM something else than was recorded",
            kind="request",
            callpath=first.path,
            expected=expand(self._lanes[path.named_lane], path.ordinal, self.tape.recorded_blob),
            observed=whole(request),
            closest=first.path,
            asked=asked,
        )

    def not_asked(self, row: Interaction) -> DivergenceError:
        """What to raise for a recorded request that the agent did not make again."""
        return DivergenceError(
            "the agent did not ask its LLM what it asked when it was recorded",
            kind="lane_unplayed",
            callpath=row.path,
            closest=row.path,
            fix=_CHANGED,
        )


_CHANGED = "see what changed in the agent, or what in it depends on the time, on chance or on this machine"
