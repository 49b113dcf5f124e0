"""Rules that need the twin to run: how it behaves, that plans solve their tasks, and that wrong ways don't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from jsonschema import Draft202012Validator

from replaylab.builtin.arguments import arguments_for
from replaylab.catalogue.twin import Twin
from replaylab.checks.failure import is_error
from replaylab.examine.found import finding
from replaylab.examine.mutants import trivial_ways
from replaylab.examine.stage import Judged, Stage, observed
from replaylab.roles.shapes import observation_schema
from replaylab.schema.base import JsonObject
from replaylab.schema.finding import Finding
from replaylab.schema.scenario import Environment, PlannedCall, Tool

Ways = dict[str, tuple[tuple[PlannedCall, ...], str]]


def twin_findings(environment: Environment, twin: Twin, path: Path) -> Iterator[Finding]:
    """How a twin at its initial state, whose file is `path`, takes bad arguments. Raises UsageError where it breaks."""
    for tool in environment.tools:
        for what, arguments in _bad_arguments(tool).items():
            observation = observed(twin, tool.name, arguments, environment.id)
            if not is_error(observation):
                message = f"{tool.name} accepts {what}: {arguments}"
                yield finding("twin-accepts", path, tool.name, message, arguments)
    if twin.state() != environment.initial_state:
        yield finding("twin-state", path, "(the whole file)", "refused calls change the state")


def _bad_arguments(tool: Tool) -> dict[str, JsonObject]:
    """Arguments that a good API refuses, by what is wrong with them."""
    properties: JsonObject = tool.parameters.get("properties", {})
    bad: dict[str, JsonObject] = {"an argument that it does not have": {"no_such_argument": 1}}
    bad |= {f"a list of a list as {name}": {name: [["x"]]} for name in properties}
    if tool.parameters.get("required"):
        bad["no argument at all"] = {}
    # Things are named by text; numbers and enums are what the schema allows.
    valid = arguments_for(tool.parameters) or {}
    texts = {
        name: "no-such-thing"
        for name, part in properties.items()
        if isinstance(part, dict) and part.get("type") == "string" and "enum" not in part and name in valid
    }
    return bad | ({"a thing that there is not": valid | texts} if texts else {})


def plan_findings(stage: Stage, path: Path) -> Iterator[Finding]:
    """Whether the plan in `path` solves its task on the twin, call by call. Raises UsageError."""
    judged = stage.judge(stage.plan, stage.answer)
    for action in judged.trajectory.actions:
        field = f"plan.calls.{action.call}"
        tool = stage.found.environment.tool(action.tool)
        if is_error(action.observation):
            what = f"the twin refuses {action.tool}: {action.observation['error']}"
            yield finding("plan-refused", path, field, what, action.observation)
        elif tool is not None:
            yield from _shape_findings(tool, action.observation, path, field)
    for number, result in enumerate(judged.results):
        if result.result != "pass":
            what = f"the plan does not pass the check {result.id!r} ({result.result}): {result.reason}"
            yield finding("plan-fails", path, f"rubric.checks.{number}", what, result.result)
    yield from _effect_findings(stage, path)
    if [one.observation for one in _again(stage).trajectory.actions] != [
        one.observation for one in judged.trajectory.actions
    ]:
        what = "the same calls gave other observations the second time"
        yield finding("twin-random", path, "plan.calls", what)


def _again(stage: Stage) -> Judged:
    """The plan on another fresh twin."""
    return Stage(stage.found, stage.twin).judge(stage.plan, stage.answer)


def _shape_findings(tool: Tool, observation: object, path: Path, field: str) -> Iterator[Finding]:
    if not isinstance(observation, dict):
        yield finding("shape", path, field, f"{tool.name} returned no object")
        return
    for error in Draft202012Validator(observation_schema(tool)).iter_errors(observation):
        first = min(
            error.context or [error], key=lambda one: len(str(one.schema)) * (one.validator == "required")
        )
        place = ".".join(map(str, first.absolute_path)) or "its fields"
        what = f"{tool.name} returned what its example does not have, at {place}: {first.message}"
        yield finding("shape", path, field, what[:400])


def _effect_findings(stage: Stage, path: Path) -> Iterator[Finding]:
    """Reads leave the state alone, and writes of a plan change it."""
    twin = stage.twin()
    for number, call in enumerate(stage.plan):
        tool, before = stage.found.environment.tool(call.tool), twin.state()
        observation = observed(twin, call.tool, call.arguments, stage.found.environment.id)
        changed = twin.state() != before
        if tool is not None and not is_error(observation) and changed != (tool.effect == "write"):
            what = (
                f"{call.tool} is a {tool.effect}, but {'changes' if changed else 'does not change'} the state"
            )
            yield finding("effect", path, f"plan.calls.{number}", what)


def wrong_findings(stage: Stage, path: Path) -> Iterator[Finding]:
    """Wrong ways through the task that pass. Only for a task that its plan solves. Raises UsageError."""
    for name, (calls, answer) in wrong_ways(stage).items():
        outcome = stage.judge(calls, answer).outcome
        if outcome != "fail":
            yield finding("wrong-passes", path, f"rubric.checks ({name})", f"{outcome}: {name}", outcome)


def wrong_ways(stage: Stage) -> Ways:
    """Ways that have to fail, by name."""
    plan, answer = stage.plan, stage.answer
    ways: Ways = {
        "the right answer without any call": ((), answer),
        "the plan without an answer": (plan, ""),
        "the plan with an answer that says nothing": (plan, "It is done."),
        "the plan backwards": (plan[::-1], answer),
    }
    for number, call in enumerate(plan):
        if call.purpose == "act":
            name = f"the plan without call {number}, {call.tool}"
            ways[name] = ((*plan[:number], *plan[number + 1 :]), answer)
    return ways | trivial_ways(stage.found)
