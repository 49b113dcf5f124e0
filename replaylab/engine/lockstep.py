"""Lockstep: the recorded actions of one simulator's trial put to another, so that both answer the same questions.

The agent's lane and the recorded simulator's lane are copied; the trial is played from them as it was, and beside each
call that reached the recorded simulator the other one is asked. Its history holds either the recorded observations
(`lockstep/recorded`: each step stands alone) or its own (`lockstep/own`: drift adds up). Nobody judges.
"""

from __future__ import annotations

from replaylab.cassette.tape import Tape
from replaylab.engine.trial import OpenChat, Parallel, Stepper, act, in_turn, run_trial, seeded
from replaylab.errors import CallFailed
from replaylab.roles.simulator import Simulator
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Header


def run_any(header: Header, tape: Tape, open_chat: OpenChat, parallel: Parallel = in_turn) -> None:
    """Run a trial of whatever mode its header names."""
    if header.mode.startswith("lockstep/"):
        run_lockstep(header, tape, open_chat)
    else:
        run_trial(header, tape, open_chat, parallel)


def run_lockstep(header: Header, tape: Tape, open_chat: OpenChat) -> None:
    """Play the copied lanes `agent` and `simulator_origin`, and ask `simulator` beside them."""
    act(header, tape, open_chat, Shadowed(header, tape, open_chat))


class Shadowed(Stepper):
    """Answers as recorded, and puts the same call to the other simulator. A failed answer of that one is on its lane;
    the next call is put to it all the same."""

    def __init__(self, header: Header, tape: Tape, open_chat: OpenChat) -> None:
        origin = header.players["simulator_origin"]
        super().__init__(
            header, open_chat(tape.lane("simulator_origin"), seeded(origin, header.subject.trial)), origin
        )
        other = header.players["simulator"]
        chat = open_chat(tape.lane("simulator"), seeded(other, header.subject.trial))
        self.other = Simulator(header.environment, other, chat, asks=header.limits.asks)
        self.keeps_own = header.mode == "lockstep/own"

    def ask(self, tool: str, arguments: JsonObject) -> Json:
        clean = super().ask(tool, arguments)
        try:
            own = self.other.step(tool, arguments)
        except CallFailed:
            own = None
        if own is None or not self.keeps_own:
            self.other.remember(tool, arguments, clean)
        return clean
