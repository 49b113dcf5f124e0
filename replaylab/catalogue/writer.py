"""Writes scenarios in the format that `reader` reads: the same value gives the same bytes."""

from __future__ import annotations

import json
from pathlib import Path

from replaylab.catalogue import files
from replaylab.errors import StoreError
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, Scenario, Task, Tool


def write_scenario(scenario: Scenario, root: Path) -> Path:
    """Write `root`/<id>, which must not exist yet, and return it. Raises StoreError when it can't be written.

    What it writes reads back as an equal Scenario, as long as every text uses plain line ends.
    """
    folder = root / files.check_id(scenario.id, root)
    try:
        folder.mkdir(parents=True)
        for environment in scenario.environments:
            _write_environment(environment, folder / "environments" / files.check_id(environment.id, folder))
        for task in scenario.tasks:
            _write_json(folder / "tasks" / f"{files.check_id(task.id, folder)}.json", _task(task))
        facts = scenario.model_dump(mode="json", exclude={"id", "environments", "tasks"})
        _write_json(folder / files.SCENARIO_FILE, {"format": files.SCENARIO_FORMAT, **facts})
    except OSError as error:
        raise StoreError(
            f"the scenario {scenario.id} can't be written: {error.strerror}", where=str(folder)
        ) from error
    return folder


def _write_environment(environment: Environment, folder: Path) -> None:
    _write_text(folder / files.PROMPT_FILE, environment.system_prompt)
    _write_json(folder / files.TOOLS_FILE, [_tool(tool) for tool in environment.tools])
    _write_json(folder / files.STATE_FILE, environment.initial_state)
    _write_json(folder / files.DESCRIPTION_FILE, environment.state_description)
    facts = environment.model_dump(mode="json", include={"clock", "origin", "notes"})
    _write_json(folder / files.ENVIRONMENT_FILE, facts)


def _tool(tool: Tool) -> JsonObject:
    """A tool without an example has no `example_output`; one whose example is null keeps it."""
    absent = {"has_example"} if tool.has_example else {"has_example", "example_output"}
    return tool.model_dump(mode="json", exclude=absent)


def _task(task: Task) -> JsonObject:
    value: JsonObject = task.model_dump(mode="json", exclude={"id", "scenario"})
    return {key: part for key, part in value.items() if part is not None}


def _write_json(path: Path, value: Json) -> None:
    _write_text(path, json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False))


def _write_text(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")
