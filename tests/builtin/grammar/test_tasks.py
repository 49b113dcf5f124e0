"""Tasks that the grammar writes: the twin carries the plan out, the checks see every wrong way, the words give nothing away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.builtin.grammar.tasks import LEVELS, Written, write_task
from replaylab.catalogue.loader import Found
from replaylab.examine.stage import Stage
from replaylab.examine.task import task_findings
from replaylab.examine.twin import plan_findings, wrong_findings
from replaylab.schema.scenario import Rubric, Task
from replaylab.synthesis.rules import task_rules
from tests.builtin.grammar.worlds import FEW, scenario, twin, world

TASK = Path("task.json")


def written(name: str, level: int, seed: int = 0) -> Written:
    one = write_task(world(name), level, seed)
    assert one is not None
    return one


def found(name: str, level: int) -> Found:
    one = written(name, level)
    task = Task(
        id="t",
        scenario=name,
        environment=world(name).environment.id,
        instruction=one.instruction,
        rubric=Rubric.model_validate(one.rubric | {"checks": tuple(one.rubric["checks"])}),
        plan=one.plan,
        difficulty=level,
    )
    return Found(scenario(name), world(name).environment, task)


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("level", [1, 2, 3, 4])
def test_a_task_keeps_every_rule_and_its_plan_solves_it(name: str, level: int) -> None:
    one = found(name, level)
    assert list(task_findings(one, TASK)) == []
    assert list(task_rules(one.task, one.environment)) == []
    assert list(plan_findings(Stage(one, lambda: twin(name, one.environment)), TASK)) == []


@pytest.mark.parametrize("name", FEW[:2])
@pytest.mark.parametrize("level", [1, 4])
def test_wrong_ways_fail(name: str, level: int) -> None:
    one = found(name, level)
    assert list(wrong_findings(Stage(one, lambda: twin(name, one.environment)), TASK)) == []


@pytest.mark.parametrize("name", FEW)
def test_a_level_asks_for_as_many_writes_as_it_says(name: str) -> None:
    effects = {tool.name: tool.effect for tool in world(name).environment.tools}
    for level, size in enumerate(LEVELS, start=1):
        calls = written(name, level).plan.calls
        assert sum(effects[call.tool] == "write" for call in calls) == size.sought.writes
        assert calls[-1].purpose == "verify"


def test_the_same_seed_gives_the_same_task_and_another_one_another() -> None:
    assert written(FEW[1], 2) == written(FEW[1], 2)
    assert len({written(FEW[1], 2, seed).instruction for seed in range(4)}) >= 3


def test_the_instruction_says_nothing_of_tools_and_ends_with_what_is_to_be_reported() -> None:
    one = written(FEW[1], 3)
    for tool in world(FEW[1]).environment.tools:
        assert tool.name not in one.instruction
    assert one.instruction.endswith("with the id of each thing.")


def test_a_level_beyond_the_last_is_like_the_last() -> None:
    assert len(written(FEW[0], 9).plan.calls) >= len(written(FEW[0], 2).plan.calls)


def test_rows_that_only_a_number_tells_apart_are_goals_too() -> None:
    one = found("telescope-observation-scheduling", 2)
    assert (
        list(
            plan_findings(Stage(one, lambda: twin("telescope-observation-scheduling", one.environment)), TASK)
        )
        == []
    )
    wheres = [check["where"] for check in one.task.rubric.checks if check["kind"] == "observed"]
    assert any(type(value) is int for where in wheres for value in where.values())


@pytest.mark.parametrize("seed", range(4))
def test_no_task_is_about_a_thing_that_only_one_of_its_writes_makes(seed: int) -> None:
    name = "flight-disruption-rebooking"
    one = write_task(world(name), 3, seed)
    assert one is not None
    held = json.dumps(world(name).environment.initial_state)
    for call in one.plan.calls:
        assert all(
            value in held for value in call.arguments.values() if isinstance(value, str) and "-" in value
        )
