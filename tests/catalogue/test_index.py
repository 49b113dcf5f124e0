"""The index of published scenarios."""

from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.catalogue.index import listed, read_index, shipped
from replaylab.catalogue.reader import read_scenario
from replaylab.errors import UsageError
from tests.catalogue.folders import put, scenario

ENTRY = {"name": "Gates", "industry": "Farming", "domain": "Gates"}


def test_each_published_scenario_is_listed_with_the_id_of_the_one_that_is_held(tmp_path: Path) -> None:
    other = ENTRY | {"name": "Fences"}
    put(tmp_path / "index.json", {"format": "replaylab.index/1", "scenarios": [other, ENTRY]})
    held = listed(read_index(tmp_path), [read_scenario(scenario(tmp_path))])
    assert [(one.published.name, one.scenario) for one in held] == [("Fences", ""), ("Gates", "gates")]


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    put(tmp_path / "index.json", {"format": "replaylab.index/1", "scenarios": [ENTRY, ENTRY]})
    with pytest.raises(UsageError, match="twice") as caught:
        read_index(tmp_path)
    assert "scenarios.1.name" in caught.value.where


def test_the_shipped_folder_is_found_from_the_package_and_not_from_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shipped()
    monkeypatch.chdir(tmp_path)
    assert shipped() == before
    assert before.is_absolute()
