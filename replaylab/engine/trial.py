"""One trial: the agent acts, the simulator answers, faults come between, and judges vote.

Recording, resuming, replaying and swapping all run this code; they differ only in the tape below it. The rules of the
conversation itself are `derive.episode.play`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Protocol

from replaylab.cassette.tape import Lane, Tape
from replaylab.derive.episode import Faults, World, play
from replaylab.errors import CallFailed
from replaylab.faults.of import injector_of
from replaylab.roles.agent import Agent
from replaylab.roles.chat import Chat, until_end
from replaylab.roles.simulator import Simulator, ask_for_faults
from replaylab.roles.verifier import Judge
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.callpath import OWN_CALLS, repeat_lane, role_of
from replaylab.schema.cassette import ORIGIN, Header
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Trajectory

OpenChat = Callable[[Lane, ModelSettings], Chat]


class Parallel(Protocol):
    """Runs thunks that may run at the same time; returns when all are done, raising the first failure."""

    def __call__(self, thunks: Iterable[Callable[[], object]]) -> None: ...


def in_turn(thunks: Iterable[Callable[[], object]]) -> None:
    """The simplest Parallel: one after the other."""
    for thunk in thunks:
        thunk()


def run_trial(header: Header, tape: Tape, open_chat: OpenChat, parallel: Parallel = in_turn) -> None:
    """Run a trial onto its tape. A model that gives no usable answer ends it; what that means is derived later."""
    tape.keep(OWN_CALLS)
    world: World = _simulator(header, tape, open_chat, "simulator")
    if header.mode.startswith("lockstep/"):
        repeats = [
            _simulator(header, tape, open_chat, repeat_lane("simulator", number), repeat=number)
            for number in range(1, header.limits.repeats)
        ]
        origin = _simulator(header, tape, open_chat, ORIGIN)
        world = Lockstep(origin, world, own=header.mode == "lockstep/own", repeats=repeats)
    chat = open_chat(tape.lane("agent"), seeded(header.players["agent"], header.subject.trial))
    with until_end(chat):
        agent = _agent(header, chat)
        trajectory = play(agent, world, _faults(header), header.environment, header.limits)
    if not header.mode.startswith("lockstep/") and trajectory.termination in ("answered", "step_limit"):
        judge_all(header, tape, trajectory, open_chat, parallel)


def _agent(header: Header, chat: Chat) -> Agent:
    agent = Agent(chat, header.environment, header.task, header.players["agent"], clock=header.clock)
    agent.start()
    return agent


def _simulator(header: Header, tape: Tape, open_chat: OpenChat, lane: str, repeat: int = 0) -> Simulator:
    settings = header.players[role_of(lane)]
    chat = open_chat(tape.lane(lane), seeded(settings, header.subject.trial, repeat))
    faults = ask_for_faults(header.faults, header.task.expected_calls)
    return Simulator(chat, header.environment, settings, asks=header.limits.asks, faults=faults)


def _faults(header: Header) -> Faults:
    return injector_of(header.faults, header.task, header.environment)


class Lockstep:
    """Answers as the recorded simulator did, and puts each call to another one too, so that both answer the same.

    With `own` the other's history holds its own observations (drift adds up), otherwise the recorded ones (each step
    stands alone). When the other gives no usable answer, the trial ends there.

    `repeats` are put each call too: the very same question, so their history is the other's. One that gives no usable
    answer to a call goes on with the next.
    """

    def __init__(self, origin: World, other: World, *, own: bool, repeats: Sequence[Simulator] = ()) -> None:
        self._origin, self._other, self._own, self._repeats = origin, other, own, repeats

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        observation = self._origin.step(tool, arguments)
        history = self._other.step(tool, arguments)
        if not self._own and isinstance(self._other, Simulator):
            history = observation
            self._other.remember_instead(history)
        for repeat in self._repeats:
            try:
                repeat.step(tool, arguments)
            except CallFailed:
                repeat.remember(tool, arguments, history)
            else:
                repeat.remember_instead(history)
        return observation


def judge_all(
    header: Header, tape: Tape, trajectory: Trajectory, open_chat: OpenChat, parallel: Parallel
) -> None:
    """N votes in N lanes. A judge without a valid answer leaves an error vote, which derive reads off its lane."""

    def vote(number: int) -> None:
        settings = seeded(header.players["verifier"], header.subject.trial, number)
        chat = open_chat(tape.lane(f"verifier.{number}"), settings)
        judge = Judge(chat, header.environment, header.task, settings, vote=number, asks=header.limits.asks)
        judge.vote(trajectory)

    parallel([partial(vote, number) for number in range(header.limits.votes)])


def seeded(settings: ModelSettings, trial: int, vote: int = 0) -> ModelSettings:
    """A fixed seed would make every trial, vote and repeat the same sample, so it counts up: seed + trial + 1000 vote."""
    seed = settings.sampling.get("seed")
    if not isinstance(seed, int):
        return settings
    return settings.model_copy(update={"sampling": {**settings.sampling, "seed": seed + trial + 1000 * vote}})
