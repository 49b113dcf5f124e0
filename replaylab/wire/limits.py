"""Requests and tokens a minute of one model, over a sliding window, first come first served.

Kept here because what the well-known limiters lack is what is needed: a token count that is corrected once the answer
is there, waiting in order of arrival, and a clock and a sleep that are given.
"""

from __future__ import annotations

import threading
from collections import deque
from dataclasses import dataclass

from replaylab.wire.ports import Clock, Sleep

WINDOW_MS = 60_000.0
LOOK_MS = 1_000.0  # the longest nap: what a correction frees is used within it


@dataclass(eq=False)
class Ticket:
    """A request that was let through at `at_ms`, counted with `tokens` while the window holds it."""

    at_ms: float
    tokens: int
    counted: bool = True


class Limiter:
    """Thread-safe. A limit of 0 is none. `clock_ms` is monotonic, in milliseconds; `sleep` takes seconds."""

    def __init__(self, clock_ms: Clock, sleep: Sleep, *, requests: int = 0, tokens: int = 0) -> None:
        self.requests, self.tokens = requests, tokens
        self._clock_ms, self._sleep = clock_ms, sleep
        self._lock = threading.Lock()
        self._queue: deque[threading.Event] = deque()
        self._passed: deque[Ticket] = deque()
        self._used = 0
        self._held_until_ms = float("-inf")

    def wait(self, tokens: int) -> Ticket:
        """Wait until a request of an estimated `tokens` fits, behind all who came before."""
        mine = threading.Event()
        with self._lock:
            self._queue.append(mine)
            first = self._queue[0]
        first.set()
        try:
            mine.wait()
            while isinstance(found := self._try(tokens), float):
                self._sleep(min(found, LOOK_MS) / 1000)
            return found
        finally:
            with self._lock:
                self._queue.remove(mine)
                following = self._queue[0] if self._queue else None
            if following:
                following.set()

    def correct(self, ticket: Ticket, tokens: int) -> None:
        """Replace the estimate by what the server counted."""
        with self._lock:
            if ticket.counted:
                self._used += tokens - ticket.tokens
            ticket.tokens = tokens

    def hold(self, seconds: float) -> None:
        """Let nobody through for so long: the server said when to come back."""
        with self._lock:
            self._held_until_ms = max(self._held_until_ms, self._clock_ms() + seconds * 1000)

    def _try(self, tokens: int) -> Ticket | float:
        """A ticket, or the milliseconds after which to look again."""
        with self._lock:
            now = self._clock_ms()
            while self._passed and self._passed[0].at_ms <= now - WINDOW_MS:
                gone = self._passed.popleft()
                gone.counted = False
                self._used -= gone.tokens
            free_at = max(self._held_until_ms, self._free_at(tokens))
            if free_at > now:
                return free_at - now
            ticket = Ticket(now, tokens)
            self._passed.append(ticket)
            self._used += tokens
            return ticket

    def _free_at(self, tokens: int) -> float:
        free_at = float("-inf")
        if self.requests and len(self._passed) >= self.requests:
            free_at = self._passed[len(self._passed) - self.requests].at_ms + WINDOW_MS
        if self.tokens:
            # A request above the whole limit goes once the window is empty.
            over = self._used + tokens - self.tokens
            for ticket in self._passed:
                if over <= 0:
                    break
                over -= ticket.tokens
                free_at = max(free_at, ticket.at_ms + WINDOW_MS)
        return free_at
