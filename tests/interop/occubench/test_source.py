"""What is wrong with a source is told by file, line and field, all of it at once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.interop.occubench.source import read_source
from replaylab.schema.base import JsonObject
from tests.interop.occubench.made import config, source, task, write_config

TASKS, POOL, CONFIGS = "eval_benchmark_solvable.jsonl", "task_scenario_all_pool.jsonl", "world_model_configs"


def _append(name: str, text: str) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        path = folder / name
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    return spoil


def _task(number: int, environment: str, **changes: object) -> Callable[[Path], None]:
    return _append(TASKS, json.dumps(task(number, environment) | changes) + "\n")


def _config(file: str, one: JsonObject) -> Callable[[Path], object]:
    return lambda folder: (folder / CONFIGS / file).write_text(json.dumps(one), encoding="utf-8")


SPOILED = {
    "a torn line": (_append(TASKS, '{"task_id": 12, "diff'), f"{TASKS}:4: not JSON"),
    "an unknown environment": (_task(12, "env_z"), f"{TASKS}:4: env_name"),
    "an unknown scenario": (_task(12, "env_a", task_scenario_name="X"), f"{TASKS}:4: task_scenario_name"),
    "a number that stands twice": (_task(9, "env_a"), f"{TASKS}:4: task_id: 9 stands at {TASKS}:2"),
    "a number as text": (_task(12, "env_a", task_id="12"), f"{TASKS}:4: task_id"),
    "a field that nobody knows": (_task(12, "env_a", solution_plan="x"), f"{TASKS}:4: solution_plan"),
    "an environment in two scenarios": (
        _task(12, "env_c"),
        f"{TASKS}:4: env_name: env_c belongs to the scenario 'Lock & Dam: Flow' already",
    ),
    "no task file": (lambda folder: (folder / TASKS).unlink(), f"{TASKS}: the file is missing"),
    "no pool file": (lambda folder: (folder / POOL).unlink(), f"{POOL}: the file is missing"),
    "no configurations": (
        lambda folder: shutil.rmtree(folder / CONFIGS),
        f"{CONFIGS}: there is no such folder",
    ),
    "a torn configuration": (
        lambda folder: (folder / CONFIGS / "env_a.json").write_text('{"environment_name"', encoding="utf-8"),
        f"{CONFIGS}/env_a.json: not JSON",
    ),
    "a configuration under another name": (
        _config("env_d.json", config("env_e")),
        f"{CONFIGS}/env_d.json: environment_name",
    ),
    "a configuration that no task names": (
        _config("env_d.json", config("env_d")),
        f"{CONFIGS}/env_d.json: no task",
    ),
    "a configuration without tools": (
        lambda folder: write_config(folder, config("env_a", action_set_definitions=[])),
        f"{CONFIGS}/env_a.json: action_set_definitions",
    ),
    "a state that is no object": (
        lambda folder: write_config(folder, config("env_a", task_initial_state=[])),
        f"{CONFIGS}/env_a.json: task_initial_state",
    ),
    "a key that stands twice": (
        lambda folder: (folder / CONFIGS / "env_a.json").write_text('{"a": 1, "a": 2}', encoding="utf-8"),
        f"{CONFIGS}/env_a.json: not I-JSON",
    ),
}


def test_a_sound_source_has_no_problems(tmp_path: Path) -> None:
    read = read_source(source(tmp_path))
    assert read.problems == ()
    assert [one.task_id for one in read.tasks] == [10, 9, 3]
    assert sorted(read.environments) == ["env_a", "env_b", "env_c"]


@pytest.mark.parametrize("name", SPOILED)
def test_a_problem_names_file_line_and_field_and_the_rest_is_still_read(tmp_path: Path, name: str) -> None:
    spoil, told = SPOILED[name]
    folder = source(tmp_path)
    spoil(folder)
    read = read_source(folder)
    assert any(problem.startswith(told) for problem in read.problems), read.problems
    assert read.tasks or read.environments


def test_all_problems_are_told_at_once(tmp_path: Path) -> None:
    folder = source(tmp_path)
    for name in ("a torn line", "a torn configuration"):
        SPOILED[name][0](folder)
    # The task of the torn configuration leads nowhere, which is told too.
    assert len(read_source(folder).problems) == 3
