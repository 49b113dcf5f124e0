"""The trajectory that the lanes of a cassette hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from replaylab.derive.answers import Read, read_recorded
from replaylab.derive.episode import World, play
from replaylab.errors import CallFailed
from replaylab.faults.of import injector_of
from replaylab.roles.agent import AgentTurn, RequestedCall, read_turn
from replaylab.roles.parsing import Unparsable
from replaylab.roles.simulator import read_observation
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import ORIGIN, Header
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Interaction
from replaylab.schema.scenario import Tool
from replaylab.schema.trajectory import Trajectory, Turn


class Recorded:
    """A lane played from its start: one completion after the other."""

    def __init__(self, interactions: Sequence[Interaction], read: Read = read_recorded) -> None:
        self._left: Iterator[Interaction] = iter(interactions)
        self._read = read

    def answer(self) -> Completion:
        """The next completion. Raises CallFailed: the recorded failure, or "lane_dry" at the end of the lane."""
        interaction = next(self._left, None)
        if interaction is None:
            raise CallFailed("the lane ends before an answer", kind="lane_dry")
        return self._read(interaction)


class RecordedAgent:
    """The agent's side of a trial, from its lane."""

    def __init__(
        self, header: Header, interactions: Sequence[Interaction], read: Read = read_recorded
    ) -> None:
        self._lane = Recorded(interactions, read)
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

    def __init__(
        self, header: Header, interactions: Sequence[Interaction], read: Read = read_recorded
    ) -> None:
        self._lane, self._asks = Recorded(interactions, read), header.limits.asks

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        error: Unparsable | None = None
        for _ in range(self._asks):
            answer = self._lane.answer()
            try:
                return read_observation(answer, tool)
            except Unparsable as unparsable:
                error = unparsable
        raise error or Unparsable("no asking was allowed")


class RecordedLockstep:
    """The recorded simulator and, put to the same calls, another one. `said` is what the other one answered.

    The recorded one's observations go on, as they did live: which call meets which fault depends on them.
    """

    def __init__(self, origin: World, other: World) -> None:
        self._origin, self._other = origin, other
        self.said: list[Json] = []
        self.other_failed = False

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        observation = self._origin.step(tool, arguments)
        try:
            self.said.append(self._other.step(tool, arguments))
        except CallFailed:
            self.other_failed = True
            raise
        return observation


def trajectory_of(
    header: Header, lanes: Mapping[str, Sequence[Interaction]], read: Read = read_recorded
) -> Trajectory:
    """Replay the rules of a trial over its lanes `agent` and `simulator`.

    In lockstep the observations are those of the lane `simulator`, which no fault disturbed; the trial ends as
    `lockstep`, or as `simulator_error` where that simulator failed.
    """
    simulator = RecordedSimulator(header, lanes.get("simulator", ()), read)
    agent = RecordedAgent(header, lanes.get("agent", ()), read)
    if not header.mode.startswith("lockstep/"):
        return _played(header, agent, simulator)
    origin = RecordedSimulator(header, lanes.get(ORIGIN, ()), read)
    world = RecordedLockstep(origin, simulator)
    trajectory = _played(header, agent, world)
    ended = "simulator_error" if world.other_failed else "lockstep"
    turns = _as_said(trajectory.turns, iter(world.said))
    return trajectory.model_copy(update={"turns": turns, "termination": ended})


def _played(header: Header, agent: RecordedAgent, world: World) -> Trajectory:
    faults = injector_of(header.faults, header.task, header.environment)
    return play(agent, world, faults, header.environment, header.limits)


def _as_said(turns: Sequence[Turn], said: Iterator[Json]) -> tuple[Turn, ...]:
    """The turns with what the other simulator answered in place of what the recorded one did."""
    return tuple(
        turn.model_copy(
            update={
                "actions": tuple(
                    action.model_copy(update={"observation": next(said), "fault": None})
                    if action.by == "simulator"
                    else action
                    for action in turn.actions
                )
            }
        )
        for turn in turns
    )
