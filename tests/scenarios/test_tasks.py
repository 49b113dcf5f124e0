"""Rules that every shipped task and environment keeps."""

from __future__ import annotations

import json
import re

import pytest
from jsonschema import Draft202012Validator

from replaylab.catalogue.index import listed, read_index
from replaylab.catalogue.loader import shipped
from replaylab.checks import is_error, parse_checks
from replaylab.roles.shapes import observation_schema
from replaylab.schema.base import JsonObject
from tests.scenarios.play import ENVIRONMENTS, SHIPPED, TASKS, answer_of, judge, plan_of, play, twin_of

WORD = re.compile(r"[^\W\d]\w*")


def words(text: str, run: int) -> set[tuple[str, ...]]:
    """All runs of `run` words of a text, numbers left out."""
    found = WORD.findall(text.casefold())
    return {tuple(found[start : start + run]) for start in range(len(found) - run + 1)}


@pytest.mark.parametrize("task", TASKS)
def test_the_plan_solves_the_task_on_the_twin(task: str) -> None:
    found = SHIPPED.task(task)
    outcome, results = judge(task, plan_of(found), answer_of(found))
    assert outcome == "pass", [result for result in results if result.result != "pass"]


@pytest.mark.parametrize("task", TASKS)
def test_no_call_of_a_plan_is_refused(task: str) -> None:
    found = SHIPPED.task(task)
    actions = play(task, plan_of(found), answer_of(found)).actions
    assert [action.observation for action in actions if is_error(action.observation)] == []


@pytest.mark.parametrize("task", TASKS)
def test_a_plan_without_one_of_its_acts_fails(task: str) -> None:
    found = SHIPPED.task(task)
    plan = plan_of(found)
    acts = [number for number, call in enumerate(plan) if call.purpose == "act"]
    assert len(acts) >= 3
    for number in acts:
        outcome, _ = judge(task, plan[:number] + plan[number + 1 :], answer_of(found))
        assert outcome == "fail", f"{task} passes without call {number}, {plan[number].tool}"


@pytest.mark.parametrize("task", TASKS)
def test_calls_in_reverse_order_fail(task: str) -> None:
    found = SHIPPED.task(task)
    assert judge(task, plan_of(found)[::-1], answer_of(found))[0] == "fail"


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("answer", ["", "It is done.", "I could not do it: HTTP 500."])
def test_the_plan_with_an_answer_that_reports_nothing_fails(task: str, answer: str) -> None:
    assert judge(task, plan_of(SHIPPED.task(task)), answer)[0] == "fail"


@pytest.mark.parametrize("task", TASKS)
def test_the_right_answer_without_any_call_fails(task: str) -> None:
    assert judge(task, [], answer_of(SHIPPED.task(task)))[0] == "fail"


@pytest.mark.parametrize("task", TASKS)
def test_plans_have_6_to_25_calls_and_end_with_a_look(task: str) -> None:
    found = SHIPPED.task(task)
    plan = plan_of(found)
    last = found.environment.tool(plan[-1].tool)
    assert 6 <= len(plan) <= 25
    assert found.task.expected_calls == len(plan)
    assert plan[-1].purpose == "verify"
    assert last is not None
    assert last.effect == "read"


@pytest.mark.parametrize("task", TASKS)
def test_the_checks_are_valid_and_need_no_judge(task: str) -> None:
    found = SHIPPED.task(task)
    checks = parse_checks(found.task.rubric.checks, found.environment)
    assert len(checks) >= 10
    assert "judge" not in {check.kind for check in checks}


@pytest.mark.parametrize("task", TASKS)
def test_the_instruction_holds_no_text_of_plan_rubric_or_answer(task: str) -> None:
    found = SHIPPED.task(task)
    told = words(found.task.instruction, 5)
    assert not told & words(found.task.rubric.text, 5)
    assert not told & words(answer_of(found), 5)
    tools = {tool.name for tool in found.environment.tools}
    assert not tools & set(WORD.findall(found.task.instruction))


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_tools_say_what_they_do_and_refuse_unknown_arguments(environment: str) -> None:
    tools = SHIPPED.environment(environment).tools
    assert 2 <= len(tools) <= 10
    assert {tool.effect for tool in tools} == {"read", "write"}
    for tool in tools:
        Draft202012Validator.check_schema(tool.parameters)
        assert tool.parameters["additionalProperties"] is False
        assert set(tool.parameters["required"]) <= tool.parameters["properties"].keys()
        assert all(part["description"] for part in tool.parameters["properties"].values())
        assert tool.effect_from == "declared"
        assert tool.description
        assert tool.has_example


