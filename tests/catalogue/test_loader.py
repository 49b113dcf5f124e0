"""Catalogues: order, unique ids, and what is said when a name is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.errors import UsageError
from tests.catalogue.folders import put, scenario


def test_scenarios_tasks_and_environments_come_in_natural_order_whatever_the_order_of_the_paths(
    tmp_path: Path,
) -> None:
    one = scenario(tmp_path / "a", "s10", "e10", "t10")
    two = scenario(tmp_path / "b", "s9", "e9", "t9")
    put(two / "tasks" / "t100.json", (two / "tasks" / "t9.json").read_text("utf-8"))
    catalogue = Catalogue.load([one, two])
    assert [each.id for each in catalogue.scenarios] == ["s9", "s10"]
    assert [each.id for each in catalogue.environments] == ["e9", "e10"]
    assert [each.id for each in catalogue.tasks] == ["t9", "t100", "t10"]
    other = Catalogue.load([tmp_path / "b", tmp_path / "a"])
    assert (other.scenarios, other.tasks) == (catalogue.scenarios, catalogue.tasks)


def test_a_task_is_found_with_its_scenario_and_environment(tmp_path: Path) -> None:
    folder = scenario(tmp_path)
    catalogue = Catalogue.load([tmp_path])
    one, environment, task = catalogue.task("gates-1")
    assert (one.id, environment.id, task.id) == ("gates", "yard", "gates-1")
    assert catalogue.folder("gates") == catalogue.folder_of("yard") == folder


@pytest.mark.parametrize(
    ("kind", "wrong", "closest"),
    [("task", "gate-1", "gates-1"), ("environment", "yrad", "yard"), ("scenario", "gatse", "gates")],
)
def test_an_unknown_id_names_the_closest(tmp_path: Path, kind: str, wrong: str, closest: str) -> None:
    scenario(tmp_path)
    with pytest.raises(UsageError) as caught:
        getattr(Catalogue.load([tmp_path]), kind)(wrong)
    assert caught.value.closest == closest


@pytest.mark.parametrize(
    ("ids", "kind"),
    [
        (("gates", "other", "other"), "scenario"),
        (("other", "yard", "other"), "environment"),
        (("other", "other", "gates-1"), "task"),
    ],
)
def test_an_id_that_stands_twice_is_refused_naming_both_folders(
    tmp_path: Path, ids: tuple[str, str, str], kind: str
) -> None:
    first = scenario(tmp_path / "a")
    second = scenario(tmp_path / "b", *ids)
    with pytest.raises(UsageError, match=f"two {kind}s") as caught:
        Catalogue.load([tmp_path / "a", tmp_path / "b"])
    assert str(first) in caught.value.where
    assert str(second) in caught.value.where


def test_a_folder_that_is_not_there_is_an_error_and_not_an_empty_catalogue(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no such folder"):
        Catalogue.load([tmp_path / "nowhere"])


def test_a_folder_without_scenario_file_among_scenarios_is_an_error(tmp_path: Path) -> None:
    scenario(tmp_path)
    (tmp_path / "half").mkdir()
    with pytest.raises(UsageError, match=r"scenario\.json is missing"):
        Catalogue.load([tmp_path])


def test_the_shipped_scenarios_load() -> None:
    catalogue = Catalogue.load([shipped()])
    assert len(catalogue.scenarios) >= 3
    assert len(catalogue.tasks) >= 9
