from __future__ import annotations

from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from replaylab.builtin.responder import Responder
from replaylab.builtin.scripted import LONG, MAX_RETRIES
from replaylab.canonical import canonical
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.checks import is_error
from replaylab.faults.plan import named
from replaylab.roles.agent import function_tools
from replaylab.schema.scenario import Rubric
from tests.builtin.playing import Played, asked, changed, trial

HABITS = ("careful", "stubborn", "forgetful", "hasty", "greedy", "quitter")
PLANNED = [f"scripted:{habit}" for habit in HABITS]
TASKS = [task.id for task in Catalogue.load([shipped()]).tasks]


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("faults", ["E0", "E1", "E2", "E3"])
def test_careful_solves_every_shipped_task_with_the_twin(models: Responder, task: str, faults: str) -> None:
    played = trial(models, task, "scripted:careful", named(faults))
    assert played.verdict.outcome == "pass", played.verdict


@pytest.mark.parametrize(
    "settings", [{"tools": "json_schema"}, {"observations": "json_schema"}, {"stream": True}]
)
def test_careful_solves_tasks_however_models_are_spoken_to(models: Responder, settings: Any) -> None:
    played = trial(models, "hazmat-mixed-order", "scripted:careful", named("E3"), **settings)
    assert played.verdict.outcome == "pass", played.verdict


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize(
    "agent", ["scripted:hasty", "scripted:quitter", "scripted:greedy", "scripted:explorer"]
)
def test_who_repeats_a_call_once_or_never_fails_where_calls_break_twice(
    models: Responder, task: str, agent: str
) -> None:
    assert trial(models, task, agent, named("E1")).verdict.outcome == "fail"


@pytest.mark.parametrize("task", TASKS)
def test_careful_makes_no_write_more_often_than_its_plan(models: Responder, task: str) -> None:
    played = trial(models, task, "scripted:careful", named("E3"))
    _, environment, planned = models.models.index.catalogue.task(task)
    assert planned.plan is not None
    wanted = Counter((call.tool, canonical(call.arguments)) for call in planned.plan.calls)
    writes = Counter(
        (action.tool, canonical(action.arguments))
        for action in played.trajectory.actions
        if action.by == "simulator" and _effect(environment.tool(action.tool)) == "write"
    )
    assert all(count == wanted[write] for write, count in writes.items())


def _effect(tool: Any) -> str:
    return str(tool.effect)


@pytest.mark.parametrize(("task", "back"), [("ed-sepsis-room", 1), ("ed-two-urgent-patients", 0)])
def test_hasty_looks_back_once_and_after_long_work_not_at_all(
    models: Responder, task: str, back: int
) -> None:
    plan = models.models.index.catalogue.task(task).task.plan
    assert plan is not None
    assert (len(plan.calls) < LONG) == bool(back)
    verifying = [call for call in plan.calls if call.purpose == "verify"]
    assert len(verifying) == 2
    wanted = [(call.tool, call.arguments) for call in plan.calls if call.purpose == "act"]
    wanted += [(call.tool, call.arguments) for call in verifying[:back]]
    played = trial(models, task, "scripted:hasty")
    assert made(played) == wanted
    assert played.trajectory.answer == plan.answer


@pytest.mark.parametrize("duration", [1, 2, 3])
def test_hasty_tries_a_broken_call_once_more_and_then_goes_on(models: Responder, duration: int) -> None:
    task = "ed-sepsis-room"
    played = trial(models, task, "scripted:hasty", named("E1", count=1, duration=duration))
    calls, wanted = made(played), made(trial(models, task, "scripted:hasty"))
    failed = next(place for place, one in enumerate(played.trajectory.actions) if is_error(one.observation))
    assert calls[failed : failed + 2] == [wanted[failed]] * 2
    assert calls[failed + 2] == wanted[failed + 1]


def test_hasty_solves_easy_tasks_more_often_than_hard_ones(models: Responder) -> None:
    level = {task: models.models.index.catalogue.task(task).task.difficulty for task in TASKS}
    solved = [task for task in TASKS if trial(models, task, "scripted:hasty").verdict.outcome == "pass"]
    share = {
        one: sum(level[task] == one for task in solved) / sum(found == one for found in level.values())
        for one in (1, 2, 3)
    }
    assert share[1] > 2 * share[2] > 2 * share[3] > 0
    brief = [trial(models, task, "scripted:hasty", named("E1", duration=1)).verdict for task in solved]
    assert {verdict.outcome for verdict in brief} == {"pass"}


def test_quitter_stops_after_its_first_error(models: Responder) -> None:
    played = trial(models, "ed-two-urgent-patients", "scripted:quitter", named("E1"))
    failed = [is_error(action.observation) for action in played.trajectory.actions]
    assert failed == [False] * (len(failed) - 1) + [True]
    assert "could not finish" in played.trajectory.answer


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 6))])
def test_careful_sees_the_clean_value_of_every_read_that_confirms(
    models: Responder, task: str, seed: int
) -> None:
    played = trial(models, task, "scripted:careful", named("E2", seed=seed))
    plan = models.models.index.catalogue.task(task).task.plan
    assert plan is not None
    for call in plan.calls:
        if call.purpose == "verify":
            readings = [
                action
                for action in played.trajectory.actions
                if (action.tool, action.arguments) == (call.tool, call.arguments)
            ]
            fault = readings[-1].fault
            # A list of plain names that was cut short is not doubted: many are as short as that (`is_doubtful`).
            assert fault is None or (fault.kind == "truncated" and not _has_rows(fault.clean)), (
                played.trajectory.actions
            )


