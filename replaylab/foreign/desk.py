"""The desk at which an agent is served that comes from outside: the trial that is being played, one after the other."""

from __future__ import annotations

import threading
from typing import NamedTuple

from replaylab.foreign.chat import Assigned
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Call, Session, TrialOver

OVER = "The trial has ended; nothing more is done."
EMPTY = "No trial is being played now."


class Said(NamedTuple):
    """What is said at the desk: a tool's observation as JSON text, or, `refused`, why there is none."""

    text: str
    refused: bool = False


class Desk:
    """Starts nobody: it seats the trial, and whoever comes plays it. Thread-safe.

    Where `trials` are played one after the other, an answer to one but the last returns when the next is seated, or after
    `next_s` seconds: else whoever comes next could still be told that the trial before has ended.
    """

    repeats = False

    def __init__(
        self,
        assigned: Assigned | None = None,
        session: Session | None = None,
        *,
        trials: int = 1,
        next_s: float = 60,
    ) -> None:
        self._changed = threading.Condition()
        self._assigned, self._session = assigned, session
        self._left = self.closed = False
        self._coming, self._next_s = trials, next_s

    def __call__(self, assigned: Assigned, session: Session, calls: OwnCalls) -> Desk:
        """Seat a trial."""
        with self._changed:
            self._assigned, self._session = assigned, session
            self._coming -= 1
            self._changed.notify_all()
        if self._left:
            self.leave()
        return self

    def stop(self) -> None:
        """The trial has ended. It stays seated until the next one comes, so that late calls are told so."""

    def seated(self, wait_s: float = 0) -> Assigned | None:
        """What the agent of the seated trial is told; None where none came in time, or none can come any more."""
        with self._changed:
            self._changed.wait_for(lambda: self._assigned is not None or self.closed, wait_s)
            return self._assigned

    def close(self) -> None:
        """No further trial comes: whoever waits for one waits in vain."""
        with self._changed:
            self.closed = True
            self._changed.notify_all()

    def call(self, tool: str, arguments: str) -> Said:
        """Call a tool; waits until it is answered."""
        session = self._session
        if session is None:
            return Said(EMPTY, refused=True)
        try:
            return Said(session.call([Call(tool, arguments)])[0])
        except TrialOver:
            return Said(OVER, refused=True)

    def submit(self, answer: str) -> Said:
        """Give the final answer; waits for the next trial, if there is one."""
        session = self._session
        if session is None:
            return Said(EMPTY, refused=True)
        try:
            session.answer(answer)
        except TrialOver:
            return Said(OVER, refused=True)
        with self._changed:
            if self._coming > 0:
                self._changed.wait_for(lambda: self._session is not session, self._next_s)
        return Said("The answer is given, and the trial ends with it.")

    def leave(self) -> None:
        """Whoever played is gone, for good. A trial that has no answer yet ends as an error."""
        self._left = True
        if self._session is not None:
            self._session.fail("agent_left", "the client went away without an answer")
