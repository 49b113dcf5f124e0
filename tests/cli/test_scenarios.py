from __future__ import annotations

from pathlib import Path

from replaylab.catalogue.loader import shipped
from tests.catalogue.folders import scenario
from tests.cli.conftest import Call
from tests.examine.broken import GOOD, TASK, TWIN, good, in_json
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

    assert ids("--industry", "HEALTH") == ["drug-interaction-screening", "emergency-department-triage"]
    assert ids("--domain", "e-COMMERCE") == ["order-return-authorization"]
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


def test_the_index_holds_all_published_scenarios_and_says_which_are_here(call: Call) -> None:
    document = call("scenarios", "--all", "--json").document
    listed = document["scenarios"]
    here = [one for one in listed if one["here"]]
    assert (len(listed), len(here)) == (100, len(catalogue().scenarios))
    assert document["here"] == len(here)
    assert {one["id"] for one in here} == {one.id for one in catalogue().scenarios}
    assert all(one["tasks"] for one in here)
    assert not any(one["tasks"] or one["id"] for one in listed if not one["here"])
    assert {
        one["industry"]
        for one in call("scenarios", "--all", "--industry", "health", "--json").document["scenarios"]
    } == {"Healthcare & Life Sciences"}


def test_check_finds_nothing_in_a_good_scenario(call: Call) -> None:
    ended = call("scenarios", "check", str(shipped() / GOOD))
    assert (ended.code, ended.out) == (0, "1 scenario, 3 tasks\nnothing to mend\n")


def test_check_ends_with_1_and_names_file_and_field_of_a_finding(call: Call, tmp_path: Path) -> None:
    in_json(TASK, lambda task: task.update(rubric={"text": "Done.", "checks": []}))(good(tmp_path))
    ended = call("scenarios", "check", GOOD, "--json")
    (found,) = ended.document["findings"]
    assert (ended.code, ended.document["ok"], ended.document["schema"]) == (
        1,
        False,
        "replaylab/scenarios-check/1",
    )
    assert (found["kind"], found["where"]) == ("rubric", f"{GOOD}/{TASK}: rubric.checks")
    assert "rubric.checks" in call("scenarios", "check", GOOD).out


def test_check_runs_a_twin_of_ones_own_only_when_it_is_trusted(call: Call, tmp_path: Path) -> None:
    folder = good(tmp_path)
    ran = tmp_path / "ran"
    twin = folder / TWIN
    twin.write_text(
        f"{twin.read_text(encoding='utf-8')}\nopen({str(ran)!r}, 'w').close()\n", encoding="utf-8"
    )
    document = call("scenarios", "check", GOOD, "--json").document
    assert (document["twins_not_run"], document["findings"], ran.exists()) == ([GOOD], [], False)
    document = call("scenarios", "check", GOOD, "--trust-twins", "--json").document
    assert (document["twins_not_run"], document["findings"], ran.exists()) == ([], [], True)


def test_check_with_mutants_counts_them_for_each_task(call: Call) -> None:
    document = call("scenarios", "check", str(shipped() / GOOD), "--mutate", "--json").document
    assert [one["task"] for one in document["mutations"]] == [
        task.id for task in catalogue().scenario(GOOD).tasks
    ]
    assert all(one["failed"] > 0 and all(one["decided"].values()) for one in document["mutations"])


def test_options_of_the_list_are_refused_before_check(call: Call) -> None:
    ended = call("scenarios", "--industry", "health", "check")
    assert (ended.code, "takes its own options" in ended.err) == (2, True)


def test_environments_are_listed_by_the_names_that_an_import_takes(call: Call) -> None:
    known = [one.id for one in catalogue().environments]
    listed = call("scenarios", "--environments", "--json").document["environments"]
    assert [one["id"] for one in listed] == known
    assert all(one["tools"] for one in listed)
    lines = call("scenarios", "--environments").out.splitlines()
    assert [line.split()[0] for line in lines] == ["environment", *known]


def test_environments_are_chosen_by_industry(call: Call) -> None:
    assert "no scenario fits" in call("scenarios", "--environments", "--industry", "nowhere").out
    few = call("scenarios", "--environments", "--industry", "health", "--json").document["environments"]
    assert 0 < len(few) < len(catalogue().environments)


def test_environments_and_the_index_are_not_asked_for_at_once(call: Call) -> None:
    ended = call("scenarios", "--all", "--environments")
    assert (ended.code, "give one" in ended.err) == (2, True)
