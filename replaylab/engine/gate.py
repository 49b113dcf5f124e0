"""The gate that every live call passes: so many at a time, first come first served, within the limits, until stopped."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal

from replaylab.errors import LimitReached, ReplaylabError
from replaylab.schema.callpath import OWN_CALLS
from replaylab.schema.interaction import Interaction, Usage

Price = Callable[[str, Usage], Decimal | None]


class Stopped(ReplaylabError):
    """The run is being stopped; the call was not made."""


@dataclass
class Totals:
    """What a recording has used so far. `unpriced` counts calls whose model has no known price."""

    calls: int = 0
    failed: int = 0
    retries: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: Decimal = field(default_factory=Decimal)
    unpriced: int = 0
    by_alias: dict[str, int] = field(default_factory=dict)


class Gate:
    """At most `jobs` calls in flight. `max_calls` is exact; `max_cost` (in US dollars) is checked before each call, so
    it can be passed by what the calls in flight cost.
    """

    def __init__(
        self,
        jobs: int,
        *,
        max_calls: int | None = None,
        max_cost: Decimal | None = None,
        price: Price = lambda alias, usage: None,
        players: Mapping[str, str] | None = None,
    ) -> None:
        self.totals = Totals()
        self._free, self._waiting = jobs, deque[threading.Event]()
        self._lock = threading.Lock()
        self._max_calls, self._max_cost, self._price = max_calls, max_cost, price
        self._players = dict(players or {})
        self._begun = 0
        self._why: ReplaylabError | None = None
        self._halted = threading.Event()

    def stop(self, why: ReplaylabError | None = None) -> None:
        """Let calls in flight finish and start no more."""
        with self._lock:
            self._stop(why or Stopped("the recording is being stopped"))

    def sleep(self, seconds: float) -> None:
        """Wait so long; raise Stopped as soon as the run is being stopped, since no call would follow."""
        if self._halted.wait(seconds):
            raise self._refusal()

    def check(self) -> None:
        """Raise Stopped when the run is being stopped."""
        self.sleep(0)

    @property
    def stopped(self) -> bool:
        return self._why is not None

    def __enter__(self) -> Gate:
        event = self._join()
        if event is not None:
            event.wait()
        with self._lock:
            limit = self._limit() if self._why is None else None
            if limit is not None:
                self._stop(limit)
            if self._why is not None:
                self._release()
                raise limit or self._refusal()
            self._begun += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._release()

    def _stop(self, why: ReplaylabError) -> None:
        self._why = self._why or why
        self._halted.set()
        for event in self._waiting:
            event.set()
        self._waiting.clear()

    def _refusal(self) -> Stopped:
        # Not the error that stopped the run: that one is raised once, where it happened.
        return Stopped(self._why.what if self._why else "the recording is being stopped")

    def _join(self) -> threading.Event | None:
        with self._lock:
            if (self._free > 0 and not self._waiting) or self._why is not None:
                self._free -= 1
                return None
            event = threading.Event()
            self._waiting.append(event)
            return event

    def _release(self) -> None:
        """Hand the place on to whoever has waited longest, so that no trial starves and all end together."""
        if self._waiting:
            self._waiting.popleft().set()
        else:
            self._free += 1

    def _limit(self) -> ReplaylabError | None:
        if self._max_calls is not None and self._begun >= self._max_calls:
            return LimitReached(
                f"--max-calls {self._max_calls} is reached", fix="record again with a higher limit to go on"
            )
        if self._max_cost is not None and self.totals.cost >= self._max_cost:
            return LimitReached(
                f"--max-cost {self._max_cost} is reached: {self.totals.cost:.4f} US dollars spent",
                fix="record again with a higher limit to go on",
            )
        return None

    def count(self, interaction: Interaction) -> None:
        """Add a live interaction to the totals."""
        usage = interaction.usage or Usage()
        alias = interaction.request.alias
        # An agent of the user's own asks whatever models it likes, so the one that answered is what is paid.
        own = f"/{OWN_CALLS}." in interaction.path
        payee = interaction.answered_by or alias if own else alias
        with self._lock:
            totals = self.totals
            totals.calls += 1
            totals.failed += interaction.final.failure is not None
            totals.retries += len(interaction.attempts) - 1
            totals.prompt_tokens += usage.prompt_tokens
            totals.completion_tokens += usage.completion_tokens
            totals.by_alias[alias] = totals.by_alias.get(alias, 0) + 1
            if own or self._players.get(alias) != "program":
                cost = self._price(payee, usage)
                totals.unpriced += cost is None
                totals.cost += cost or Decimal(0)
