"""A folder that is no library: every command that reads says so, names it, and makes nothing there."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Call

READERS = (
    ("show",),
    ("check",),
    ("diff",),
    ("diff", "a", "b"),
    ("score",),
    ("audit",),
    ("verify",),
    ("simulators",),
    ("replay",),
    ("pack",),
    ("cite",),
    ("explain-miss",),
    ("scan",),
    ("purge", "abcd", "--reason", "none", "--yes"),
    ("export", "sft", "--out", "x"),
    ("export", "vcr", "-o", "x.yaml"),
    ("export", "inspect", "--out", "x"),
    ("synth", "--report", "x"),
)


@pytest.mark.parametrize("command", [*READERS, ("runs",)], ids=" ".join)
def test_a_reading_command_names_the_folder_that_is_no_library_and_makes_nothing(
    call: Call, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    for name, why in (("nope", "there is no such folder"), ("empty", "holds neither cassettes nor runs")):
        ended = call("--library", name, *command)
        assert (ended.code, ended.out) == (2, "")
        assert f"there is no library here: {'the folder ' * (name == 'empty')}{why}" in ended.err
        assert f"where:   {tmp_path / name}\n" in ended.err
        assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


@pytest.mark.parametrize("command", READERS, ids=" ".join)
def test_a_folder_that_nobody_named_is_no_library_either(
    call: Call, tmp_path: Path, command: tuple[str, ...]
) -> None:
    ended = call(*command)
    assert (ended.code, "there is no library here" in ended.err) == (2, True)
    assert not list(tmp_path.rglob("*"))


def test_a_misspelt_library_is_told_with_the_closest_one(call: Call, study: Path, tmp_path: Path) -> None:
    study.rename(tmp_path / "recordings")
    ended = call("--library", "recordigns", "runs")
    assert f"closest: {tmp_path / 'recordings'}\n" in ended.err


def test_the_folder_above_a_library_is_told_with_the_library_in_it(
    call: Call, study: Path, tmp_path: Path
) -> None:
    assert f"closest: {study}\n" in call("--library", ".", "show").err


def test_what_a_command_proposes_has_the_library_that_it_was_called_with(call: Call, study: Path) -> None:
    there = str(study)
    assert f"`replaylab --library {there} runs` lists" in call("--library", there, "show", "zzz").err
    error = call("--library", there, "diff", "zzz", "study", "--json").document["error"]
    assert error["fix"].startswith(f"`replaylab --library {there} runs`")
    assert "`replaylab runs` lists" in call("show", "zzz").err


@pytest.mark.parametrize(
    "command",
    [("runs",), ("show", "study"), ("verify",), ("check", "study"), ("replay", "study"), ("doctor",)],
    ids=" ".join,
)
def test_what_lies_among_the_runs_and_is_none_is_named_and_left_alone(
    call: Call, study: Path, command: tuple[str, ...]
) -> None:
    before = call(*command)
    (study / "runs" / "notes.txt").write_text("ask Bob\n", encoding="utf-8")
    ended = call(*command)
    assert ended.code == before.code != 4
    warnings = [line for line in ended.err.splitlines() if line.startswith("warning:")]
    assert warnings == [f"warning: no run, and left alone: notes.txt in {study / 'runs'}"]
    assert (study / "runs" / "notes.txt").is_file()


def test_what_is_left_of_a_reference_is_damage(call: Call, study: Path) -> None:
    (study / "runs" / "other").write_text("3f2a", encoding="utf-8")
    assert call("runs").code == 4
