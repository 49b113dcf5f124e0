from __future__ import annotations

import json
from pathlib import Path

import pytest

from replaylab.examine.environment import environment_findings
from tests.builtin.grammar.worlds import FEW, scenario, twin, world
from tests.playground import catalogue


@pytest.mark.parametrize("name", FEW)
def test_a_seed_gives_one_world_and_another_seed_another(name: str) -> None:
    assert world(name, 1).environment == world.__wrapped__(name, 1).environment
    assert len({json.dumps(world(name, seed).environment.initial_state) for seed in range(4)}) >= 3


@pytest.mark.parametrize("name", [one.id for one in catalogue().scenarios])
def test_the_twin_of_every_shipped_scenario_runs_at_its_new_state(name: str) -> None:
    made = world(name, 2)
    assert made.twin.state() == made.environment.initial_state
    assert set(made.environment.initial_state) == set(made.environment.state_description)
    shipped = scenario(name).environments[0]
    assert [tool.name for tool in made.environment.tools] == [tool.name for tool in shipped.tools]


@pytest.mark.parametrize("name", FEW)
def test_the_state_is_one_that_allowed_calls_lead_to(name: str) -> None:
    made = next(one for seed in range(9) if (one := world(name, seed)).steps)
    reached = twin(name, scenario(name).environments[0])
    for call in made.steps:
        assert "error" not in reached.call(call.tool, call.arguments)
    still = world(name, 0, still=True)
    assert not still.steps
    numbers = [
        sum(map(str.isdigit, json.dumps(state)))
        for state in (reached.state(), made.environment.initial_state)
    ]
    assert numbers[0] == numbers[1]  # other ids, and nothing else


@pytest.mark.parametrize("name", [one.id for one in catalogue().scenarios])
def test_a_still_world_keeps_every_rule_of_an_environment(name: str) -> None:
    assert list(environment_findings(world(name, 3, still=True).environment, Path("e"))) == []
