"""An import is whole or not at all, the same each time, and never writes over other files."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.interop.occubench import ImportRefused, import_occubench
from replaylab.interop.occubench.convert import PLACEHOLDER, split_prompt
from replaylab.interop.occubench.source import read_source
from replaylab.roles.simulator import render_system
from replaylab.schema.model import ModelSettings
from tests.interop.occubench.made import config, source, task, tree, write_config

INDUSTRIES = {
    "Business & Enterprise": 63,
    "Technology & IT": 50,
    "Industrial & Engineering": 55,
    "Transportation & Logistics": 53,
    "Commerce & Consumer": 36,
    "Education & Culture": 32,
    "Healthcare & Life Sciences": 21,
    "Public Service & Governance": 25,
    "Agriculture & Environment": 31,
    "Science & Research": 16,
}


@pytest.fixture(scope="module")
def published(occubench: Path, tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    """All of the published data, imported and read again."""
    into = tmp_path_factory.mktemp("imported") / "occubench"
    started = time.process_time()
    summary = import_occubench(occubench, into)
    assert time.process_time() - started < 10
    assert (summary.scenarios, summary.environments, summary.tasks) == (98, 382, 382)
    assert set(summary.scenarios_without_tasks) == {
        "Crop Disease Diagnosis",
        "Autonomous Driving Scenario Planning",
    }
    return Catalogue.load([into])


def test_all_382_tasks_arrive_in_their_industries(published: Catalogue) -> None:
    counts: Counter[str] = Counter()
    for scenario in published.scenarios:
        counts[scenario.industry] += len(scenario.tasks)
    assert counts == INDUSTRIES


def test_nothing_of_a_task_or_a_field_is_lost(published: Catalogue, occubench: Path) -> None:
    read = read_source(occubench)
    assert len(read.tasks) == 382
    for one in read.tasks:
        scenario, environment, task = published.task(f"occubench-{one.task_id}")
        config = read.environments[one.env_name]
        assert (scenario.name, environment.id) == (one.task_scenario_name, one.env_name)
        assert (task.instruction, task.rubric.text) == (one.agent_instruction, one.verification_plan)
        assert (task.difficulty, task.expected_calls, task.origin) == (one.difficulty_level, 16, "imported")
        assert json.dumps(environment.initial_state) == json.dumps(config.task_initial_state)
        assert json.dumps(environment.state_description) == json.dumps(config.state_description)
        for tool, known in zip(environment.tools, config.action_set_definitions, strict=True):
            assert (tool.name, tool.description, tool.parameters) == (
                known.name,
                known.description,
                known.parameters,
            )
            assert (tool.has_example, tool.example_output) == (known.has_example, known.example_output)


def test_escaping_a_cleaned_prompt_gives_the_author_s_text_back(
    published: Catalogue, occubench: Path
) -> None:
    read = read_source(occubench)
    for environment in published.environments:
        parts = PLACEHOLDER.split(environment.system_prompt)
        parts[::2] = [part.replace("{", "{{").replace("}", "}}") for part in parts[::2]]
        body = split_prompt(read.environments[environment.id].world_model_system_prompt).body
        assert "".join(parts) == body.removesuffix("\n")


def test_a_simulator_prompt_of_every_environment_has_the_state_once(published: Catalogue) -> None:
    settings = ModelSettings(alias="any", model="any")
    for environment in published.environments:
        rendered = render_system(environment, settings)
        assert "{{initial_state}}" not in rendered
        assert "{{action_set_definitions}}" not in rendered
        assert rendered.count("```json") >= 3


def test_imported_and_shipped_scenarios_live_in_one_catalogue(published: Catalogue) -> None:
    folders = [published.folder(scenario.id) for scenario in published.scenarios]
    both = Catalogue.load([shipped(), *folders])
    assert len(both.tasks) == 382 + len(Catalogue.load([shipped()]).tasks)


def test_effects_are_guessed_and_some_stay_unknown(published: Catalogue) -> None:
    tools = [tool for environment in published.environments for tool in environment.tools]
    counts = Counter(tool.effect for tool in tools)
    assert len(tools) == 2_089
    assert {tool.effect_from for tool in tools} == {"inferred"}
    assert counts["read"] > 900
    assert counts["write"] > 700
    assert counts["unknown"] < 400


def test_a_scenario_folder_holds_all_environments_and_tasks_of_its_name(tmp_path: Path) -> None:
    into = tmp_path / "into"
    summary = import_occubench(source(tmp_path), into)
    assert summary.changed
    assert summary.scenarios_without_tasks == ("Nobody's Job",)
    catalogue = Catalogue.load([into])
    assert [one.id for one in catalogue.scenarios] == [
        "occubench-lock-dam-flow",
        "occubench-tank-farm-control",
    ]
    assert [one.id for one in catalogue.scenarios[1].tasks] == ["occubench-9", "occubench-10"]


def test_importing_again_changes_nothing(tmp_path: Path) -> None:
    folder, into = source(tmp_path), tmp_path / "into"
    import_occubench(folder, into)
    before = tree(into)
    assert not import_occubench(folder, into).changed
    assert tree(into) == before


def test_two_imports_have_the_same_bytes(tmp_path: Path) -> None:
    folder = source(tmp_path)
    for name in "ab":
        import_occubench(folder, tmp_path / name)
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_other_bytes_are_refused_and_stay_unless_replacing_is_asked_for(tmp_path: Path) -> None:
    folder, into = source(tmp_path), tmp_path / "into"
    import_occubench(folder, into)
    before = tree(into)
    write_config(folder, config("env_a", state_description={"tanks": "New.", "mode": "New."}))
    with pytest.raises(ImportRefused) as caught:
        import_occubench(folder, into)
    assert caught.value.where.endswith("env_a/description.json")
    assert tree(into) == before
    assert import_occubench(folder, into, replace=True).changed
    assert b"New." in tree(into)["occubench-tank-farm-control/environments/env_a/description.json"]


def test_replacing_never_removes_what_no_import_wrote(tmp_path: Path) -> None:
    folder, into = source(tmp_path), tmp_path / "into"
    into.mkdir()
    (into / "thesis.txt").write_text("years of work", encoding="utf-8")
    for replace in (False, True):
        with pytest.raises(ImportRefused, match="the folder holds"):
            import_occubench(folder, into, replace=replace)
    assert tree(into) == {"thesis.txt": b"years of work"}


def test_a_broken_source_writes_nothing_and_its_summary_tells_all(tmp_path: Path) -> None:
    folder, into = source(tmp_path), tmp_path / "into"
    path = folder / "eval_benchmark_solvable.jsonl"
    path.write_text(path.read_text("utf-8") + json.dumps(task(12, "env_z")) + '\n{"task_id', encoding="utf-8")
    with pytest.raises(ImportRefused) as caught:
        import_occubench(folder, into)
    assert len(caught.value.summary.problems) == 2
    assert caught.value.summary.tasks == 3
    assert all(problem in str(caught.value) for problem in caught.value.summary.problems)
    assert not into.exists()


@pytest.mark.parametrize("spoiled", [False, True])
def test_nothing_is_left_beside_the_folder(tmp_path: Path, spoiled: bool) -> None:
    folder, into = source(tmp_path), tmp_path / "out" / "into"
    import_occubench(folder, into)
    (into.parent / ".into.importing").mkdir()  # left by an import that was killed
    if spoiled:
        (into / "occubench-tank-farm-control" / "scenario.json").unlink()
        with pytest.raises(ImportRefused):
            import_occubench(folder, into)
    import_occubench(folder, into, replace=True)
    assert [path.name for path in into.parent.iterdir()] == ["into"]


def test_a_summary_is_plain_json(tmp_path: Path) -> None:
    summary = import_occubench(source(tmp_path), tmp_path / "into").to_json()
    assert json.loads(json.dumps(summary)) == summary
    kinds = {one["kind"]: one for one in summary["irregularities"]}
    assert kinds["example_missing"] == {
        "kind": "example_missing",
        "meaning": "a tool has no example output",
        "count": 3,
        "environments": 3,
        "example": "env_a",
    }
