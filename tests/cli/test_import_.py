"""The command `import`, over the two-task copy of the published files' shape that is written here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call

CONFIG = {
    "environment_name": "env_1",
    "world_model_system_prompt": "You are a gate. {{initial_state}}",
    "action_set_definitions": [
        {
            "name": "open",
            "description": "Opens.",
            "parameters": {"type": "object"},
            "example_output": {"ok": True},
        }
    ],
    "state_description": {"open": "whether it is open"},
    "task_initial_state": {"open": False},
}
TASK = {
    "task_id": 7,
    "difficulty_level": 1,
    "task_scenario_name": "Gate Keeping",
    "agent_instruction": "Open the gate.",
    "env_name": "env_1",
    "verification_plan": "It is open.",
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "published"
    (folder / "world_model_configs").mkdir(parents=True)
    pool = [
        {"category": "Safety", "domain": "Doors", "task_scenario_name": name}
        for name in ("Gate Keeping", "No Tasks")
    ]
    (folder / "world_model_configs" / "env_1.json").write_text(json.dumps(CONFIG), encoding="utf-8")
    (folder / "eval_benchmark_solvable.jsonl").write_text(json.dumps(TASK) + "\n", encoding="utf-8")
    (folder / "task_scenario_all_pool.jsonl").write_text("\n".join(map(json.dumps, pool)), encoding="utf-8")
    return folder


def test_an_import_can_be_listed_at_once(call: Call, source: Path) -> None:
    assert call("import", "occubench", str(source), "--into", "build/new/gates").code == 0
    listed = json.loads(call("scenarios", "--scenarios", "build/new/gates", "--json").out)["scenarios"]
    assert [one["industry"] for one in listed if one["origin"] == "imported"] == ["Safety"]


def test_the_summary_says_what_is_there_and_what_is_odd(call: Call, source: Path) -> None:
    told = call("import", "occubench", str(source), "--into", "gates").out
    assert "1 scenarios, 1 environments, 1 tasks in gates" in told
    assert "No Tasks" in told
    assert "inline_placeholder" in told


def test_the_document_holds_the_summary(call: Call, source: Path) -> None:
    document = json.loads(call("import", "occubench", str(source), "--into", "gates", "--json").out)
    assert (document["schema"], document["ok"], document["findings"]) == ("replaylab/import/1", True, [])
    assert (document["tasks"], document["changed"], document["into"]) == (1, True, "gates")
    assert "inline_placeholder" in [one["kind"] for one in document["irregularities"]]


def test_the_same_import_again_changes_nothing_and_says_so(call: Call, source: Path) -> None:
    arguments = ("import", "occubench", str(source), "--into", "gates")
    call(*arguments)
    assert "already" in call(*arguments).out
    assert json.loads(call(*arguments, "--json").out)["changed"] is False


def test_another_import_into_the_same_folder_is_refused_unless_asked_for(
    call: Call, source: Path, tmp_path: Path
) -> None:
    arguments = ("import", "occubench", str(source), "--into", "gates")
    call(*arguments)
    config = source / "world_model_configs" / "env_1.json"
    config.write_text(json.dumps(CONFIG | {"state_description": {"open": "changed"}}), encoding="utf-8")
    refused = call(*arguments)
    assert refused.code == 2
    assert "something else" in refused.err
    assert call(*arguments, "--replace").code == 0


def test_a_broken_line_stops_the_import_and_nothing_is_written(
    call: Call, source: Path, tmp_path: Path
) -> None:
    (source / "eval_benchmark_solvable.jsonl").write_text('{"task_id": 7}\n', encoding="utf-8")
    ended = call("import", "occubench", str(source), "--into", "gates", "--json")
    assert ended.code == 2
    assert "eval_benchmark_solvable.jsonl:1" in json.loads(ended.out)["error"]["what"]
    assert not (tmp_path / "gates").exists()


def test_an_import_of_an_unknown_kind_is_wrong_usage(call: Call) -> None:
    assert call("import", "nonsense").code == 2
