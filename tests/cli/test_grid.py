from __future__ import annotations

from collections import Counter

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.cli.config import BUILT_IN
from replaylab.cli.grid import ONE, SPREAD, WHOLE, estimated_calls, grid_for, tasks_of
from replaylab.engine.plan import Choice, make_spec, planned_trials
from replaylab.faults.plan import named
from replaylab.schema.model import ModelSettings

CATALOGUE = Catalogue.load([shipped()])


def test_only_who_names_nothing_gets_the_spread() -> None:
    assert grid_for({"agents": False, "tasks": False}, everything=False) is SPREAD
    assert grid_for({"agents": False, "tasks": True}, everything=False) is ONE
    assert grid_for({"agents": True}, everything=True) is WHOLE


def test_the_spread_takes_of_each_industry_the_task_with_the_shortest_plan() -> None:
    chosen = tasks_of(CATALOGUE, SPREAD)
    industries = Counter(CATALOGUE.task(task).scenario.industry for task in chosen)
    assert industries == {scenario.industry: 1 for scenario in CATALOGUE.scenarios}
    for task_id in chosen:
        scenario, _, task = CATALOGUE.task(task_id)
        plans = [
            other.plan
            for one in CATALOGUE.scenarios
            if one.industry == scenario.industry
            for other in one.tasks
        ]
        assert task.plan is not None
        assert len(task.plan.calls) == min(len(plan.calls) for plan in plans if plan is not None)


def test_the_whole_grid_has_every_task_and_every_built_in_agent() -> None:
    assert tasks_of(CATALOGUE, WHOLE) == [task.id for task in CATALOGUE.tasks]
    assert set(WHOLE.agents) == {name for name, (role, _) in BUILT_IN.items() if role == "agent"}


def test_the_spread_stays_small_however_many_scenarios_there_are() -> None:
    def models(*names: str) -> list[ModelSettings]:
        return [ModelSettings(alias=name, model=name, player="program") for name in names]

    choice = Choice(
        agents=models(*SPREAD.agents),
        simulators=models(*SPREAD.simulators),
        verifiers=models("rubric"),
        faults=[named(name) for name in SPREAD.faults],
        tasks=tasks_of(CATALOGUE, SPREAD),
    )
    spec = make_spec(choice, CATALOGUE, lambda value: value)
    planned = planned_trials(spec, CATALOGUE, lambda value: value)
    assert len(planned) == len(choice.tasks) * len(SPREAD.agents) * 2 * 4
    per_trial = estimated_calls(planned) / len(planned)
    assert per_trial * 10 * 24 <= 5600  # ten industries; agents that stop early make fewer calls
