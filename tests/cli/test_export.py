from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from replaylab.interop.vcr.write import write_text
from tests.cli.conftest import Call
from tests.interop.vcr.made import pair
from tests.playground import record


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("export") / "cassettes"
    record(root, tasks=("ed-sepsis-room", "hazmat-power-station"), faults=("E0", "E2"), name="faulty")
    return root


def test_the_file_holds_one_chat_a_line_and_is_the_same_again(
    call: Call, faulty: Path, tmp_path: Path
) -> None:
    ended = call("--library", str(faulty), "export", "sft", "--out", "a.jsonl", "--json")
    assert ended.code == 0, ended.err
    first = (tmp_path / "a.jsonl").read_bytes()
    lines = [json.loads(line) for line in first.splitlines()]
    assert len(lines) == ended.document["examples"] > 0
    assert {frozenset(line) for line in lines} == {frozenset({"messages", "tools", "metadata"})}
    call("--library", str(faulty), "export", "sft", "--out", "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == first


def test_nothing_to_export_is_a_finding_and_says_why(call: Call, faulty: Path, tmp_path: Path) -> None:
    ended = call("--library", str(faulty), "export", "sft", "--out", "a.jsonl", "--player", "llm")
    assert ended.code == 1
    assert "played by a program" in ended.out
    assert (tmp_path / "a.jsonl").read_bytes() == b""


def test_a_folder_that_is_not_there_is_a_usage_error(call: Call, faulty: Path) -> None:
    ended = call("--library", str(faulty), "export", "sft", "--out", "no/such/a.jsonl")
    assert ended.code == 2
    assert "make it first" in ended.err


@pytest.mark.parametrize("kind", ["link", "fifo"])
def test_what_is_no_file_is_not_replaced(call: Call, faulty: Path, tmp_path: Path, kind: str) -> None:
    # The same holds for /dev/null and /dev/stdout, which a rename would take away from everybody.
    at = tmp_path / "a.jsonl"
    if kind == "fifo":
        os.mkfifo(at)
    else:
        at.symlink_to(tmp_path / "b.jsonl")
    before = stat.S_IFMT(at.lstat().st_mode)
    ended = call("--library", str(faulty), "export", "sft", "--out", "a.jsonl")
    assert ended.code == 4
    assert "could not write a.jsonl: it is" in ended.err
    assert stat.S_IFMT(at.lstat().st_mode) == before
    assert not (tmp_path / "b.jsonl").exists()


def test_what_a_killed_export_left_goes(call: Call, faulty: Path, tmp_path: Path) -> None:
    for name in (".a.jsonl.12-0.tmp", ".b.jsonl.12-0.tmp"):
        (tmp_path / name).write_text("x")
    call("--library", str(faulty), "export", "sft", "--out", "a.jsonl")
    assert {path.name for path in tmp_path.iterdir()} == {"a.jsonl", ".b.jsonl.12-0.tmp"}


def test_a_capture_is_written_for_vcrpy_into_a_file_or_a_folder(call: Call, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    for name in ("a", "b"):
        (tmp_path / "theirs" / f"{name}.yaml").write_bytes(write_text([pair()], {}, "yaml", "x"))
    assert call("import", "vcr", "theirs").code == 0
    document = call("export", "vcr", "theirs", "-o", "out", "--json").document
    assert (document["files"], document["exchanges"], document["lost"]) == (
        ["out/a.yaml", "out/b.yaml"],
        2,
        {},
    )
    first = (tmp_path / "out" / "a.yaml").read_bytes()
    told = call("export", "vcr", "-o", "one.json")
    assert told.code == 0, told.err
    assert "lanes in one file: 2; vcrpy" in told.out
    assert len(json.loads((tmp_path / "one.json").read_bytes())["interactions"]) == 2
    call("export", "vcr", "theirs", "-o", "out")
    assert (tmp_path / "out" / "a.yaml").read_bytes() == first


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("-o", "a.yaml", "--format", "json"), "not named as a json file"),
        (("-o", "a.yaml", "--base-url", "openai"), "no address"),
        (("-o", "missing/folder/out"), "does not exist"),
    ],
)
def test_an_export_for_vcrpy_that_can_not_be_is_refused(
    call: Call, faulty: Path, options: tuple[str, ...], why: str
) -> None:
    ended = call("--library", str(faulty), "export", "vcr", "faulty", *options)
    assert (ended.code, why in ended.err) == (2, True)
