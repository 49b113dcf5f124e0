"""Where an agent of the user's own and the engine meet.

The agent runs by itself and asks from its own threads; the engine plays a trial and asks for the agent's next turn. A
session hands the one's calls to the other and the observations back. Nothing here knows who the agent is.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from replaylab.errors import ReplaylabError
from replaylab.schema.interaction import FailureKind

LOOK_UP_S = 0.2  # how often a wait looks whether the run is being stopped
LATE_S = 0.1  # what a call after the end waits, so that an agent which never ends burns nothing


class TrialOver(BaseException):
    """The trial has ended, and nothing that its agent still asks for is done.

    No Exception, so that an agent which catches those and goes on ends as well.
    """


class Call(NamedTuple):
    """A tool call as the agent asked for it. `arguments` is its text, whatever that is."""

    tool: str
    arguments: str


class Failed(NamedTuple):
    """Why the agent goes on no more."""

    kind: FailureKind
    message: str


@dataclass(eq=False)
class Move:
    """What an agent does next: calls that are answered together, its final answer, or its failure."""

    calls: tuple[Call, ...] = ()
    answer: str | None = None
    failed: Failed | None = None
    observations: list[str] | None = field(default=None, repr=False)


class Session:
    """One trial's. The agent's side may be used from any number of threads, the engine's from one."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._pending: list[Move] = []
        self._closing = self._over = False
        self.trouble: ReplaylabError | None = None

    # The agent's side.

    def call(self, calls: Sequence[Call]) -> list[str]:
        """The observations of calls of one turn, as JSON texts in their order. Raises TrialOver once it has ended."""
        move = Move(calls=tuple(calls))
        with self._changed:
            self._ask(move)
            while move.observations is None:
                if self._over:
                    raise TrialOver("the trial has ended")
                self._changed.wait()
            return move.observations

    def answer(self, text: str) -> None:
        """Give the final answer. Calls that are still waiting come before it; none may follow."""
        self._last(Move(answer=text))

    def conclude(self, text: str) -> None:
        """Give the final answer, unless the trial has ended by then."""
        try:
            self.answer(text)
        except TrialOver:
            return

    def fail(self, kind: FailureKind, message: str) -> None:
        """Say that the agent goes on no more. Nothing happens where the trial has ended already."""
        try:
            self._last(Move(failed=Failed(kind, message)))
        except TrialOver:
            return

    def trip(self, trouble: ReplaylabError) -> None:
        """End the trial's conversation by an error that the engine is to raise, and let the agent go no further."""
        with self._changed:
            self.trouble = self.trouble or trouble
            self._over = True
            self._changed.notify_all()

    @property
    def over(self) -> bool:
        """Whether nothing is done any more for the agent."""
        return self._over

    def _last(self, move: Move) -> None:
        with self._changed:
            self._ask(move)
            self._closing = True

    def _ask(self, move: Move) -> None:
        if self._over or self._closing:
            self._changed.wait(LATE_S)
            raise TrialOver("the trial has ended")
        self._pending.append(move)
        self._changed.notify_all()

    # The engine's side.

    def next_move(
        self, fits: Callable[[Move], bool], give_up: Callable[[], bool], settle: Callable[[], bool]
    ) -> Move | None:
        """The next move, in the order in which they came. None once `give_up` says so.

        Where several calls wait at once, one that `fits` what was recorded goes first. While none does, the first is
        taken as soon as `settle` says that no other will come. Raises the session's trouble.
        """
        with self._changed:
            while True:
                if self.trouble is not None:
                    raise self.trouble
                fitting = next((move for move in self._pending if fits(move)), None)
                if fitting is None and self._pending and settle():
                    fitting = self._pending[0]
                if fitting is not None:
                    self._pending.remove(fitting)
                    return fitting
                if give_up():
                    return None
                self._changed.wait(LOOK_UP_S)

    def observed(self, move: Move, observations: Sequence[str]) -> None:
        """Hand a move of the agent what its calls returned."""
        with self._changed:
            move.observations = list(observations)
            self._changed.notify_all()

    def end(self) -> None:
        """Nothing is done for the agent any more; whoever waits is told."""
        with self._changed:
            self._over = True
            self._changed.notify_all()
