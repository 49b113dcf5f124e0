from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.playground import SHORT


def test_an_empty_library_is_no_error_and_says_how_to_fill_it(call: Call, tmp_path: Path) -> None:
    ended = call("runs")
    assert (ended.code, ended.out) == (
        0,
        f"no runs in {tmp_path / 'cassettes'}; `replaylab record` makes one\n",
    )
    assert call("runs", "--json").document["runs"] == []


def test_the_newest_run_comes_first_whatever_its_name(call: Call) -> None:
    for name in ("b", "c", "a"):
        call("record", "--task", SHORT, "--votes", "1", "--run", name)
    assert [one["name"] for one in call("runs", "--json").document["runs"]] == ["a", "c", "b"]
    assert [line.split()[0] for line in call("runs").out.splitlines()] == ["run", "a", "c", "b"]


def test_a_run_is_listed_with_its_ledger_and_who_played(call: Call, study: Path) -> None:
    (one,) = call("runs", "--json").document["runs"]
    run_id, run = Library(study).run("study")
    assert (one["run"], one["outcome"], one["mode"]) == (run_id, run.outcome, "run")
    assert (one["counts"]["pass"], one["counts"]["fail"], one["counts"]["missing"]) == (1, 1, 0)
    assert set(one["players"].values()) == {"program"}
    row = call("runs").out.splitlines()[1].split()
    assert (row[1], row[4:]) == (run_id[:12], ["2", "1", "1", "0", "0", "programs"])


def test_a_run_with_an_llm_is_not_said_to_be_programs(call: Call, tmp_path: Path) -> None:
    (tmp_path / "replaylab.toml").write_text(
        '[models.away]\nbase_url = "http://127.0.0.1:9/v1"\nmax_attempts = 1\n', encoding="utf-8"
    )
    call("record", "--task", SHORT, "--run", "a", "--agent", "away", "--max-calls", "0")
    assert call("runs").out.splitlines()[1].endswith("llm, program")


def test_a_damaged_run_object_ends_with_4(call: Call, study: Path) -> None:
    path = Library(study).path(Library(study).refs()["study"], "run")
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-1])
    ended = call("runs")
    assert (ended.code, path.name in ended.err) == (4, True)


@pytest.mark.usefixtures("study")
def test_a_narrow_terminal_gets_blocks(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    out = call("runs").out
    assert out.startswith("run: study\nid: ")
    assert max(map(len, out.splitlines())) <= 40


@pytest.mark.usefixtures("study")
def test_trials_that_nobody_judged_have_a_column_when_there_are_any(call: Call) -> None:
    assert "unjudged" not in call("runs").out
    call("replay", "study", "--swap", "sim=example")
    header, *rows = call("runs").out.splitlines()
    assert header.split()[-4:] == ["unjudged", "error", "missing", "players"]
    assert [row.split()[5:10] for row in rows] == [["0", "0", "2", "0", "0"], ["1", "1", "0", "0", "0"]]
