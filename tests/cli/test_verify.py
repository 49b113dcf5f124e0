from __future__ import annotations

import os
from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.playground import SHORT


def first(library: Path, suffix: str) -> Path:
    opened = Library(library)
    name = next(iter(opened.objects("run" if suffix == "run" else "cassette")))
    path = opened.path(name, "run" if suffix == "run" else "cassette")
    path.chmod(0o644)
    return path


def test_a_sound_library_ends_with_0_and_says_what_was_looked_at(call: Call, study: Path) -> None:
    ended = call("verify")
    assert ended.code == 0
    place, counts, last = ended.out.splitlines()
    assert place == f"library {study}"
    assert counts.startswith("2 cassettes with ")
    assert counts.endswith(" interactions, 1 run object, 1 run name, 0 journal files")
    assert last == "sound"


@pytest.mark.usefixtures("study")
def test_the_last_line_of_progress_counts_everything(call: Call) -> None:
    assert call("verify").err.splitlines()[-1] == "verify: 3/3 objects"


def test_a_journal_in_progress_is_sound_and_counted(call: Call) -> None:
    call("record", "--task", SHORT, "--run", "a", "--max-calls", "3")
    document = call("verify", "--json").document
    assert (document["ok"], document["journals"], document["cassettes"]) == (True, 1, 0)


def test_a_damaged_journal_ends_with_4_and_is_named(call: Call, tmp_path: Path) -> None:
    call("record", "--task", SHORT, "--run", "a", "--max-calls", "3")
    (path,) = (tmp_path / "cassettes" / "journal" / "a").glob("*.frames")
    data = path.read_bytes()
    path.write_bytes(data[:40] + bytes([data[40] ^ 1]) + data[41:])
    ended = call("verify")
    assert (ended.code, str(path) in ended.out) == (4, True)


@pytest.mark.parametrize("suffix", ["cassette", "run"])
def test_a_damaged_object_ends_with_4_and_says_where_and_what_to_do(
    call: Call, study: Path, suffix: str
) -> None:
    path = first(study, suffix)
    path.write_bytes(path.read_bytes()[:-1])
    ended = call("verify")
    assert ended.code == 4
    assert f"  where:    {path}" in ended.out
    assert "replaylab merge COPY" in ended.out
    assert "null" not in ended.out
    assert ended.out.splitlines()[-1].startswith("damaged: ")


def test_damage_is_a_finding_of_the_document_and_all_of_it_is_named(call: Call, study: Path) -> None:
    paths = [first(study, "cassette"), first(study, "run")]
    for path in paths:
        path.write_bytes(b"")
    ended = call("verify", "--json")
    assert (ended.code, ended.document["ok"]) == (4, False)
    assert {str(path) for path in paths} <= {one["where"] for one in ended.document["findings"]}


def test_a_missing_cassette_is_found_through_its_run(call: Call, study: Path) -> None:
    path = first(study, "cassette")
    path.unlink()
    ended = call("verify", "--json")
    assert ended.code == 4
    assert [(one["kind"], one["expected"]) for one in ended.document["findings"]] == [
        ("cassette-missing", path.stem)
    ]


def test_what_verify_advises_mends_the_library(call: Call, study: Path, tmp_path: Path) -> None:
    whole = tmp_path / "copy"
    call("--library", "copy", "merge", str(study))
    first(study, "cassette").write_bytes(b"damage")
    assert call("verify").code == 4
    assert call("merge", str(whole)).code == 0
    assert call("verify").code == 0


def test_a_folder_that_is_no_library_is_wrong_usage(call: Call) -> None:
    ended = call("--library", "nothing", "verify")
    assert (ended.code, "there is no library here" in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
@pytest.mark.parametrize("command", ["verify", "doctor"])
def test_a_name_among_the_runs_that_is_no_utf8_is_warned_of(call: Call, tmp_path: Path, command: str) -> None:
    (Path(os.fsdecode(os.fsencode(tmp_path / "cassettes" / "runs") + b"/a\xffb"))).write_bytes(b"x")
    ended = call(command, "--json")
    assert (ended.code, ended.document["findings"]) == (0, [])
    assert "warning: no run, and left alone: a\\xffb in " in ended.err


@pytest.mark.parametrize("command", ["verify", "scan", "runs", "doctor"])
@pytest.mark.parametrize("made", ["file", "pipe"])
@pytest.mark.parametrize("folder", ["objects", "runs"])
def test_what_stands_in_the_place_of_a_folder_ends_with_4(
    call: Call, tmp_path: Path, command: str, made: str, folder: str
) -> None:
    path = tmp_path / "cassettes" / folder
    path.parent.mkdir()
    path.touch() if made == "file" else os.mkfifo(path)
    assert call(command).code == 4


@pytest.mark.parametrize("command", ["verify", "scan", "runs", "doctor", "show"])
def test_a_library_that_is_a_link_to_nothing_ends_with_4_and_says_so(
    call: Call, tmp_path: Path, command: str
) -> None:
    (tmp_path / "cassettes").symlink_to("gone")
    ended = call(command)
    assert ended.code == 4
    assert "is a link to gone, which is not there" in ended.out + ended.err
