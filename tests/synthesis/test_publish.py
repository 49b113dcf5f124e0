from __future__ import annotations

import errno
import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.catalogue.index import shipped
from replaylab.catalogue.loader import Catalogue
from replaylab.errors import StoreError, UsageError
from replaylab.examine.examine import Examiner
from replaylab.synthesis.proof import OF_SETS
from replaylab.synthesis.publish import publish, selection
from tests.synthesis.playing import Played, order, synthesise

DAY = "2026-03-04"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Played:
    """Two instances, one of them held out, by a generator that proposes twins."""
    return synthesise(tmp_path_factory.mktemp("p"), order(instances=2, levels=1, held_out=50, twins=True))


@pytest.fixture(scope="module")
def folder(played: Played, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("out")
    publish(played.made, folder, DAY)
    return folder


def test_each_set_is_a_folder_of_scenarios_that_keeps_the_rules(folder: Path) -> None:
    for name in ("public", "held-out"):
        examined = Examiner(trusted=[folder]).examine([folder / name])
        assert examined.tasks == 1
        assert {finding.kind for finding in examined.findings} <= OF_SETS


def test_both_sets_and_the_shipped_scenarios_can_be_loaded_together(folder: Path, played: Played) -> None:
    tasks = Catalogue.load([shipped(), folder / "public", folder / "held-out"]).tasks
    assert {one.task.id for one in played.made.kept} <= {task.id for task in tasks}


def test_what_was_tried_is_what_is_published_byte_for_byte(folder: Path, played: Played) -> None:
    catalogue = Catalogue.load([folder / "public", folder / "held-out"])
    for one in played.made.kept:
        found = catalogue.task(one.task.id)
        assert found.task == one.task
        assert found.environment == one.environment


def test_the_canary_stands_in_every_set_and_every_task(folder: Path, played: Played) -> None:
    canary = played.history.canary
    texts = [
        path for path in folder.rglob("*") if path.name in ("README.md", "reference.md", "environment.json")
    ]
    texts += [*folder.glob("*/*/tasks/*.json"), folder / "manifest.json", folder / "history.json"]
    assert len(texts) >= 10
    for path in texts:
        assert canary in path.read_text(encoding="utf-8"), path


def test_the_manifest_says_who_made_it_when_and_how_it_was_split(folder: Path, played: Played) -> None:
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    assert (manifest["made_on"], manifest["by_programs"], manifest["split_seed"]) == (DAY, True, 0)
    assert manifest["players"]["grammar"] == "program"
    assert manifest["tasks"] == selection(played.made)
    assert {task["set"] for task in manifest["tasks"]} == {"public", "held-out"}
    assert "programs, not LLMs" in (folder / "public" / "README.md").read_text(encoding="utf-8")


def test_the_day_reaches_no_digest_and_no_task(played: Played, folder: Path, tmp_path: Path) -> None:
    names = publish(played.made, tmp_path, "2031-12-31")
    changed = [name for name in names if (tmp_path / name).read_bytes() != (folder / name).read_bytes()]
    assert changed == ["manifest.json"]
    days = [json.loads((one / "manifest.json").read_text(encoding="utf-8")) for one in (folder, tmp_path)]
    assert days[0]["selection"] == days[1]["selection"]


def test_doing_it_again_changes_nothing_and_other_content_is_refused(played: Played, tmp_path: Path) -> None:
    names = publish(played.made, tmp_path, DAY)
    assert publish(played.made, tmp_path, DAY) == names
    with pytest.raises(UsageError, match="other content"):
        publish(played.made, tmp_path, "2031-12-31")


def test_a_changed_file_of_a_scenario_is_refused_and_a_missing_one_is_put_back(
    played: Played, tmp_path: Path
) -> None:
    names = publish(played.made, tmp_path, DAY)
    path = next((tmp_path / "public").rglob("state.json"))
    held = path.read_bytes()
    path.write_bytes(b"")
    with pytest.raises(UsageError, match=r"state\.json is there already"):
        publish(played.made, tmp_path, DAY)
    path.unlink()
    assert publish(played.made, tmp_path, DAY) == names
    assert path.read_bytes() == held


@pytest.mark.parametrize("writes", [0, 1, 3])
def test_a_disk_that_fills_up_leaves_no_half_set_and_the_same_again_completes_it(
    writes: int, played: Played, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [writes]
    real = Path.write_bytes

    def full(path: Path, data: Any) -> int:
        if not left[0]:
            real(path, data[: len(data) // 2])
            raise OSError(errno.ENOSPC, "No space left on device")
        left[0] -= 1
        return real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", full)
        with pytest.raises(StoreError, match="No space"):
            publish(played.made, tmp_path, DAY)
    assert not list(tmp_path.rglob("*"))
    for name in publish(played.made, tmp_path, DAY):
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_proposed_twins_lie_beside_the_sets_and_are_no_part_of_them(folder: Path, played: Played) -> None:
    names = sorted(path.name for path in (folder / "proposed-twins").iterdir())
    assert names == sorted(f"{one.id}.py" for one in played.history.instances)
    assert len(played.made.proposed) == 2
