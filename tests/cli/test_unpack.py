from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call


@pytest.fixture
def file(call: Call, study: Path, tmp_path: Path) -> Path:
    assert study.is_dir()
    call("pack", "--out", "a.tar")
    return tmp_path / "a.tar"


def test_a_pack_becomes_a_library_that_all_commands_work_on(call: Call, file: Path, study: Path) -> None:
    ended = call("unpack", str(file), "--into", "new")
    run_id = Library(study).run("study")[0]
    assert ended.code == 0
    assert ended.out.splitlines()[0] == f"run study  {run_id}"
    assert "2 cassettes, 1 run object, 0 tombstones" in ended.out
    assert ended.out.splitlines()[-1] == "next: replaylab --library new verify"
    for command in (
        ["verify"],
        ["replay", "--offline"],
        ["show"],
        ["runs"],
        ["score", "--print-only"],
        ["cite"],
    ):
        assert call("--library", "new", *command).code == 0, command


@pytest.mark.usefixtures("file")
def test_gone_it_is_there_already(call: Call) -> None:
    first, second = (call("unpack", "a.tar", "--into", "new", "--json").document for _ in range(2))
    assert (first["fresh"], second["fresh"]) == (True, False)
    assert first["counts"] == {"cassette": 2, "run": 1, "tombstone": 0}


def test_a_bad_pack_ends_with_4_and_leaves_nothing(call: Call, file: Path, tmp_path: Path) -> None:
    file.write_bytes(file.read_bytes() + b"x")
    ended = call("unpack", "a.tar", "--into", "new")
    assert (ended.code, "follows its end" in ended.err) == (4, True)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "cassettes"]


@pytest.mark.usefixtures("file")
def test_a_folder_with_something_else_is_wrong_usage(call: Call, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "mine").write_text("mine")
    ended = call("unpack", "a.tar", "--into", "new")
    assert (ended.code, "holds something else" in ended.err) == (2, True)
