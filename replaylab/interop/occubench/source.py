"""Reads the published files as they are. What can't be read becomes a problem that names file, line and field."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, TypeVar

from pydantic import Field, ValidationError

from replaylab.canonical import NotIJson, parse_strict
from replaylab.given import read_given
from replaylab.schema.base import Frozen, JsonObject, in_json

TASKS_FILE = "eval_benchmark_solvable.jsonl"
POOL_FILE = "task_scenario_all_pool.jsonl"
CONFIGS_FOLDER = "world_model_configs"
MAX_FILE = 2**28  # bytes

Line = TypeVar("Line", bound=Frozen)


class SourceTask(Frozen):
    """A line of the task file."""

    task_id: int
    difficulty_level: int = Field(ge=1)
    task_scenario_name: str = Field(min_length=1)
    agent_instruction: str = Field(min_length=1)
    env_name: str = Field(min_length=1)
    verification_plan: str


class SourceTool(Frozen):
    """An entry of a configuration's action list; `example_output` may be missing, which is not the same as null."""

    name: str = Field(min_length=1)
    description: str = ""
    parameters: JsonObject
    example_output: object = None

    @property
    def has_example(self) -> bool:
        return "example_output" in self.model_fields_set


class SourceEnvironment(Frozen):
    """A configuration file. The prompt holds copies of the other fields; the fields are what counts."""

    environment_name: str = Field(min_length=1)
    world_model_system_prompt: str
    action_set_definitions: tuple[SourceTool, ...] = Field(min_length=1)
    state_description: JsonObject
    task_initial_state: JsonObject


class SourceScenario(Frozen):
    """A line of the pool file: a scenario's industry (`category`) and domain."""

    category: str
    domain: str
    task_scenario_name: str


class Source(NamedTuple):
    """All that was read, in the order of the files, and what could not be read."""

    tasks: tuple[SourceTask, ...]
    environments: dict[str, SourceEnvironment]
    pool: dict[str, SourceScenario]
    problems: tuple[str, ...]


def read_source(folder: Path) -> Source:
    """Everything in `folder`; a broken line or file is a problem, and the others are still read."""
    problems: list[str] = []
    tasks = _read_lines(folder / TASKS_FILE, SourceTask, problems)
    pool = {
        one.task_scenario_name: one for _, one in _read_lines(folder / POOL_FILE, SourceScenario, problems)
    }
    environments: dict[str, SourceEnvironment] = {}
    configs = folder / CONFIGS_FOLDER
    if not configs.is_dir():
        problems.append(f"{CONFIGS_FOLDER}: there is no such folder in {folder}")
    for path in sorted(configs.glob("*.json")):
        where = f"{CONFIGS_FOLDER}/{path.name}"
        one = _parse(_read(path, problems), where, SourceEnvironment, problems)
        if one is not None and one.environment_name != path.stem:
            problems.append(
                f"{where}: environment_name: it is {in_json(one.environment_name)}, unlike the file's name"
            )
        elif one is not None:
            environments[one.environment_name] = one
    problems.extend(_loose_ends(tasks, environments, pool))
    return Source(tuple(task for _, task in tasks), environments, pool, tuple(problems))


def _loose_ends(
    tasks: list[tuple[str, SourceTask]],
    environments: dict[str, SourceEnvironment],
    pool: dict[str, SourceScenario],
) -> list[str]:
    """Task ids that stand twice, and names that lead nowhere."""
    problems = []
    first: dict[int, str] = {}
    scenario_of: dict[str, str] = {}
    for where, task in tasks:
        if task.task_id in first:
            problems.append(f"{where}: task_id: {task.task_id} stands at {first[task.task_id]} already")
        if task.env_name not in environments:
            problems.append(f"{where}: env_name: there is no readable configuration {task.env_name!r}")
        if task.task_scenario_name not in pool:
            problems.append(f"{where}: task_scenario_name: {task.task_scenario_name!r} is not in {POOL_FILE}")
        scenario = scenario_of.setdefault(task.env_name, task.task_scenario_name)
        if scenario != task.task_scenario_name:
            problems.append(
                f"{where}: env_name: {task.env_name} belongs to the scenario {scenario!r} already"
            )
        first.setdefault(task.task_id, where)
    problems.extend(
        f"{CONFIGS_FOLDER}/{name}.json: no task names it, so it has no scenario"
        for name in sorted(environments.keys() - scenario_of.keys())
    )
    return problems


def _read(path: Path, problems: list[str]) -> bytes | None:
    try:
        return read_given(path, MAX_FILE)
    except FileNotFoundError:
        problems.append(f"{path.name}: the file is missing in {path.parent}")
    except OSError as error:
        problems.append(f"{path.name}: it can't be read: {error.strerror}")
    return None


def _read_lines(path: Path, shape: type[Line], problems: list[str]) -> list[tuple[str, Line]]:
    found = []
    for number, line in enumerate((_read(path, problems) or b"").split(b"\n"), 1):
        where = f"{path.name}:{number}"
        one = _parse(line, where, shape, problems) if line.strip() else None
        if one is not None:
            found.append((where, one))
    return found


def _parse(data: bytes | None, where: str, shape: type[Line], problems: list[str]) -> Line | None:
    if data is None:
        return None
    try:
        parse_strict(data)
        return shape.model_validate_json(data, strict=True)
    except NotIJson as error:
        problems.append(f"{where}: {error.what}")
    except ValidationError as error:
        problems.extend(f"{where}: {'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return None
