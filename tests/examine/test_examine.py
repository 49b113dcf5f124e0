from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.errors import UsageError
from replaylab.examine.examine import Examiner
from tests.examine.broken import GOOD, TASK, TWIN, good, in_json, in_text, twice


def test_the_good_scenario_has_no_finding(tmp_path: Path) -> None:
    folder = good(tmp_path)
    examined = Examiner(trusted=[tmp_path]).examine([folder])
    assert (examined.findings, examined.scenarios, examined.tasks) == ((), (GOOD,), 3)


def test_ids_that_stand_twice_are_found_in_all_that_was_named(tmp_path: Path) -> None:
    twice(good(tmp_path))
    found = Examiner(trusted=[]).examine([tmp_path]).findings
    assert {one.observed for one in found if one.kind == "id"} == {
        "ed-two-rooms",
        "ed-chest-pain-monitor",
        "ed-sepsis-room",
        "ed-two-urgent-patients",
    }


def test_a_folder_named_twice_is_examined_once(tmp_path: Path) -> None:
    folder = good(tmp_path)
    assert Examiner(trusted=[]).examine([folder, tmp_path]).scenarios == (GOOD,)


def test_one_scenario_that_can_not_be_read_leaves_the_others_examined(tmp_path: Path) -> None:
    twice(good(tmp_path))
    in_text("scenario.json", "{", "[")(tmp_path / "same-again")
    examined = Examiner(trusted=[tmp_path]).examine([tmp_path])
    assert {one.kind for one in examined.findings} == {"file"}
    assert (len(examined.scenarios), examined.tasks) == (2, 3)


def test_mutants_are_played_only_where_the_plan_solves_the_task(tmp_path: Path) -> None:
    folder = good(tmp_path)
    in_json(TASK, lambda task: task["plan"].update(answer="Done."))(folder)
    examined = Examiner(trusted=[tmp_path], mutants=True).examine([folder])
    assert [one.task for one in examined.mutations] == ["ed-chest-pain-monitor", "ed-two-urgent-patients"]


def test_an_untrusted_twin_is_not_even_loaded(tmp_path: Path) -> None:
    folder = good(tmp_path)
    in_text(TWIN, "from __future__", "raise SystemExit\nfrom __future__")(folder)
    examined = Examiner(trusted=[tmp_path / "elsewhere"], mutants=True).examine([folder])
    assert (examined.unrun, examined.findings, examined.mutations) == ((GOOD,), (), ())


def test_a_path_without_scenarios_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        Examiner(trusted=[]).examine([tmp_path / "nowhere"])
