"""The commands that export whole runs, and back again."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.playground import SHORT, record


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> str:
    root = tmp_path_factory.mktemp("export") / "cassettes"
    record(root, tasks=(SHORT,), agents=("scripted:careful", "scripted:hasty"), faults=("E0", "E2"), name="s")
    return str(root)


@pytest.mark.parametrize(
    ("kind", "more", "number"),
    [("inspect", (), 4), ("inspect", ("--as", "json"), 4), ("atif", (), 4), ("parquet", (), 3)],
)
def test_a_run_becomes_files_with_the_same_bytes_each_time(
    call: Call, recorded: str, tmp_path: Path, kind: str, more: tuple[str, ...], number: int
) -> None:
    ended = call("--library", recorded, "export", kind, "s", "--out", "one", *more, "--json")
    assert ended.code == 0, ended.err
    assert len(ended.document["files"]) == number
    call("--library", recorded, "export", kind, "s", "--out", "two", *more)
    files = {path.name: path.read_bytes() for path in (tmp_path / "one").iterdir()}
    assert sorted(files) == ended.document["files"]
    assert files == {path.name: path.read_bytes() for path in (tmp_path / "two").iterdir()}


@pytest.mark.parametrize("kind", ["inspect", "atif"])
def test_what_was_exported_comes_back(call: Call, recorded: str, tmp_path: Path, kind: str) -> None:
    call("--library", recorded, "export", kind, "s", "--out", "out")
    files = [f"out/{path.name}" for path in sorted((tmp_path / "out").iterdir())]
    told = call("import", kind, *files, "--run", "back", "--json").document
    assert (told["transcripts"], told["scored"]) == (4, 4)
    assert call("verify").code == 0


def test_nothing_to_export_is_a_finding_and_says_why(call: Call, recorded: str, tmp_path: Path) -> None:
    library = tmp_path / "cassettes"
    made, _ = record(library, tasks=(SHORT,), agents=("scripted:careful",), name="s")
    (name,) = made.objects("cassette")
    assert call("purge", name, "--reason", "asked for", "--yes").code == 0
    ended = call("export", "atif", "s", "--out", "out")
    assert ended.code == 1
    assert "left out: 1 trial (purged)" in ended.out
    rows = call("export", "parquet", "s", "--out", "tables", "--json").document["rows"]
    assert rows == {"interactions": 0, "trajectories": 0, "verdicts": 1}


def test_an_archive_says_nothing_of_when_it_was_made(call: Call, recorded: str, tmp_path: Path) -> None:
    call("--library", recorded, "export", "inspect", "s", "--out", "out")
    for path in (tmp_path / "out").iterdir():
        with zipfile.ZipFile(path) as archive:
            assert {one.date_time for one in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_parquet_says_how_to_get_what_it_needs(
    call: Call, recorded: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    ended = call("--library", recorded, "export", "parquet", "s", "--out", "out")
    assert ended.code == 2
    assert "pyarrow" in ended.err
    assert "[parquet]" in ended.err
