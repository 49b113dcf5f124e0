"""Small trajectories for the tests of checks."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.checks import run_checks
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.fault import FaultEvent
from replaylab.schema.scenario import Environment, Tool
from replaylab.schema.trajectory import Action, CheckResult, Trajectory, Turn

Call = tuple[str, JsonObject, Json]


def action(place: int, tool: str, arguments: JsonObject | None, observation: Json) -> Action:
    return Action(call=place, id=f"c{place}", tool=tool, arguments=arguments, observation=observation)


def disturbed(place: int, tool: str, arguments: JsonObject, clean: Json, delivered: Json) -> Action:
    event = FaultEvent(
        fault=0, kind="truncated", call=place, tool=tool, left=0, clean=clean, delivered=delivered
    )
    return Action(
        call=place, id=f"c{place}", tool=tool, arguments=arguments, observation=delivered, fault=event
    )


def trial(calls: Sequence[Call | Action], answer: str = "") -> Trajectory:
    actions = [call if isinstance(call, Action) else action(place, *call) for place, call in enumerate(calls)]
    turns = [Turn(actions=(one,)) for one in actions]
    return Trajectory(turns=(*turns, Turn(text=answer)), answer=answer, termination="answered")


def environment(*tools: str) -> Environment:
    return Environment(
        id="env",
        system_prompt="",
        tools=tuple(Tool(name=name) for name in tools),
        initial_state={},
        state_description={},
    )


def check(
    written: JsonObject, calls: Sequence[Call | Action] = (), answer: str = "", *others: JsonObject
) -> CheckResult:
    """The result of one check, which gets the id "it"; `others` stand in the same rubric."""
    trajectory = trial(calls, answer)
    named = {name for one in (written, *others) for name in _tools(one)}
    tools = sorted(named | {one.tool for one in trajectory.actions})
    return run_checks([{"id": "it", **written}, *others], trajectory, environment(*tools))[0]


def _tools(written: Json) -> set[str]:
    if isinstance(written, list):
        return {name for part in written for name in _tools(part)}
    if not isinstance(written, dict):
        return set()
    tool = written.get("tool", [])
    inner = {name for part in written.values() for name in _tools(part)}
    return inner | ({tool} if isinstance(tool, str) else set(tool))
