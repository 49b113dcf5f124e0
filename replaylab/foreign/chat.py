"""The agent's lane of a trial whose agent is the user's own: the engine asks for a turn, and the agent's next move is it.

To the engine this is a chat like any other. The moves are recorded in the shape in which a model would have answered, so
that whatever reads a recording reads these too, and a replay needs no foreign code: it plays the lane.

Where something is recorded already, the agent runs along and is held to it: `offline`, to prove that it does the same
again; or because a recording was interrupted and its agent has to be brought back to where it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from replaylab.canonical import dumps
from replaylab.cassette.tape import Lane, Slot
from replaylab.errors import CallFailed, DivergenceError
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Call, Failed, Move, Session
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Failure, FailureKind
from replaylab.schema.model import ModelSettings
from replaylab.wire.asking import Asking
from replaylab.wire.completion import call_failed, judge, read_answer
from replaylab.wire.ports import Clock, Redacts

DIVERGED: FailureKind = "agent_diverged"
SILENT: FailureKind = "agent_silent"
LEFT: FailureKind = "agent_left"
# What was said of another process, or would have to be waited for.
UNREPEATED = (DIVERGED, SILENT, LEFT)
GONE = "the client that played it is gone"
WHY = "the body says why"
SETTLE_MS = 2000.0  # how long a call that is not the recorded one waits for another one of its turn


@dataclass(frozen=True)
class Assigned:
    """What the agent of a trial is told: what an LLM in its place would be, and nothing else.

    `system` is the text that says what an agent does and, where the environment has a clock, what time it is there.
    """

    instruction: str
    system: str
    tools: tuple[JsonObject, ...] = field(default=(), repr=False)


class Running(Protocol):
    """An agent at work."""

    def stop(self) -> None:
        """Its trial has ended: see that it ends too."""


class Starts(Protocol):
    """Starts an agent at its trial. It makes its moves through the session and asks its LLMs through `calls`.

    `repeats` says whether the same agent can be started again, to do what it did before.
    """

    @property
    def repeats(self) -> bool: ...

    def __call__(self, assigned: Assigned, session: Session, calls: OwnCalls) -> Running: ...


# What opens the ways of one trial on loopback, and gives the variables that tell a program of them.
Doors = Callable[[Assigned, Session, OwnCalls], AbstractContextManager[Mapping[str, str]]]


@dataclass(frozen=True)
class Around:
    """What the chat takes from outside. `check` raises when the run is being stopped; `silence_s` ends a silent agent."""

    redactor: Redacts
    clock_ms: Clock
    check: Callable[[], None] = lambda: None
    silence_s: float = 600.0


class ForeignChat:
    """One trial's."""

    def __init__(self, lane: Lane, settings: ModelSettings, start: Starts, around: Around) -> None:
        self._lane, self._start, self._around = lane, start, around
        self._alias, self._asking = settings.alias, Asking(settings)
        self._session = Session()
        self._own = OwnCalls(lane.tape, self._session)
        self._offline = lane.tape.closed(lane.name)
        self._running: Running | None = None
        self._move: Move | None = None
        self._heard = self._calls = 0
        self._lost: DivergenceError | None = None  # how it left its recording, when it did
        # Whether the recording ends in what no agent can be asked to repeat. One that went astray repeats nothing.
        self._unproven = any(_failure(row.final) == DIVERGED for row in lane.recorded[-1:])
        if lane.recorded and not start.repeats:
            self._lost = DivergenceError(
                GONE, kind="action", callpath=str(CallPath.at(lane.tape.key, lane.name))
            )

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        """The agent's next move, recorded before it is returned. Raises CallFailed when it makes none."""
        slot = self._lane.begin(self._asking.request(messages, tools, extra))
        self._tell(messages, tools)
        if slot.recorded is not None:
            return self._again(slot)
        attempt = self._moved(slot)
        found = judge(attempt)
        slot.commit([attempt], None if isinstance(found, Failure) else found)
        if isinstance(found, Failure):
            raise call_failed(attempt, found, str(slot.path))
        return found

    def finish(self) -> None:
        """The trial is over. Offline, raise DivergenceError where the agent left something out that it did before."""
        self._end()
        if not self._offline or self._unproven:
            return
        if self._session.trouble is not None:
            raise self._session.trouble
        row = self._own.unplayed
        if row is not None:
            raise self._own.not_asked(row)

    def stop(self) -> None:
        """The trial was broken off."""
        self._end()

    def _end(self) -> None:
        self._session.end()
        self._own.drain()  # first: whoever is ended while it waits for an answer would leave a broken one
        if self._running is not None:
            self._running.stop()

    def _tell(self, messages: Sequence[JsonObject], tools: Sequence[JsonObject]) -> None:
        """Start the agent with the first messages; later ones hold what its calls returned."""
        if self._running is None:
            if self._unproven or self._lost is not None:
                return
            system, user = messages[0]["content"], messages[1]["content"]
            assigned = Assigned(instruction=user, system=system, tools=tuple(tools))
            self._running = self._start(assigned, self._session, self._own)
        elif self._move is not None:
            said = [one["content"] for one in messages[self._heard :] if one["role"] == "tool"]
            self._session.observed(self._move, said)
        self._heard, self._move = len(messages), None

    def _moved(self, slot: Slot) -> Attempt:
        """The next move as an attempt."""
        started, begun = slot.elapsed_ms(), self._around.clock_ms()
        failed = self._gone_astray()
        move = Move(failed=failed) if failed else self._next(lambda move: True)
        if move.failed is None and (left := self._skipped(move)):
            move = Move(failed=left)
        status, text = 200 if move.failed is None else None, self._text(move, slot)
        self._take(move)
        return Attempt(
            started_ms=round(started, 3),
            latency_ms=round(self._around.clock_ms() - begun, 3),
            status=status,
            headers={"content-type": "application/json"} if status else {},
            text=text,
            failure=None if move.failed is None else Failure(kind=move.failed.kind, message=WHY),
        )

    def _gone_astray(self) -> Failed | None:
        """Said once all that was recorded is played: an agent that left its recording can't go on where that ends."""
        if self._lost is None:
            return None
        return Failed(DIVERGED if self._start.repeats else LEFT, self._lost.what)

    def _skipped(self, move: Move) -> Failed | None:
        """A live move of a resumed agent that has not asked its LLMs what it asked before."""
        row = self._own.unplayed
        if row is None or not (self._own.ordered or move.answer is not None):
            return None
        return Failed(DIVERGED, self._own.not_asked(row).what)

    def _next(self, fits: Callable[[Move], bool]) -> Move:
        clock_ms = self._around.clock_ms
        heard = begun = clock_ms()

        def give_up() -> bool:
            nonlocal heard
            self._around.check()
            if self._own.under_way:
                heard = clock_ms()
            return clock_ms() - heard > self._around.silence_s * 1000

        def settle() -> bool:
            return clock_ms() - begun > SETTLE_MS

        try:
            move = self._session.next_move(fits, give_up, settle)
        except DivergenceError as error:
            if self._offline:
                raise
            self._lost = error
            return Move(failed=Failed(DIVERGED, error.what))
        if move is not None:
            return move
        return Move(failed=Failed(SILENT, f"the agent did nothing for {self._around.silence_s:g} s"))

    def _again(self, slot: Slot) -> Completion:
        """The recorded move, once the agent has made it again."""
        recorded = slot.recorded
        assert recorded is not None, "asked only where one is"  # noqa: S101
        final = recorded.final
        self._unproven = self._unproven or _failure(final) in UNREPEATED
        if self._lost is None and not self._unproven:
            self._repeat(slot)
        slot.play()
        return read_answer(final, str(slot.path))

    def _repeat(self, slot: Slot) -> None:
        """Have the agent make the recorded move."""
        move = self._next(lambda move: self._same(move, slot))
        if move.failed is not None and move.failed.kind == DIVERGED:
            return  # it went astray in what it asked
        if not self._same(move, slot):
            self._astray(move, slot)
        self._take(move)

    def _same(self, move: Move, slot: Slot) -> bool:
        assert slot.recorded is not None, "asked only where one is"  # noqa: S101
        final = slot.recorded.final
        if move.failed is None and final.failure is None:
            return self._text(move, slot) == final.text
        return (
            move.failed is not None and final.failure is not None and move.failed.kind == final.failure.kind
        )

    def _astray(self, move: Move, slot: Slot) -> None:
        """The agent does something else than was recorded. Offline that is the end; else the recording is played out."""
        assert slot.recorded is not None, "asked only where one is"  # noqa: S101
        error = DivergenceError(
            "the agent acts otherwise than was recorded",
            kind="action",
            callpath=str(slot.path),
            expected=_shown(slot.recorded.final),
            observed=_shown(Attempt(text=self._text(move, slot))),
            closest=str(slot.path),
            fix="see what changed in the agent, or what in it depends on the time, on chance or on this machine",
        )
        if self._offline:
            raise error
        self._lost = error
        self._session.end()

    def _take(self, move: Move) -> None:
        self._move = move if move.calls else None
        self._calls += len(move.calls)

    def _text(self, move: Move, slot: Slot) -> str:
        """The move as a model would have answered, redacted."""
        body = _body(self._alias, move, slot.path.ordinal, first_call=self._calls)
        return self._around.redactor.body(dumps(body)).decode("utf-8")


def _failure(attempt: Attempt) -> str:
    return attempt.failure.kind if attempt.failure else ""


def _body(alias: str, move: Move, ordinal: int, *, first_call: int) -> JsonObject:
    if move.failed is not None:
        return {"error": {"message": move.failed.message, "type": move.failed.kind}}
    message: JsonObject = {"role": "assistant", "content": move.answer}
    if move.calls:
        message["tool_calls"] = [_called(call, first_call + at) for at, call in enumerate(move.calls)]
    finish = "tool_calls" if move.calls else "stop"
    return {
        "id": f"move-{ordinal}",
        "object": "chat.completion",
        "created": 0,
        "model": alias,
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
    }


def _called(call: Call, number: int) -> JsonObject:
    function = {"name": call.tool, "arguments": call.arguments}
    return {"id": f"call_{number}", "type": "function", "function": function}


def _shown(attempt: Attempt) -> JsonObject:
    """A move in short, for a message."""
    try:
        found = read_answer(attempt.model_copy(update={"status": attempt.status or 200}))
    except CallFailed as failed:
        return {"failed": failed.kind}
    if not found.tool_calls:
        return {"answer": found.text}
    return {"calls": [{"tool": call.name, "arguments": call.arguments} for call in found.tool_calls]}
