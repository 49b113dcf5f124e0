"""The rules of one trial: who answers a call, in which order, and how a trial ends.

The engine plays them with live roles, `derive` with recorded ones; there is no second copy.
"""

from __future__ import annotations

from typing import Protocol

from replaylab.errors import CallFailed
from replaylab.roles.agent import AgentTurn, RequestedCall, refusal
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Limits
from replaylab.schema.fault import FaultEvent
from replaylab.schema.scenario import Environment, Tool
from replaylab.schema.trajectory import Action, Termination, Trajectory, Turn


class Player(Protocol):
    """The agent's side."""

    def next_turn(self) -> AgentTurn:
        """The next answer. Raises CallFailed."""

    def observe(self, call: RequestedCall, observation: Json) -> None:
        """What a call of that answer returned."""


class World(Protocol):
    """The simulator's side."""

    def step(self, tool: Tool, arguments: JsonObject) -> Json:
        """What a call returns. Raises CallFailed."""


class Faults(Protocol):
    """The fault plan of a trial, as `faults.of.injector_of` gives one."""

    def explicit(self, call: int, tool: Tool, arguments: JsonObject) -> FaultEvent | None:
        """The fault that a call meets before it is executed."""

    def implicit(self, call: int, tool: Tool, arguments: JsonObject, clean: Json) -> FaultEvent | None:
        """The fault that disturbs what a call returned."""


def play(agent: Player, world: World, faults: Faults, environment: Environment, limits: Limits) -> Trajectory:
    """Play a trial to its end.

    All calls of a turn are answered, in order. The step limit is looked at before each turn: once `limits.max_steps`
    calls were answered, the agent gets no further one. A failed call to a model ends the trial; what was answered
    before it is kept, and `error` names the place and the kind of the failure alone, which no replay changes.
    """
    turns: list[Turn] = []
    calls = 0
    while calls < limits.max_steps:
        try:
            turn = agent.next_turn()
        except CallFailed as failed:
            return _ended(turns, "agent_error", f"turn {len(turns)}: {failed.kind}")
        actions: list[Action] = []
        for call in turn.calls:
            try:
                action = _answer(calls, call, world, faults, environment)
            except CallFailed as failed:
                turns.append(_turn(turn, actions))
                return _ended(turns, "simulator_error", f"call {calls}: {failed.kind}")
            actions.append(action)
            agent.observe(call, action.observation)
            calls += 1
        turns.append(_turn(turn, actions))
        if not turn.calls:
            return Trajectory(turns=tuple(turns), answer=turn.text, termination="answered")
    return _ended(turns, "step_limit", "")


def _answer(
    number: int, call: RequestedCall, world: World, faults: Faults, environment: Environment
) -> Action:
    tool = environment.tool(call.tool)
    if call.problem or tool is None or call.arguments is None:
        return _action(number, call, refusal(call, environment)).model_copy(update={"by": "engine"})
    event = faults.explicit(number, tool, call.arguments)
    if event is not None:
        update = {"by": "faults", "fault": event}
        return _action(number, call, event.delivered).model_copy(update=update)
    clean = world.step(tool, call.arguments)
    event = faults.implicit(number, tool, call.arguments, clean)
    if event is None:
        return _action(number, call, clean)
    return _action(number, call, event.delivered).model_copy(update={"fault": event})


def _action(number: int, call: RequestedCall, observation: Json) -> Action:
    """An action that the simulator answered undisturbed. The text of arguments is kept only where it says more."""
    return Action.made(
        {
            "call": number,
            "id": call.id,
            "tool": call.tool,
            "arguments": call.arguments,
            "raw_arguments": call.raw_arguments if call.arguments is None else "",
            "observation": observation,
        }
    )


def _turn(turn: AgentTurn, actions: list[Action]) -> Turn:
    return Turn.made(
        {
            "text": turn.text,
            "reasoning": turn.reasoning,
            "finish_reason": turn.finish_reason,
            "actions": tuple(actions),
        }
    )


def _ended(turns: list[Turn], termination: Termination, error: str) -> Trajectory:
    return Trajectory(turns=tuple(turns), answer="", termination=termination, error=error)
