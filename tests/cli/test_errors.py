from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from replaylab.cli.app import App
from replaylab.cli.errors import guarded
from replaylab.errors import (
    CallFailed,
    DivergenceError,
    LimitReached,
    OfflineError,
    ReplaylabError,
    StoreError,
    UsageError,
)
from tests.cli.conftest import REPO, process


def app(*, as_json: bool = False, **env: str) -> App:
    made = App(env, Path("/"), json=as_json)
    made.command = "show"
    return made


def raiser(error: BaseException) -> Callable[[], int]:
    def call() -> int:
        raise error

    return call


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (LimitReached("x"), 1),
        (UsageError("x"), 2),
        (CallFailed("x", kind="timeout"), 2),
        (DivergenceError("x", kind="request", callpath="p"), 3),
        (StoreError("x"), 4),
        (OfflineError("x"), 5),
        (RuntimeError("x"), 70),
        (KeyboardInterrupt(), 130),
    ],
)
def test_each_failure_has_its_exit_code(error: BaseException, code: int) -> None:
    assert guarded(app(), raiser(error)) == code


def test_the_message_says_what_where_closest_and_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(app(), raiser(StoreError("damaged", where="file f", closest="file g", fix="restore it")))
    out, err = capsys.readouterr()
    assert out == ""
    assert err == "replaylab: damaged\n  where:   file f\n  closest: file g\n  to do:   restore it\n"


def test_with_json_the_parts_stand_in_the_document(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    guarded(
        app(as_json=True), raiser(StoreError("damaged", where="file f", closest="file g", fix="restore it"))
    )
    assert json.loads(capsysbinary.readouterr().out) == {
        "schema": "replaylab/show/1",
        "run": None,
        "ok": False,
        "error": {
            "kind": "StoreError",
            "exit_code": 4,
            "what": "damaged",
            "where": "file f",
            "closest": "file g",
            "fix": "restore it",
        },
        "findings": [],
    }


def test_a_divergence_is_also_a_finding(capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    error = DivergenceError(
        "differs", kind="request", callpath="c/t/0/agent#1", pointer="/a", expected=1, observed=2
    )
    guarded(app(as_json=True), raiser(error))
    (found,) = json.loads(capsysbinary.readouterr().out)["findings"]
    assert (found["kind"], found["where"], found["pointer"]) == ("request", "c/t/0/agent#1", "/a")
    assert (found["expected"], found["observed"], found["message"]) == (1, 2, "differs")


def test_a_bug_is_called_a_bug_and_shows_no_traceback(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(app(), raiser(RuntimeError("boom")))
    err = capsys.readouterr().err
    assert "boom" in err
    assert "this is a bug" in err
    assert "Traceback" not in err


def test_a_bug_shows_its_traceback_when_debugging(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(app(REPLAYLAB_DEBUG="1"), raiser(RuntimeError("boom")))
    assert "Traceback" in capsys.readouterr().err


def test_a_refusal_of_the_system_names_the_file_and_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(app(), raiser(PermissionError(13, "Permission denied", "some/file"))) == 2
    err = capsys.readouterr().err
    assert "Permission denied\n  where:   some/file" in err
    assert "bug" not in err


def test_a_message_cannot_move_the_cursor(capsys: pytest.CaptureFixture[str]) -> None:
    guarded(app(), raiser(ReplaylabError("model said \x1b[2Jgone")))
    assert "model said \\x1b[2Jgone" in capsys.readouterr().err


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m replaylab --help | true; echo "${{PIPESTATUS[0]}}"'
    ended = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env={"PYTHONPATH": str(REPO)}, capture_output=True, check=True
    )
    # The help may be in the pipe before `true` is gone.
    assert ended.stdout.decode().strip() in {"141", "0"}
    assert ended.stderr == b""


def test_a_full_disk_under_stdout_is_reported_and_is_no_success(tmp_path: Path) -> None:
    line = f'"{sys.executable}" -m replaylab models --json > /dev/full'
    ended = subprocess.run(
        ["bash", "-c", line], cwd=tmp_path, env={"PYTHONPATH": str(REPO)}, capture_output=True, check=False
    )
    assert ended.returncode == 2
    assert b"No space left" in ended.stderr
    assert b"Traceback" not in ended.stderr


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_characters_that_the_locale_lacks_do_not_crash(tmp_path: Path, options: list[str]) -> None:
    text = '[models."grün→\U0001f600"]\nbase_url = "https://api.example.com/v1"\n'
    (tmp_path / "replaylab.toml").write_text(text, encoding="utf-8")
    env = {"LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = process("-m", "replaylab", "models", *options, cwd=tmp_path, env=env)
    assert (ended.returncode, ended.stderr) == (0, b"")
    if options:
        assert "grün→\U0001f600" in [one["alias"] for one in json.loads(ended.stdout)["models"]]
    else:
        assert b"gr\\xfcn\\u2192" in ended.stdout
