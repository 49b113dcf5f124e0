"""Captures in the commands: what lists and keeps them, and what is about trials and refuses them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from replaylab.cassette.stored import open_cassette
from replaylab.engine.captured.session import Session
from replaylab.schema.interaction import Attempt, Chunk
from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.engine.captured.asking import RUN, answer, asked, busy, missed, opened, played, record, ticking
from tests.playground import record as record_trials

PART = "capture,none,none,none/main@0/0"


@pytest.fixture
def library(tmp_path: Path) -> Path:
    folder = tmp_path / "cassettes"
    stream = Attempt(
        status=200, headers={"content-type": "text/event-stream"}, chunks=(Chunk(ms=1, text="data: 1"),)
    )
    record(
        folder,
        (asked("hello"), busy()),
        (asked("hello", retry=1), answer("1")),
        (asked("again"), stream),
        (asked("in a lane", lane="case 7"), answer("3")),
    )
    return folder


def test_a_run_is_listed_by_lane_and_question(call: Call, library: Path) -> None:
    shown = call("show", RUN)
    assert shown.code == 0
    for part in (
        "a capture, recorded",
        "main@0",
        "case%207@0#0",
        "/v1/chat/completions",
        "m-1",
        "3 in + 2 out",
        "3 questions",
    ):
        assert part in shown.out
    document = call("show", RUN, "--json").document
    assert (document["kind"], [len(part["interactions"]) for part in document["parts"]]) == (
        "capture",
        [2, 1],
    )
    assert document["facts"]["command"] == ["python", "suite.py"]
    line = document["parts"][0]["interactions"][0]
    assert (line["endpoint"], line["status"], line["attempts"], line["answered_by"]) == (
        "openai",
        200,
        2,
        "m-1",
    )


def test_a_part_and_a_question_are_shown_by_their_address(call: Call, library: Path) -> None:
    for what in (PART, f"{PART}/client", next(iter(Library(library).objects("cassette")))[:12]):
        assert call("show", what).code == 0
    shown = call("show", f"{PART}/client#0")
    for part in ("hello", "attempt 0: 429".upper(), "retry-after: 30", "req-1"):
        assert part in shown.out
    document = call("show", f"{PART}/client#0", "--json").document
    assert document["request"]["body"]["messages"] == [{"role": "user", "content": "hello"}]
    assert [attempt["status"] for attempt in document["attempts"]] == [429, 200]
    assert call("show", f"{PART}/client#1", "--raw").out == "data: 1"


def test_long_runs_are_cut_unless_all_is_wanted(call: Call, tmp_path: Path) -> None:
    record(tmp_path / "cassettes", *[(asked(f"q{number}"), answer("1")) for number in range(45)])
    assert "… and 5 more" in call("show", RUN).out
    assert "main@0#44" in call("show", RUN, "--full").out


def test_runs_lists_captures(call: Call, library: Path) -> None:
    (row,) = call("runs", "--json").document["runs"]
    assert (row["name"], row["mode"], row["players"], row["counts"]["recorded"]) == (RUN, "capture", {}, 2)
    assert "capture" in call("runs").out


def test_a_capture_has_no_verdicts_and_is_not_unjudged(call: Call, library: Path) -> None:
    header, row = call("runs").out.splitlines()
    assert header.split()[-7:] == ["mode", "planned", "pass", "fail", "error", "missing", "players"]
    assert row.split()[-7:] == ["capture", "2", "-", "-", "0", "0", "-"]
    for words in (("pack", RUN), ("cite", RUN), ("--library", "all", "merge", str(library))):
        said = call(*words).out
        assert "2 parts: 2 recorded, 0 error, 0 missing" in said
        assert "judged" not in said
        assert "fail" not in said


@pytest.mark.parametrize(
    "argv",
    [
        ("replay", RUN, "--offline"),
        ("replay", RUN, "--swap", "sim=twin"),
        ("score", RUN, "--print-only"),
        ("check", RUN),
        ("diff", RUN),
        ("diff", RUN, RUN),
        ("simulators", RUN),
        ("audit", RUN),
        ("export", "sft", RUN, "--out", "x.jsonl"),
    ],
)
def test_what_is_about_trials_refuses_a_capture_and_says_what_replays_it(
    call: Call, library: Path, argv: tuple[str, ...]
) -> None:
    ended = call(*argv)
    assert (ended.code, ended.out) == (2, "")
    assert f"the run '{RUN}' is a capture" in ended.err
    assert f"replaylab capture --run {RUN} --offline" in ended.err


def test_the_default_run_is_the_newest_that_holds_trials(call: Call, tmp_path: Path) -> None:
    library, recorded = record_trials(tmp_path / "cassettes")
    seams = replace(ticking(), now=lambda: "2099-01-02T03:04:05.000Z")
    session = Session(Library(tmp_path / "cassettes"), RUN, "record", seams)
    session.begin(asked("a")).commit(answer("1"))
    session.seal()
    assert call("show", "--json").document["run"] == recorded.run_id
    for argv in (("replay", "--offline"), ("score", "--print-only"), ("check",), ("audit",)):
        ended = call(*argv, "--json")
        assert ended.code in (0, 1), ended.err
        assert ended.document["run"] == recorded.run_id
    assert library.trial_refs() == [recorded.run.name]


def test_a_pack_of_a_capture_is_a_library_that_replays(call: Call, library: Path, tmp_path: Path) -> None:
    ended = call("pack", RUN, "--out", str(tmp_path / "p.tar"))
    assert ended.code == 0, ended.err
    assert call("unpack", str(tmp_path / "p.tar"), "--into", str(tmp_path / "taken")).code == 0
    (folder,) = [path.parent for path in (tmp_path / "taken").rglob("README.md")]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert "what a program asked" in readme
    assert "agent" not in readme
    assert played(opened(folder, "offline"), asked("hello"), asked("hello", retry=1)) == ["429", "1"]
    assert call("--library", str(folder), "verify").code == 0
    assert call("verify", str(tmp_path / "p.tar")).code == 0


def test_a_redacted_pack_keeps_the_digests_and_plays_nothing(
    call: Call, library: Path, tmp_path: Path
) -> None:
    assert call("pack", RUN, "--redact", "--out", str(tmp_path / "p.tar")).code == 0
    assert call("unpack", str(tmp_path / "p.tar"), "--into", str(tmp_path / "taken")).code == 0
    (folder,) = [path.parent for path in (tmp_path / "taken").rglob("README.md")]
    assert call("--library", str(folder), "verify").code == 0
    session = opened(folder, "offline")
    assert missed(session, asked("hello")).reason == "nothing_recorded"
    assert "main@0 was redacted: what it held is not played" in session.warnings()


def test_libraries_with_captures_are_united(call: Call, library: Path, tmp_path: Path) -> None:
    record(tmp_path / "other", (asked("b"), answer("9")), run="second")
    assert call("merge", str(tmp_path / "other")).code == 0
    assert played(opened(library, "offline", run="second"), asked("b")) == ["9"]
    assert call("verify").code == 0


def test_two_captures_of_one_name_are_told_apart_by_their_ids(
    call: Call, library: Path, tmp_path: Path
) -> None:
    theirs = record(tmp_path / "other", (asked("b"), answer("9")))
    assert theirs is not None
    ended = call("merge", str(tmp_path / "other"))
    assert ended.code == 1
    run_id = Library(tmp_path / "other").refs()[RUN]
    assert f"{run_id[:12]}" in ended.out
    assert "the captures of this name hold different recordings" in ended.out
    assert played(opened(library, "offline", run=run_id[:12]), asked("b")) == ["9"]


def test_purging_takes_the_misses_along(call: Call, library: Path) -> None:
    missed(session := opened(library, "offline"), asked("hello, who is Ann"))
    session.seal()
    name = next(iter(Library(library).objects("cassette")))
    assert open_cassette(Library(library), name).header.subject.kind == "capture"
    assert (library / "journal" / RUN / "misses.json").is_file()
    assert call("purge", name, "--reason", "a person's data", "--yes").code == 0
    assert not (library / "journal" / RUN / "misses.json").exists()
    assert call("verify").code in (0, 1)
    assert "purged" in call("show", RUN).out
    for other in Library(library).objects("cassette"):
        call("purge", other, "--reason", "a person's data", "--yes")
    assert "nothing of it is left" in call("show", RUN).out


def test_citing_a_capture_speaks_of_no_agents(call: Call, library: Path) -> None:
    document = call("cite", RUN, "--json").document
    assert (document["players"], document["interactions"]) == ([], 3)
    assert "What a program asked of models: 3 calls, in 2 parts" in document["bibtex"]


def test_a_capture_has_no_page(call: Call, library: Path, tmp_path: Path) -> None:
    assert call("show", RUN, "--html", str(tmp_path / "x.html")).code == 2