@pytest.mark.parametrize("task", TASKS)
def test_every_observation_has_the_shape_of_its_example(task: str) -> None:
    found = SHIPPED.task(task)
    for action in play(task, plan_of(found), "").actions:
        tool = found.environment.tool(action.tool)
        assert tool is not None
        Draft202012Validator(observation_schema(tool)).validate(action.observation)
        assert action.observation.keys() == tool.example_output.keys()


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_identifiers_of_examples_stand_in_the_state(environment: str) -> None:
    one = SHIPPED.environment(environment)
    state = json.dumps(one.initial_state)
    # The next numbers are kept as numbers: TRG-501 is 501 in the state.
    known = set(re.findall(r"[A-Za-z]+-[\w-]+", state)) | set(re.findall(r"\b\d+\b", state))
    for tool in one.tools:
        for name in re.findall(r"\b(?:[A-Z]{1,4}|p)-[\w-]+", json.dumps(tool.example_output)):
            assert name in known or name.rsplit("-", 1)[-1] in known, f"{tool.name}: {name}"


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_the_state_description_covers_the_state_and_no_more(environment: str) -> None:
    one = SHIPPED.environment(environment)
    assert one.state_description.keys() == one.initial_state.keys()


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_small_models_can_hold_the_prompt(environment: str) -> None:
    assert 1_500 <= len(SHIPPED.environment(environment).system_prompt) <= 3_200


@pytest.mark.parametrize("task", TASKS)
def test_reads_leave_the_state_alone_and_writes_of_a_plan_change_it(task: str) -> None:
    found = SHIPPED.task(task)
    twin = twin_of(found.environment.id)
    for call in plan_of(found):
        tool = found.environment.tool(call.tool)
        before = twin.state()
        twin.call(call.tool, call.arguments)
        assert tool is not None
        assert (twin.state() != before) == (tool.effect == "write"), call.tool


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_a_twin_refuses_wrong_missing_and_unknown_arguments(environment: str) -> None:
    twin = twin_of(environment)
    start = twin.state()
    for tool in SHIPPED.environment(environment).tools:
        bad: list[JsonObject] = [
            {"no_such_argument": 1},
            *({name: ["x"]} for name in tool.parameters["properties"]),
        ]
        bad += [{}] if tool.parameters["required"] else []
        unknown_thing: JsonObject = {
            name: "no-such-thing"
            for name, part in tool.parameters["properties"].items()
            if "enum" not in part
        }
        for arguments in [*bad, *([unknown_thing] if unknown_thing else [])]:
            observation = twin.call(tool.name, arguments)
            assert set(observation) == {"error"}, (tool.name, arguments)
            assert observation["error"]
    assert set(twin.call("no_such_tool", {})) == {"error"}
    assert twin.state() == start == SHIPPED.environment(environment).initial_state


@pytest.mark.parametrize("task", TASKS)
def test_a_twin_gives_the_same_observations_every_time(task: str) -> None:
    plan = plan_of(SHIPPED.task(task))
    assert play(task, plan, "") == play(task, plan, "")


def test_every_scenario_has_its_reference_16_subtopics_and_three_difficulties() -> None:
    for scenario in SHIPPED.scenarios:
        reference = (SHIPPED.folder(scenario.id) / "reference.md").read_text(encoding="utf-8")
        for part in ("Terms", "Workflow", "State variables", "Edge cases", "Constraints"):
            assert f"\n## {part}\n" in reference, f"{scenario.id}: {part}"
        assert len(set(scenario.subtopics)) == 16
        assert len({task.difficulty for task in scenario.tasks}) >= 3
        for environment in scenario.environments:
            for field in environment.initial_state:
                assert f"`{field}`" in reference, f"{scenario.id}: {field}"


def test_the_shipped_scenarios_bear_names_of_the_published_index() -> None:
    published = read_index(shipped())
    held = {one.scenario: one.published for one in listed(published, SHIPPED.scenarios) if one.scenario}
    assert len(published) == 100
    assert len({one.industry for one in published}) == 10
    assert len({one.domain for one in published}) == 65
    for scenario in SHIPPED.scenarios:
        assert (held[scenario.id].industry, held[scenario.id].domain) == (scenario.industry, scenario.domain)
