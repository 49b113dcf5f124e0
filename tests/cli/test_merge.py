from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.playground import SHORT, record

TASKS = f"{SHORT},ed-chest-pain-monitor"


@pytest.fixture
def shards(call: Call, tmp_path: Path) -> list[Path]:
    """Two libraries, each with one half of the run `a`."""
    roots = [tmp_path / "one", tmp_path / "two"]
    for number, root in enumerate(roots, start=1):
        call("--library", str(root), "record", "--task", TASKS, "--run", "a", "--shard", f"{number}/2")
    return roots


def test_the_shards_of_a_run_become_that_run(call: Call, shards: list[Path]) -> None:
    whole = call("--library", "whole", "record", "--task", TASKS, "--run", "a", "--json").document
    merged = call("--library", "all", "merge", *map(str, shards), "--json")
    assert (merged.code, merged.document["objects"]) == (0, 4)
    (run,) = merged.document["runs"]
    assert (run["name"], run["outcome"], run["counts"]["recorded"]) == ("a", whole["outcome"], 2)
    assert call("--library", "all", "replay", "--offline").code == 0
    assert call("--library", "all", "verify").code == 0


def test_it_says_what_is_new_and_what_the_runs_came_to(
    call: Call, shards: list[Path], tmp_path: Path
) -> None:
    lines = call("--library", "all", "merge", *map(str, shards)).out.splitlines()
    assert lines[0] == f"4 new objects in {tmp_path / 'all'}"
    assert lines[1].endswith(": 2 planned, 2 recorded (2 pass, 0 fail), 0 error, 0 missing")


def test_merging_again_changes_nothing(call: Call, shards: list[Path]) -> None:
    first, second = (
        call("--library", "all", "merge", *map(str, shards), "--json").document for _ in range(2)
    )
    assert second["objects"] == 0
    assert [one["run"] for one in second["runs"]] == [one["run"] for one in first["runs"]]


def test_two_specs_under_one_name_are_a_conflict_and_the_target_stays(
    call: Call, study: Path, tmp_path: Path
) -> None:
    record(tmp_path / "other", agents=("scripted:quitter",), name="study")
    before = Library(study).refs()
    ended = call("merge", str(tmp_path / "other"))
    assert ended.code == 1
    assert "merge-spec: " in ended.out
    assert "to do:    the target's own run stays as it was" in ended.out
    assert Library(study).refs() == before
    document = call("merge", str(tmp_path / "other"), "--json").document
    assert (document["ok"], [one["kind"] for one in document["findings"]]) == (False, ["merge-spec"])


def test_a_damaged_source_ends_with_4_and_names_the_file(call: Call, study: Path) -> None:
    path = Library(study).path(next(iter(Library(study).objects("cassette"))), "cassette")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1])
    ended = call("--library", "all", "merge", str(study))
    assert (ended.code, path.name in ended.err) == (4, True)


def test_a_folder_that_is_not_there_is_wrong_usage(call: Call) -> None:
    assert call("merge", "nowhere").code == 2


def test_without_a_library_to_merge_it_is_wrong_usage(call: Call) -> None:
    assert call("merge").code == 2
