"""What `record` and `show` say about faults, through the commands."""

from __future__ import annotations

import pytest

from tests.cli.conftest import Call
from tests.playground import SHORT

ONE = ("--task", SHORT, "--votes", "1")


def key(plan: str, agent: str = "hasty") -> str:
    return f"scripted:{agent},twin,rubric,{plan}/{SHORT}/0"


@pytest.mark.parametrize("plan", ["persistent", "correlated", "targeted", "semantic", "slow", "E2+targeted"])
def test_a_run_under_each_plan_is_recorded_shown_replayed_and_sound(call: Call, plan: str) -> None:
    assert call("record", *ONE, "--env", plan, "--agent", "scripted:hasty").code == 0
    document = call("show", "--json").document
    assert document["exposure"]["planned"] == 2
    assert "2 planned" in call("show").out
    assert call("replay", "--offline").code == 0
    assert call("verify").code == 0


def test_a_trial_shows_its_exposure_its_recovery_and_why_it_failed(call: Call) -> None:
    call("record", *ONE, "--env", "E1", "--agent", "scripted:hasty")
    shown, document = call("show", key("E1")).out, call("show", key("E1"), "--json").document
    assert document["exposure"]["delivered"] == 2
    assert document["recovery"]["met"] == 2
    assert document["verdict"]["outcome"] == "fail"
    assert document["failures"]
    for label in document["failures"]:
        assert f"failure     {label['kind']}" in shown
    assert "exposure    2 planned, 2 delivered" in shown
    assert "recovery    fault 0" in shown


def test_a_program_asked_for_faults_injects_none_and_the_report_says_so(call: Call) -> None:
    call("record", *ONE, "--env", "E0,E1,E2", "--fault-mode", "prompt")
    document = call("show", "--json").document
    assert [plan["name"] for plan in document["faults"]] == ["E0", "E1+prompt", "E2+prompt"]
    assert [(one["planned"], one["seen"]) for one in document["conformance"]] == [(2, 0), (2, 0)]
    assert "asked for 4 faults (8 calls); 0 (0 calls) can be seen" in call("show").out
    assert call("show", key("E1+prompt", "careful"), "--json").document["recovery"]["met"] == 0
    assert call("replay", "--offline").code == 0
    assert call("verify").code == 0


def test_seed_and_spacing_of_the_schedule_are_part_of_the_plan(call: Call) -> None:
    call("record", *ONE, "--env", "E1", "--fault-seed", "7", "--fault-spacing", "3")
    (plan,) = call("show", "--json").document["faults"]
    assert (plan["seed"], plan["spacing"]) == (7, 3)


def test_the_help_lists_the_plans(call: Call) -> None:
    said = " ".join(call("record", "--help").out.split())
    for name in ("E1", "E2", "E3", "semantic", "slow", "persistent", "correlated", "targeted"):
        assert name in said


def test_a_plan_that_there_is_not_is_refused_with_the_closest(call: Call) -> None:
    ended = call("record", *ONE, "--env", "persitent")
    assert ended.code == 2
    assert "persistent" in ended.err
