"""What a scenario folder may hold, and how each mistake in it is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.catalogue.reader import read_scenario
from replaylab.errors import UsageError
from tests.catalogue.folders import LOOK, TASK, TOOL, change, put, scenario

YARD = "environments/yard"
TASK_FILE = "tasks/gates-1.json"


def test_a_folder_is_read_into_a_scenario(tmp_path: Path) -> None:
    one = read_scenario(scenario(tmp_path))
    assert (one.id, one.name, one.industry, one.domain, one.origin) == (
        "gates",
        "Gates",
        "Farming",
        "Gates",
        "authored",
    )
    environment, task = one.environments[0], one.tasks[0]
    assert (environment.id, environment.clock) == ("yard", "2025-01-01T08:00:00Z")
    assert environment.initial_state == {"gates": {"G-1": False}, "tries": 0}
    assert [tool.name for tool in environment.tools] == ["open_gate", "look"]
    assert (task.id, task.scenario, task.environment) == ("gates-1", "gates", "yard")
    assert task.plan is not None
    assert task.plan.calls[1].arguments == {"gate": "G-1"}


def test_the_last_newline_of_a_prompt_is_not_part_of_it_and_the_others_are(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    put(folder / YARD / "system_prompt.md", "\nOne.\n\n")
    assert read_scenario(folder).environments[0].system_prompt == "\nOne.\n"


def test_windows_line_ends_give_the_same_environment(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    (folder / YARD / "system_prompt.md").write_bytes(b"One.\nTwo.\n")
    plain = read_scenario(folder).environments[0]
    (folder / YARD / "system_prompt.md").write_bytes(b"One.\r\nTwo.\r\n")
    assert read_scenario(folder).environments[0] == plain


def test_an_example_that_is_null_is_an_example_and_one_that_is_missing_is_none(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    bare = {key: part for key, part in TOOL.items() if key != "example_output"}
    put(folder / YARD / "tools.json", [bare, LOOK])
    assert [tool.has_example for tool in read_scenario(folder).environments[0].tools] == [False, True]


@pytest.mark.parametrize(
    ("fields", "calls"),
    [({}, 2), ({"plan": None}, 16), ({"expected_calls": 9}, 9), ({"plan": None, "expected_calls": 9}, 9)],
)
def test_expected_calls_are_what_the_file_says_else_the_plan_s_length_else_16(
    tmp_path: Path, fields: dict[str, object], calls: int
) -> None:
    folder = scenario(tmp_path)
    change(folder / TASK_FILE, **fields)
    assert read_scenario(folder).tasks[0].expected_calls == calls


def test_hidden_files_and_build_leftovers_are_left_alone(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    put(folder / ".DS_Store", "x")
    put(folder / YARD / "__pycache__" / "twin.cpython-311.pyc", "x")
    put(folder / "tasks" / ".gates-1.json.swp", "x")
    assert len(read_scenario(folder).tasks) == 1


def _write(name: str, value: object) -> Callable[[Path], None]:
    return lambda folder: put(folder / name, value)


def _set(name: str, **fields: object) -> Callable[[Path], None]:
    return lambda folder: change(folder / name, **fields)


def _remove(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _rename(name: str, to: str) -> Callable[[Path], object]:
    return lambda folder: (folder / name).rename(folder / to)


BROKEN = {
    "a missing file": (_remove(f"{YARD}/state.json"), "state.json", "missing"),
    "a missing scenario file": (_remove("scenario.json"), "scenario.json", "missing"),
    "torn JSON": (_write(TASK_FILE, '{"environment": "yard"'), TASK_FILE, "not JSON"),
    "a key that stands twice": (_write(f"{YARD}/state.json", '{"a": 1, "a": 2}'), "state.json", "'a'"),
    "a number without a double": (_write(f"{YARD}/state.json", '{"a": NaN}'), "state.json", "NaN"),
    "a byte order mark": (_write(f"{YARD}/state.json", "\ufeff{}"), "state.json", "byte order mark"),
    "a state that is a list": (_write(f"{YARD}/state.json", []), "state.json", "object"),
    "an unknown field": (_set(TASK_FILE, instructions="x"), f"{TASK_FILE}: instructions", "instruction"),
    "a missing field": (_set(TASK_FILE, instruction=None), f"{TASK_FILE}: instruction", "required"),
    "a field of another type": (_set(TASK_FILE, difficulty="2"), f"{TASK_FILE}: difficulty", "integer"),
    "a difficulty below 1": (_set(TASK_FILE, difficulty=0), f"{TASK_FILE}: difficulty", "1"),
    "an unknown format": (
        _set("scenario.json", format="replaylab.scenario/9"),
        "scenario.json: format",
        "/1",
    ),
    "an empty industry": (_set("scenario.json", industry=""), "scenario.json: industry", "1 character"),
    "an unknown environment": (_set(TASK_FILE, environment="yrad"), f"{TASK_FILE}: environment", "yard"),
    "a plan with an unknown tool": (
        _set(TASK_FILE, plan={"calls": [{"tool": "open_gat"}], "answer": ""}),
        f"{TASK_FILE}: plan.calls.0.tool",
        "open_gate",
    ),
    "a purpose that does not exist": (
        _set(TASK_FILE, plan={"calls": [{"tool": "look", "purpose": "check"}], "answer": ""}),
        f"{TASK_FILE}: plan.calls.0.purpose",
        "verify",
    ),
    "a clock that is no time": (
        _set(f"{YARD}/environment.json", clock="noon"),
        "environment.json: clock",
        "noon",
    ),
    "a clock without a zone": (
        _set(f"{YARD}/environment.json", clock="2025-01-01T08:00:00"),
        "environment.json: clock",
        "zone",
    ),
    "a tool that stands twice": (_write(f"{YARD}/tools.json", [TOOL, TOOL]), "tools.json: 1.name", "twice"),
    "a tool name that no API takes": (
        _write(f"{YARD}/tools.json", [TOOL | {"name": "open gate"}]),
        "tools.json: 0.name",
        "open gate",
    ),
    "an effect that does not exist": (
        _write(f"{YARD}/tools.json", [TOOL | {"effect": "reads"}]),
        "tools.json: 0.effect",
        "read",
    ),
    "parameters that are no object": (
        _write(f"{YARD}/tools.json", [TOOL | {"parameters": {"type": "array"}}]),
        "tools.json: 0.parameters.type",
        "object",
    ),
    "no tools": (_write(f"{YARD}/tools.json", []), "tools.json", "tool"),
    "a file that nothing reads": (_write(f"{YARD}/twins.py", ""), "twins.py", "twin.py"),
    "a task file of another kind": (_write("tasks/gates-2.yaml", ""), "gates-2.yaml", "json"),
    "a stray file beside the environments": (
        _write("environments/notes.md", ""),
        "notes.md",
        "nothing reads",
    ),
    "a task id that is no file name everywhere": (
        _rename(TASK_FILE, "tasks/gates 1.json"),
        "gates 1.json",
        "not an id",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_each_mistake_names_the_file_the_field_and_what_comes_closest(tmp_path: Path, name: str) -> None:
    spoil, where, part = BROKEN[name]
    folder = scenario(tmp_path)
    spoil(folder)
    with pytest.raises(UsageError) as caught:
        read_scenario(folder)
    assert where in caught.value.where
    assert part in str(caught.value)


def test_all_wrong_fields_of_a_file_are_told_at_once(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    put(folder / TASK_FILE, {key: part for key, part in TASK.items() if key == "plan"})
    with pytest.raises(UsageError) as caught:
        read_scenario(folder)
    assert all(field in caught.value.what for field in ("environment", "instruction", "rubric"))


def test_a_scenario_without_environment_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "empty" / "scenario.json", (scenario(tmp_path) / "scenario.json").read_text("utf-8"))
    with pytest.raises(UsageError, match="no environment"):
        read_scenario(tmp_path / "empty")
