from __future__ import annotations

from pathlib import Path

from tests.catalogue.folders import scenario
from tests.cli.conftest import Call
from tests.playground import SHORT, catalogue


def test_every_shipped_scenario_is_listed_with_its_tasks(call: Call) -> None:
    listed = call("scenarios", "--json").document["scenarios"]
    assert [one["id"] for one in listed] == [one.id for one in catalogue().scenarios]
    assert {task for one in listed for task in one["tasks"]} == {one.id for one in catalogue().tasks}
    assert SHORT in call("scenarios").out


def test_a_listed_task_can_be_recorded(call: Call) -> None:
    first = call("scenarios", "--json").document["scenarios"][0]["tasks"][0]
    assert call("record", "--task", first, "--votes", "1").code == 0


def test_industry_and_domain_narrow_the_list_whatever_the_case(call: Call) -> None:
    def ids(*options: str) -> list[str]:
        return [one["id"] for one in call("scenarios", *options, "--json").document["scenarios"]]

    assert ids("--industry", "HEALTH") == ["emergency-department-triage"]
    assert ids("--domain", "commerce") == ["order-return-authorization"]
    assert ids("--industry", "health", "--domain", "commerce") == []


def test_nothing_that_fits_is_said(call: Call) -> None:
    ended = call("scenarios", "--industry", "mining")
    assert (ended.code, ended.out) == (0, "no scenario fits; `replaylab scenarios` lists all\n")


def test_folders_of_the_option_and_of_the_configuration_are_listed(call: Call, tmp_path: Path) -> None:
    scenario(tmp_path / "own")
    scenario(tmp_path / "more", name="doors", environment="house", task="doors-1")
    (tmp_path / "replaylab.toml").write_text('scenarios = ["own"]\n', encoding="utf-8")
    listed = call("scenarios", "--scenarios", "more", "--json").document["scenarios"]
    assert {"gates", "doors"} <= {one["id"] for one in listed}


def test_the_same_folder_twice_is_listed_once(call: Call, tmp_path: Path) -> None:
    scenario(tmp_path / "own")
    listed = call("scenarios", "--scenarios", "own", "--scenarios", "./own", "--json").document["scenarios"]
    assert [one["id"] for one in listed].count("gates") == 1


def test_two_scenarios_of_one_id_are_refused(call: Call, tmp_path: Path) -> None:
    scenario(tmp_path / "own")
    scenario(tmp_path / "more")
    ended = call("scenarios", "--scenarios", "own", "--scenarios", "more")
    assert (ended.code, "gates" in ended.err) == (2, True)