def _has_rows(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else [value]
    return any(isinstance(part, list) and any(isinstance(one, dict) for one in part) for part in parts)


def test_careful_repeats_hardly_anything_where_nothing_is_disturbed(models: Responder) -> None:
    extra = 0
    for task in TASKS:
        plan = models.models.index.catalogue.task(task).task.plan
        assert plan is not None
        extra += len(trial(models, task, "scripted:careful").trajectory.actions) - len(plan.calls)
    assert extra <= 1.1 * len(TASKS)


def made(played: Played) -> list[tuple[str, object]]:
    return [(action.tool, action.arguments) for action in played.trajectory.actions]


def planned(models: Responder, task: str) -> list[tuple[str, object]]:
    plan = models.models.index.catalogue.task(task).task.plan
    assert plan is not None
    return [(call.tool, call.arguments) for call in plan.calls]


def test_stubborn_outlasts_broken_calls_and_takes_disturbed_readings_as_they_come(models: Responder) -> None:
    task = "ed-sepsis-room"
    assert trial(models, task, "scripted:stubborn", named("E1")).verdict.outcome == "pass"
    disturbed = trial(models, task, "scripted:stubborn", named("E2"))
    assert made(disturbed) == planned(models, task)
    assert any(action.fault for action in disturbed.trajectory.actions)
    assert disturbed.verdict.outcome == "fail"


def test_forgetful_loses_the_last_write_of_a_long_plan_only(models: Responder) -> None:
    lengths = {task: len(planned(models, task)) for task in TASKS}
    for task in (min(lengths, key=lengths.__getitem__), max(lengths, key=lengths.__getitem__)):
        _, environment, _ = models.models.index.catalogue.task(task)
        wanted = planned(models, task)
        if len(wanted) >= LONG:
            writes = [
                place for place, (tool, _) in enumerate(wanted) if _effect(environment.tool(tool)) == "write"
            ]
            del wanted[writes[-1]]
        assert made(trial(models, task, "scripted:forgetful")) == wanted
    assert min(lengths.values()) < LONG <= max(lengths.values())


def test_greedy_makes_each_write_before_the_look_ahead_of_it(models: Responder) -> None:
    task = "ed-sepsis-room"
    _, environment, _ = models.models.index.catalogue.task(task)
    wanted, calls = planned(models, task), made(trial(models, task, "scripted:greedy"))
    assert calls != wanted
    assert sorted(map(str, calls)) == sorted(map(str, wanted))
    effects = [_effect(environment.tool(tool)) for tool, _ in wanted]
    first = effects.index("write")
    assert calls[first - 1] == wanted[first]


def test_habits_give_different_profiles(models: Responder) -> None:
    """No two of them pass the same tasks under the same faults."""
    chosen = ["ed-sepsis-room", "ed-two-urgent-patients", "oncall-database-handover", "hazmat-mixed-order"]
    longest = max(TASKS, key=lambda task: len(planned(models, task)))
    profiles = {
        agent: tuple(
            trial(models, task, agent, named(faults)).verdict.outcome
            for task in (*chosen, longest)
            for faults in ("E0", "E1", "E2")
        )
        for agent in PLANNED
    }
    assert len(set(profiles.values())) == len(PLANNED), profiles


def test_careful_stops_repeating_a_call_that_never_works(models: Responder) -> None:
    plan = named("E1", count=1, duration=20)
    played = trial(models, "hazmat-mixed-order", "scripted:careful", plan)
    runs = [1]
    for before, after in pairwise(played.trajectory.actions):
        same = (before.tool, before.arguments) == (after.tool, after.arguments)
        runs = [*runs[:-1], runs[-1] + 1] if same else [*runs, 1]
    assert max(runs) == MAX_RETRIES + 1
    assert played.trajectory.termination == "answered"


def test_agents_do_not_read_the_rubric(catalogue: Catalogue, models: Responder) -> None:
    task = "oncall-unanswered-page"
    other = Responder(changed(catalogue, task, rubric=Rubric(text="something else entirely")))
    for agent in (*PLANNED, "scripted:explorer"):
        ours, theirs = (trial(one, task, agent, named("E3")).trajectory for one in (models, other))
        assert ours == theirs


@pytest.mark.parametrize("agent", PLANNED)
def test_a_task_without_a_plan_is_refused_and_the_explorer_named(catalogue: Catalogue, agent: str) -> None:
    task = "hazmat-power-station"
    played = trial(Responder(changed(catalogue, task, plan=None)), task, agent)
    assert played.trajectory.termination == "agent_error"
    assert b"no reference plan" in played.log[0][1]
    assert b"scripted:explorer" in played.log[0][1]


def test_an_instruction_with_the_tools_of_another_environment_is_not_the_task(
    catalogue: Catalogue, models: Responder
) -> None:
    _, environment, _ = catalogue.task("ed-sepsis-room")
    _, _, other = catalogue.task("hazmat-power-station")
    message = {"role": "user", "content": other.instruction}
    tools = list(function_tools(environment))
    assert asked(models, "scripted:careful", message, tools=tools)[0] == 400
    assert asked(models, "scripted:careful", message)[0] == 400
