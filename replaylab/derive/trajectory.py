"""The trajectory that the lanes of a cassette hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replaylab.derive.episode import play
from replaylab.errors import CallFailed
from replaylab.faults.inject import Injector
from replaylab.roles.agent import AgentTurn, RequestedCall, read_turn
from replaylab.roles.parsing import Unparsable
from replaylab.roles.simulator import read_observation
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Header
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Interaction
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Trajectory
from replaylab.wire.completion import read_answer


class Recorded:
    """A lane played from its start: one completion after the other."""

    def __init__(self, interactions: Sequence[Interaction]) -> None:
        self._left: Iterator[Interaction] = iter(interactions)

    def answer(self) -> Completion:
        """The next completion. Raises CallFailed: the recorded failure, or "lane_dry" at the end of the lane."""
        interaction = next(self._left, None)
        if interaction is None:
            raise CallFailed("the lane ends before an answer", kind="lane_dry")
        return read_answer(interaction.final)


class RecordedAgent:
    """The agent's side of a trial, from its lane."""

    def __init__(self, header: Header, interactions: Sequence[Interaction]) -> None:
        self._lane = Recorded(interactions)
        self._environment, self._settings = header.environment, header.players["agent"]
        self._calls = 0

    def next_turn(self) -> AgentTurn:
        answer = self._lane.answer()
        turn = read_turn(answer, self._environment, self._settings, first_call=self._calls)
        self._calls += len(turn.calls)
        return turn

    def observe(self, call: RequestedCall, observation: Json) -> None:
        """Nothing to do: what the agent made of it is recorded."""


class RecordedSimulator:
    """The simulator's side of a trial, from its lane. Each unusable answer was asked again, up to `limits.asks`."""

    def __init__(self, header: Header, interactions: Sequence[Interaction]) -> None:
        self._lane, self._asks = Recorded(interactions), header.limits.asks

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        error = Unparsable("no asking was allowed")
        for _ in range(self._asks):
            answer = self._lane.answer()
            try:
                return read_observation(answer, tool)
            except Unparsable as unparsable:
                error = unparsable
        raise error


def trajectory_of(header: Header, lanes: Mapping[str, Sequence[Interaction]]) -> Trajectory:
    """Replay the rules of a trial over its lanes `agent` and `simulator`."""
    trajectory = play(
        RecordedAgent(header, lanes.get("agent", ())),
        RecordedSimulator(header, lanes.get("simulator", ())),
        Injector(header.faults, header.task.id, header.task.expected_calls),
        header.environment,
        header.limits,
    )
    if header.mode.startswith("lockstep") and trajectory.termination != "simulator_error":
        return trajectory.model_copy(update={"termination": "lockstep"})
    return trajectory
