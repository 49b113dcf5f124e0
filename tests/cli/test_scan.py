"""The command `scan`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call
from tests.interop.scan.test_scanner import KEY, library_with
from tests.playground import SHORT, record


def test_a_sound_library_has_none(call: Call, tmp_path: Path) -> None:
    record(tmp_path / "cassettes", tasks=(SHORT,), agents=("scripted:careful",), name="s")
    ended = call("scan")
    assert ended.code == 0
    assert "no secret found" in ended.out


def test_a_secret_ends_with_1_and_is_never_repeated(call: Call, tmp_path: Path) -> None:
    library = library_with(tmp_path, final_answer=f"It is {KEY}.")
    ended = call("--library", str(library.root), "scan")
    assert ended.code == 1
    assert "agent#1 /attempts/0/body/choices/0/message/content" in ended.out
    assert KEY[4:] not in ended.out + ended.err
    told = call("--library", str(library.root), "scan", "--json")
    assert told.code == 1
    assert KEY[4:] not in json.dumps(told.document)
    assert {one["kind"] for one in told.document["findings"]} == {"secret"}


def test_files_and_the_keys_of_the_environment_are_looked_for(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "replaylab.toml").write_text(
        '[models.m]\nbase_url = "http://127.0.0.1:1/v1"\nmodel = "m"\napi_key_env = "MY_KEY"\n',
        encoding="utf-8",
    )
    (tmp_path / "notes.txt").write_text("first\nthe key is plain-words-as-a-key\n", encoding="utf-8")
    monkeypatch.setenv("MY_KEY", "plain-words-as-a-key")
    assert call("scan", "notes.txt").code == 1
    monkeypatch.setenv("MY_KEY", "another-word-altogether")
    assert call("scan", "notes.txt").code == 0


def test_nothing_to_look_at_is_an_error(call: Call) -> None:
    assert call("scan").code == 2


def test_it_says_how_to_get_what_it_needs(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    ended = call("scan")
    assert ended.code == 2
    assert "[scan]" in ended.err
