"""What a line means: environment, task and players, and how calls and observations are read."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.interop.transcript.lines import Raw, Wrong, read_lines
from replaylab.interop.transcript.meaning import Meaning, Transcript
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import UNDATED
from replaylab.wire.redact import Redactor
from tests.interop.transcript.made import CONFIG, GATES, line, no_catalogue, step, written

TRIAGE = "emergency-department-triage"
PUBLISHED = {
    "task_id": 7,
    "difficulty_level": 2,
    "task_scenario_name": "Gate Keeping",
    "agent_instruction": "Open the gate.",
    "env_name": "hall",
    "verification_plan": "It is open.",
}


@cache
def catalogue() -> Catalogue:
    return Catalogue.load([shipped() / TRIAGE, shipped() / "escalation-workflow-management"])


def read(tmp_path: Path, keep_unknown: bool = False, **changed: Any) -> Transcript:
    redact = Redactor(["a-very-secret-value"]).value
    path = written(tmp_path / "t.jsonl", line(**changed))
    (raw,) = read_lines({"t.jsonl": path}, redact, keep_unknown=keep_unknown)
    assert isinstance(raw, Raw), raw
    known = catalogue if isinstance(changed.get("environment"), str) else no_catalogue
    return Meaning(known, redact, keep_unknown).read(raw)


def wrong(tmp_path: Path, **changed: Any) -> tuple[str, str]:
    with pytest.raises(Wrong) as caught:
        read(tmp_path, **changed)
    field, why = caught.value.problems[0]
    return field, why


def said(tmp_path: Path, **changed: Any) -> tuple[str, str | None, tuple[str, ...]]:
    """(arguments, what is read as the observation, notes) of one step."""
    one = read(tmp_path, steps=[step(**changed)])
    return one.steps[0].arguments, one.steps[0].observed, one.notes


def test_a_line_without_anything_optional_has_documented_defaults(tmp_path: Path) -> None:
    one = read(tmp_path)
    assert (one.agent.alias, one.simulator.model, one.faults.name) == ("unknown", "a", "E0")
    assert (one.created, one.trial, one.kept, one.notes) == (UNDATED, None, {}, ())
    assert one.scenario.to_json() == {
        "id": "hall",
        "name": "hall",
        "industry": "unknown",
        "domain": "unknown",
    }
    assert (one.task.instruction, one.task.rubric.text, one.task.origin) == (
        "Say which gates there are.", "", "imported",
    )  # fmt: skip
    assert one.environment.origin == "imported"


def test_an_environment_may_be_named_and_brings_its_scenario(tmp_path: Path) -> None:
    found = next(task for task in catalogue().tasks if task.scenario == TRIAGE)
    one = read(tmp_path, environment=found.environment, task=found.id, steps=[])
    assert one.environment == catalogue().environment(found.environment)
    assert one.task == found
    assert one.scenario.id == TRIAGE


@pytest.mark.parametrize("name", ["../../etc/passwd", "/etc/passwd", "C:\\x", "no-such", "..", "a\x00b"])
def test_the_name_of_an_environment_is_looked_up_and_is_no_path(tmp_path: Path, name: str) -> None:
    field, why = wrong(tmp_path, environment=name)
    assert field == "environment"
    assert "no environment has the id" in why


def test_a_task_of_another_environment_is_wrong(tmp_path: Path) -> None:
    environments = {task.environment: task for task in catalogue().tasks}
    first, other = list(environments)[:2]
    field, why = wrong(tmp_path, environment=first, task=environments[other].id)
    assert field == "task"
    assert other in why


def test_a_text_of_one_word_is_the_id_of_a_task_and_must_be_known(tmp_path: Path) -> None:
    field, why = wrong(tmp_path, environment=catalogue().tasks[0].environment, task="no-such-task")
    assert field == "task"
    assert "no task has the id" in why


def test_an_instruction_names_its_task_by_what_it_says(tmp_path: Path) -> None:
    first, again, other = (read(tmp_path, task=text).task.id for text in ("Do it.", "Do it.", "Do more."))
    assert first == again != other
    assert first.startswith("hall-")


def test_a_task_may_be_given_with_all_its_parts(tmp_path: Path) -> None:
    given = {"id": "t", "instruction": "Do.", "rubric": "Done?", "difficulty": 3, "expected_calls": 4}
    task = read(tmp_path, task=given).task
    assert (task.id, task.rubric.text, task.difficulty, task.expected_calls) == ("t", "Done?", 3, 4)


def test_a_task_may_have_the_published_form(tmp_path: Path) -> None:
    task = read(tmp_path, task=PUBLISHED).task
    assert (task.id, task.instruction, task.rubric.text) == ("occubench-7", "Open the gate.", "It is open.")
    assert wrong(tmp_path, task={**PUBLISHED, "env_name": "other"})[0] == "task.env_name"


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"environment": 7}, "environment"),
        ({"environment": {**CONFIG, "action_set_definitions": []}}, "environment.action_set_definitions"),
        ({"environment": {**CONFIG, "more": 1}}, "environment.more"),
        ({"environment": {**CONFIG, "action_set_definitions": CONFIG["action_set_definitions"] * 2}},
         "environment.action_set_definitions"),
        ({"task": {"instruction": ""}}, "task.instruction"),
        ({"task": ""}, "task.instruction"),
        ({"task": 7}, "task"),
        ({"agent": {"alias": ""}}, "agent.alias"),
        ({"agent": {"alias": "x", "player": "robot"}}, "agent.player"),
        ({"simulator": {"alias": "x", "size": -1}}, "simulator.size"),
        ({"simulator": ["x"]}, "simulator"),
        ({"simulator": ""}, "simulator.alias"),
        ({"condition": "E9"}, "condition"),
        ({"condition": "semantic"}, "condition"),
        ({"created": "yesterday"}, "created"),
        ({"scenario": {"id": ""}}, "scenario.id"),
        ({"steps": [step(arguments=[1])]}, "steps.0.arguments"),
        ({"steps": [step(), step(arguments=7)]}, "steps.1.arguments"),
        ({"steps": [], "final_answer": None}, "steps"),
        ({"steps": [step(observation={"n": 9007199254740992.0})]}, "steps.0.observation"),
        ({"steps": [step(observation=[1e20])]}, "steps.0.observation"),
        ({"steps": [step(arguments={"n": 2.0**53})]}, "steps.0.arguments"),
    ],
)  # fmt: skip
def test_what_can_not_be_meant_is_named(tmp_path: Path, changed: JsonObject, field: str) -> None:
    assert wrong(tmp_path, **changed)[0] == field


def test_models_keep_what_is_said_of_them(tmp_path: Path) -> None:
    given = {
        "alias": "x",
        "model": "x-1",
        "player": "human",
        "family": "f",
        "size": 7,
        "generation": "2",
        "effort": "low",
    }
    agent = read(tmp_path, agent=given).agent.to_json()
    assert agent == given


def test_faults_of_a_transcript_were_asked_for_and_not_injected_here(tmp_path: Path) -> None:
    plan = read(tmp_path, condition="E2").faults
    assert (plan.name, plan.mode, plan.implicit) == ("E2+prompt", "prompt", True)


@pytest.mark.parametrize(
    ("given", "created"),
    [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"),
        ("2026-01-02", "2026-01-02T00:00:00.000Z"),
    ],
)
def test_a_time_is_kept_as_utc(tmp_path: Path, given: str, created: str) -> None:
    assert read(tmp_path, created=given).created == created


def test_scenario_industry_and_domain_are_taken_where_given(tmp_path: Path) -> None:
    facts = read(tmp_path, scenario="Gates", industry="Safety").scenario
    assert (facts.id, facts.name, facts.industry, facts.domain) == ("Gates", "Gates", "Safety", "unknown")


@pytest.mark.parametrize("arguments", [{"id": "G-1"}, '{"id": "G-1"}', json.dumps('{"id": "G-1"}')])
def test_arguments_may_be_an_object_or_encoded_once_or_twice(tmp_path: Path, arguments: Any) -> None:
    text, observed, notes = said(tmp_path, tool="open_gate", arguments=arguments, observation={"ok": True})
    assert json.loads(text) == {"id": "G-1"}
    assert observed is not None
    assert notes == (("double_encoded",) if json.dumps(arguments).count("\\\\") else ())


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [("fly", {}), ("open_gate", "G-1"), ("open_gate", "[1]"), ("open_gate", '{"a": NaN}')],
)
def test_what_the_engine_answers_itself_is_kept_apart(tmp_path: Path, tool: str, arguments: Any) -> None:
    one = read(tmp_path, steps=[step(), step(tool=tool, arguments=arguments, observation={"seen": "there"})])
    assert one.steps[1].observed is None
    assert one.notes == ("engine_answered",)
    assert one.kept == {"given": {"1": {"seen": "there"}}}


@pytest.mark.parametrize(
    ("observation", "read_from"),
    [
        (GATES, json.dumps(GATES, separators=(",", ":"))),
        (json.dumps(GATES, indent=1), json.dumps(GATES, indent=1)),
        (f"```json\n{json.dumps(GATES)}\n```", f"```json\n{json.dumps(GATES)}\n```"),
        ("Error: locked", '{"observation":"Error: locked"}'),
        ([1], '{"observation":[1]}'),
        (False, '{"observation":false}'),
    ],
)
def test_an_observation_is_read_as_an_answer_of_a_simulator(
    tmp_path: Path, observation: Any, read_from: str
) -> None:
    _, observed, notes = said(tmp_path, observation=observation)
    assert observed == read_from
    assert notes == (("wrapped_observation",) if read_from.startswith('{"obs') else ())


def test_an_observation_of_null_is_wrapped_too(tmp_path: Path) -> None:
    one = read(tmp_path, steps=[{"tool": "list_gates", "observation": None}])
    assert one.steps[0].observed == '{"observation":null}'


def test_provenance_and_unknown_fields_are_kept_for_readers(tmp_path: Path) -> None:
    one = read(tmp_path, keep_unknown=True, provenance={"from": "a paper"}, note=1)
    assert one.kept == {"provenance": {"from": "a paper"}, "unknown": {"note": 1}}
    assert one.notes == ("unknown_field",)


def test_tools_in_the_form_of_the_tool_calling_api_are_the_tools_that_they_hold(tmp_path: Path) -> None:
    wrapped = [{"type": "function", "function": tool} for tool in CONFIG["action_set_definitions"]]
    one = read(tmp_path, environment={**CONFIG, "action_set_definitions": wrapped})
    assert one.environment.tools == read(tmp_path).environment.tools


def test_tools_of_which_none_fits_are_said_to_be_wrong_and_not_to_be_too_few(tmp_path: Path) -> None:
    with pytest.raises(Wrong) as caught:
        read(tmp_path, environment={**CONFIG, "action_set_definitions": [{"called": "a"}]})
    fields = [field for field, _ in caught.value.problems]
    assert "environment.action_set_definitions.0.name" in fields
    assert "environment.action_set_definitions" not in fields
    assert wrong(tmp_path, environment={**CONFIG, "action_set_definitions": []})[0].endswith("definitions")
