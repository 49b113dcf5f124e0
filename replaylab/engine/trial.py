"""One trial: the agent acts, the simulator answers, faults come between, and judges vote. Recording, resuming and
replaying all run this code; they differ only in the tape below it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from replaylab.derive.trajectory import trajectory_of
from replaylab.errors import CallFailed
from replaylab.faults.inject import Injector
from replaylab.roles.agent import Agent, RequestedCall, refusal
from replaylab.roles.chat import Chat
from replaylab.roles.simulator import Simulator
from replaylab.roles.verifier import Judge
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Trajectory
from replaylab.cassette.tape import Lane, Tape

OpenChat = Callable[[Lane, ModelSettings], Chat]


class Parallel(Protocol):
    """Runs thunks that may run at the same time; returns when all are done, raising the first failure."""

    def __call__(self, thunks: Iterable[Callable[[], object]]) -> None: ...


def in_turn(thunks: Iterable[Callable[[], object]]) -> None:
    """The simplest Parallel: one after the other."""
    for thunk in thunks:
        thunk()


def run_trial(header: Header, tape: Tape, open_chat: OpenChat, parallel: Parallel = in_turn) -> None:
    """Run a trial onto its tape. A model that gives no usable answer ends it; what it means is derived later."""
    act(header, tape, open_chat)
    trajectory = trajectory_of(header, tape.lanes)
    if trajectory.termination not in ("agent_error", "simulator_error"):
        judge(header, tape, trajectory, open_chat, parallel)


def act(header: Header, tape: Tape, open_chat: OpenChat, step: Stepper | None = None) -> None:
    """The conversation between agent and simulator, until the agent answers, a limit is met, or a model fails.

    `step` answers the tool calls; by default that is the lane `simulator` with the trial's faults.
    """
    players = header.players
    if step is None:
        simulator = players["simulator"]
        step = Stepper(
            header, open_chat(tape.lane("simulator"), seeded(simulator, header.subject.trial)), simulator
        )
    agent = Agent(
        header.environment,
        header.task.instruction,
        players["agent"],
        open_chat(tape.lane("agent"), seeded(players["agent"], header.subject.trial)),
        clock=header.clock,
    )
    try:
        while step.calls < header.limits.max_steps:
            turn = agent.next_turn()
            for call in turn.calls:
                agent.observe(call, step(call))
            if not turn.calls:
                return
    except CallFailed:
        return  # the failure is on the tape; derive reads it there


class Stepper:
    """Answers tool calls: from the fault plan, from the simulator, or with a refusal. `calls` counts them."""

    def __init__(self, header: Header, chat: Chat, settings: ModelSettings) -> None:
        self.environment = header.environment
        self.simulator = Simulator(header.environment, settings, chat, asks=header.limits.asks)
        self.injector = Injector(header.faults, header.task.id, header.task.expected_calls)
        self.calls = 0

    def __call__(self, call: RequestedCall) -> Json:
        number, self.calls = self.calls, self.calls + 1
        tool = self.environment.tool(call.tool)
        if call.problem or tool is None or call.arguments is None:
            return refusal(call, self.environment)
        explicit = self.injector.explicit(number, tool)
        if explicit is not None:
            return explicit.delivered
        clean = self.ask(call.tool, call.arguments)
        implicit = self.injector.implicit(number, tool, clean)
        return clean if implicit is None else implicit.delivered

    def ask(self, tool: str, arguments: JsonObject) -> Json:
        """Put one call to the simulator."""
        return self.simulator.step(tool, arguments)


def judge(
    header: Header, tape: Tape, trajectory: Trajectory, open_chat: OpenChat, parallel: Parallel
) -> None:
    """N votes in N lanes. A judge that gives no valid vote leaves an error vote, which derive reads off its lane."""

    def vote(number: int) -> None:
        settings = seeded(header.players["verifier"], header.subject.trial, number)
        chat = open_chat(tape.lane(f"verifier.{number}"), settings)
        Judge(header.environment, header.task, settings, chat, asks=header.limits.asks).vote(
            trajectory, number
        )

    parallel([lambda number=number: vote(number) for number in range(header.limits.votes)])  # type: ignore[misc]


def seeded(settings: ModelSettings, trial: int, vote: int = 0) -> ModelSettings:
    """A fixed seed would make every trial and every vote the same sample, so it counts up: seed + trial + 1000 vote."""
    seed = settings.sampling.get("seed")
    if not isinstance(seed, int):
        return settings
    return settings.model_copy(update={"sampling": {**settings.sampling, "seed": seed + trial + 1000 * vote}})
