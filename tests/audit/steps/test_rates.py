from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.audit.value import Step
from tests.audit.honest import audited, recorded


@pytest.fixture(scope="module")
def steps(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Step]:
    root = tmp_path_factory.mktemp("rates")
    return audited(recorded(root / "library", agents=("scripted:careful", "scripted:explorer"), trials=1))


def test_an_agent_that_does_not_try_is_compared_with_those_that_do(steps: dict[int, Step]) -> None:
    assert any(line.startswith("scripted:explorer: 0 of 2") for line in steps[9].evidence)
    # Two tasks that all pass have an interval down to chance: zero is below it.
    assert steps[9].outcome == "pass", steps[9]


def test_without_such_an_agent_it_is_a_warning(tmp_path: Path) -> None:
    found = audited(recorded(tmp_path / "library", agents=("scripted:careful",), trials=1, faults=("E0",)))[9]
    assert (found.outcome, found.findings) == ("warn", ())


def test_every_rate_has_its_count_and_interval(steps: dict[int, Step]) -> None:
    assert steps[12].outcome == "pass"
    assert len(steps[12].evidence) == 2
    assert all("95 % interval" in line for line in steps[12].evidence)


def test_power_names_tasks_and_scenarios(steps: dict[int, Step]) -> None:
    assert steps[14].evidence[0].startswith("2 tasks in 2 scenarios: two agents must differ by ")


@pytest.mark.parametrize(("trials", "outcome"), [(1, "warn"), (3, "pass")])
def test_three_trials_of_each_task_show_variance(tmp_path: Path, trials: int, outcome: str) -> None:
    wish = {"agents": ("scripted:careful",), "tasks": ("ed-sepsis-room",), "faults": ("E0",)}
    assert audited(recorded(tmp_path / "library", trials=trials, **wish))[20].outcome == outcome


def test_cost_counts_calls_of_every_agent(steps: dict[int, Step]) -> None:
    assert [line.split(":")[0] + ":" + line.split(":")[1] for line in steps[21].evidence] == [
        "scripted:careful", "scripted:explorer",
    ]  # fmt: skip
    assert all(" calls, 0 retries" in line for line in steps[21].evidence)


def test_one_simulator_is_a_limit(steps: dict[int, Step]) -> None:
    assert steps[24].outcome == "warn"
    assert "simulator twin, judge rubric" in steps[24].evidence[0]
