"""The commands that import conversations: what they say, and that all of them do the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from replaylab.cli.import_talk import OFFERS
from tests.cli.conftest import Call
from tests.interop.atif.test_reader import trajectory
from tests.interop.chat.test_reader import line
from tests.interop.inspect.made import log
from tests.interop.otel.made import document, today
from tests.interop.tau.test_reader import episode

FILES: dict[str, Any] = {
    "inspect": log(),
    "tau": [episode()],
    "atif": trajectory(),
    "chat": line(),
    "otel": document(*today()),
}


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    for name, value in FILES.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(value), encoding="utf-8")
    return {name: f"{name}.json" for name in FILES}


def test_every_format_is_offered_and_tried_here() -> None:
    assert {one.name for one in OFFERS} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_a_file_becomes_a_run_that_is_marked_as_imported(
    call: Call, files: dict[str, str], name: str
) -> None:
    ended = call("import", name, files[name], "--run", "theirs", "--json")
    assert ended.code == 0, ended.err
    told = ended.document
    assert (told["ok"], told["format"], told["provenance"], told["evidence"]) == (
        True,
        name,
        "imported",
        "imported",
    )
    assert told["transcripts"] == 1
    assert set(told["lacks"]) <= {"tools", "results", "tokens", "times", "created", "model"}
    again = call("import", name, files[name], "--run", "theirs", "--json").document
    assert (again["run"], again["changed"]) == (told["run"], False)
    assert call("verify").code == 0
    assert call("replay", "theirs").code == 0
    shown = call("import", name, files[name], "--run", "theirs").out
    assert "Imported, not recorded" in shown
    assert "next: replaylab check theirs\n      replaylab show theirs\n" in shown


def test_scores_are_told_as_what_the_source_says_and_count_nowhere(call: Call, files: dict[str, str]) -> None:
    told = call("import", "tau", files["tau"]).out
    assert "scores of the source: 1 trial; kept as what it says, no verdict is made of them" in told
    assert "0 pass, 0 fail, 1 unjudged" in told
    shown = call("show", "unknown,tau-bench,none,E0/tau-bench-3/0", "--run", "tau").out
    assert "source says reward 1.0 (imported, checked by nobody here)" in shown
    assert "verdict     none" in shown
    document = call("show", "unknown,tau-bench,none,E0/tau-bench-3/0", "--run", "tau", "--json").document
    assert document["source"]["scores"] == [{"name": "reward", "value": 1.0}]
    assert document["verdict"]["outcome"] == "none"


def test_a_bad_file_ends_with_2_and_writes_nothing(call: Call, tmp_path: Path) -> None:
    (tmp_path / "bad.json").write_text('[{"task_id": 1}]', encoding="utf-8")
    ended = call("import", "tau", "bad.json")
    assert ended.code == 2
    assert "1 episode can't be imported; nothing was written" in ended.err
    assert "bad.json#0: 0.traj: it is missing" in ended.err
    assert not (tmp_path / "cassettes").exists()


def test_bad_ones_can_be_left_out_and_are_told(call: Call, tmp_path: Path) -> None:
    (tmp_path / "mixed.json").write_text(json.dumps([episode(), {"task_id": 1}]), encoding="utf-8")
    ended = call("import", "tau", "mixed.json", "--skip-bad", "--json")
    assert ended.code == 0
    assert ended.document["skipped_lines"] == 1
    assert ended.document["skipped"][0]["field"] == "1.traj"
    told = call("import", "tau", "mixed.json", "--skip-bad", "--run", "other").out
    assert "left out, since they can't be imported: 1 episode" in told


@pytest.mark.parametrize("name", FILES)
def test_a_folder_is_all_files_of_the_format_that_are_in_it(
    call: Call, files: dict[str, str], tmp_path: Path, name: str
) -> None:
    (tmp_path / "in" / "deep").mkdir(parents=True)
    (tmp_path / files[name]).rename(tmp_path / "in" / "deep" / files[name])
    (tmp_path / "in" / "notes.txt").write_text("nothing of a format", encoding="utf-8")
    ended = call("import", name, "in", "--json")
    assert ended.code == 0, ended.err
    assert ended.document["name"] == "in"
    assert (
        ended.document["run"]
        == call("import", name, f"in/deep/{name}.json", "--run", "in", "--json").document["run"]
    )
    (tmp_path / "empty").mkdir()
    ended = call("import", name, "empty")
    assert (ended.code, "the folder holds no file to import" in ended.err) == (2, True)


def test_what_was_imported_is_shown_with_the_way_to_check_it(call: Call, tmp_path: Path) -> None:
    from tests.interop.transcript.made import line, written

    written(tmp_path / "t.jsonl", line())
    made = call("import", "transcript", "t.jsonl", "--run", "theirs").out
    assert f"in the library {tmp_path / 'cassettes'}" in made
    shown = call("show", "theirs").out
    assert "      replaylab check theirs" in shown
    key = next(word for word in shown.split() if word.startswith("unknown,a,none"))
    assert "      replaylab check theirs" in call("show", key).out
