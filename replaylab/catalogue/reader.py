"""Reads one scenario folder into a Scenario, and refuses whatever does not fit together."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from replaylab.catalogue import files
from replaylab.errors import UsageError
from replaylab.near import closest, listed
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment, Scenario, Task, Tool

_TOOLS = TypeAdapter(tuple[Tool, ...])
_TOOL_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DEFAULT_CALLS = 16


def read_scenario(folder: Path) -> Scenario:
    """The scenario in `folder`. Raises UsageError naming the file and the field."""
    name = files.check_id(folder.name, folder)
    facts = files.read_shape(folder / files.SCENARIO_FILE, files.ScenarioFile)
    files.entries(folder, allowed=(files.SCENARIO_FILE, files.REFERENCE_FILE, "environments", "tasks"))
    homes = files.subfolders(folder / "environments")
    if homes:
        files.entries(folder / "environments", allowed=[home.name for home in homes])
    environments = tuple(read_environment(home) for home in homes)
    if not environments:
        raise UsageError(
            f"the scenario {name} has no environment",
            where=str(folder / "environments"),
            fix="add a folder environments/<id>",
        )
    by_id = {environment.id: environment for environment in environments}
    tasks = tuple(_read_task(path, name, by_id) for path in _task_files(folder / "tasks"))
    return Scenario(
        id=name,
        environments=environments,
        tasks=tasks,
        **facts.model_dump(exclude={"format"}),
    )


def read_environment(folder: Path) -> Environment:
    """The environment in `folder`. Raises UsageError naming the file and the field."""
    name = files.check_id(folder.name, folder)
    required = (
        files.ENVIRONMENT_FILE,
        files.PROMPT_FILE,
        files.TOOLS_FILE,
        files.STATE_FILE,
        files.DESCRIPTION_FILE,
    )
    files.entries(folder, allowed=(*required, files.TWIN_FILE))
    facts = files.read_shape(folder / files.ENVIRONMENT_FILE, files.EnvironmentFile)
    _check_clock(facts.clock, folder / files.ENVIRONMENT_FILE)
    return Environment(
        id=name,
        system_prompt=files.read_text(folder / files.PROMPT_FILE),
        tools=_read_tools(folder / files.TOOLS_FILE),
        initial_state=_read_object(folder / files.STATE_FILE),
        state_description=_read_object(folder / files.DESCRIPTION_FILE),
        **facts.model_dump(),
    )


def _read_object(path: Path) -> JsonObject:
    value = files.read_json(path)
    if not isinstance(value, dict):
        raise UsageError("the file must hold one JSON object", where=f"{path}: (the whole file)")
    return value


def _read_tools(path: Path) -> tuple[Tool, ...]:
    value = files.read_json(path)
    try:
        tools = _TOOLS.validate_json(files.read_text(path), strict=True)
    except ValidationError as error:
        raise files.wrong_fields(path, error, Tool) from error
    seen: set[str] = set()
    for number, tool in enumerate(tools):
        if not _TOOL_NAME.fullmatch(tool.name):
            raise UsageError(
                f"not a tool name: {tool.name!r}",
                where=f"{path}: {number}.name",
                fix="use letters, digits, '_' and '-', at most 64",
            )
        if tool.name in seen:
            raise UsageError(f"the tool {tool.name} stands twice", where=f"{path}: {number}.name")
        if tool.parameters.get("type") != "object":
            raise UsageError(
                f"the parameters of {tool.name} are not the JSON Schema of an object",
                where=f"{path}: {number}.parameters.type",
                fix='set "type": "object"',
            )
        seen.add(tool.name)
    if not tools:
        raise UsageError("an environment needs at least one tool", where=f"{path}: (the whole file)")
    return _without_absent_examples(tools, value)


def _without_absent_examples(tools: tuple[Tool, ...], value: object) -> tuple[Tool, ...]:
    """A tool whose file gives no example has none, though `has_example` is not written either."""
    given = value if isinstance(value, list) else []
    return tuple(
        tool if "example_output" in one else tool.model_copy(update={"has_example": False})
        for tool, one in zip(tools, given, strict=True)
    )


def _check_clock(clock: str, path: Path) -> None:
    if not clock:
        return
    try:
        moment = datetime.fromisoformat(clock)
    except ValueError as error:
        raise UsageError(f"not an ISO 8601 date and time: {clock!r}", where=f"{path}: clock") from error
    if moment.tzinfo is None:
        raise UsageError(f"the clock {clock!r} has no time zone", where=f"{path}: clock", fix="end it with Z")


def _task_files(folder: Path) -> list[Path]:
    return files.entries(folder, suffix=".json") if folder.is_dir() else []


def _read_task(path: Path, scenario: str, environments: dict[str, Environment]) -> Task:
    one = files.read_shape(path, files.TaskFile)
    environment = environments.get(one.environment)
    if environment is None:
        raise UsageError(
            f"the task {path.stem} names an environment that the scenario does not have: {one.environment!r}",
            where=f"{path}: environment",
            closest=closest(one.environment, environments),
            fix=f"it has {listed(environments)}",
        )
    for number, call in enumerate(one.plan.calls if one.plan else ()):
        if environment.tool(call.tool) is None:
            names = [tool.name for tool in environment.tools]
            raise UsageError(
                f"the plan calls a tool that {environment.id} does not have: {call.tool!r}",
                where=f"{path}: plan.calls.{number}.tool",
                closest=closest(call.tool, names),
                fix=f"it has {listed(names, len(names))}",
            )
    calls = one.expected_calls or (len(one.plan.calls) if one.plan else 0) or _DEFAULT_CALLS
    return Task(
        id=files.check_id(path.stem, path),
        scenario=scenario,
        environment=one.environment,
        instruction=one.instruction,
        rubric=one.rubric,
        plan=one.plan,
        difficulty=one.difficulty,
        expected_calls=calls,
        origin=one.origin,
    )
