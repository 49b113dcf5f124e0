from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call

WHY = "a key was in an answer"


@pytest.fixture
def failed(study: Path) -> str:
    """The cassette of the trial that failed."""
    run = Library(study).run("study")[1]
    return next(one.cassette for entry in run.ledger for one in entry.tries if one.verdict == "fail")


def test_without_a_yes_nothing_is_removed(call: Call, failed: str, study: Path) -> None:
    for words in ([], ["--json"]):
        ended = call("purge", failed[:8], "--reason", WHY, *words)
        assert (ended.code, "would be gone for good" in ended.err) == (2, True)
    assert Library(study).get(failed, "cassette")


def test_every_command_says_purged_and_counts_it_neither_way(call: Call, failed: str, study: Path) -> None:
    ended = call("purge", failed[:8], "--reason", WHY, "--yes")
    assert (ended.code, ended.out.splitlines()[0]) == (0, f"purged {failed}")
    assert "version control: git keeps a file that was committed" in ended.out
    assert not Library(study).still_has(failed)
    verified = call("verify")
    assert (verified.code, f"purged: 1 cassette ({WHY})" in verified.out) == (0, True)
    replayed = call("replay", "--offline")
    assert (replayed.code, f"purged: 1 cassette ({WHY})" in replayed.out) == (1, True)
    assert "each that is here is identical" in replayed.out
    shown = call("show")
    assert (shown.code, f"purged ({WHY})" in shown.out) == (0, True)
    assert "2 planned, 1 recorded (1 pass, 0 fail), 0 error, 0 missing, 1 purged or redacted" in shown.out
    listed = call("runs")
    assert "gone" in listed.out.splitlines()[0]
    assert f"purged: 1 cassette ({WHY})" in listed.out
    scored = call("score", "--print-only", "--json").document
    assert [one["kind"] for one in scored["findings"]] == ["purged"]
    assert WHY in scored["findings"][0]["message"]
    trial = call("show", failed[:8])
    assert (trial.code, f"was purged ({WHY})" in trial.err) == (1, True)
    rows = {one["cassette"]: one for one in call("show", "--json").document["trials"]}
    assert (rows[failed]["verdict"], rows[failed]["gone"]) == (None, f"purged ({WHY})")
    page = call("show", "--html", "a.html")
    assert page.code == 0
    assert f"purged ({WHY})" in Path("a.html").read_text(encoding="utf-8")


def test_a_score_counts_it_as_missing_and_not_as_failed(call: Call, failed: str, tmp_path: Path) -> None:
    def tallies() -> tuple[int, int, int]:
        text = call("score", "--print-only", "--table", "overall").out
        line = next(line for line in text.splitlines() if " planned: " in line)
        words = line.replace(":", "").replace(",", "").split()
        return tuple(int(words[words.index(word) - 1]) for word in ("passed", "failed", "missing"))  # type: ignore[return-value]

    assert tallies() == (1, 1, 0)
    call("purge", failed, "--reason", WHY, "--yes")
    assert tallies() == (1, 0, 1)
    assert (tmp_path / "cassettes").is_dir()


def test_packs_are_found_and_those_that_are_named_are_made_again(
    call: Call, failed: str, tmp_path: Path
) -> None:
    call("pack", "--out", "a.tar")
    shutil.copy(tmp_path / "a.tar", tmp_path / "b.tar")
    document = call("purge", failed, "--reason", WHY, "--yes", "--pack", "a.tar", "--json").document
    assert document["repacked"] == [str(tmp_path / "a.tar")]
    assert document["packs_left"] == [str(tmp_path / "b.tar")]
    assert f"purged: 1 cassette ({WHY})" in call("verify", "a.tar").out
    again = call("purge", failed, "--reason", "another", "--yes", "--pack", "b.tar")
    assert "(was done before)" in again.out
    assert (tmp_path / "b.tar").read_bytes() == (tmp_path / "a.tar").read_bytes()


def test_an_unpacked_pack_says_that_its_list_is_old(call: Call, failed: str) -> None:
    call("pack", "--out", "a.tar")
    call("unpack", "a.tar", "--into", "new")
    ended = call("--library", "new", "purge", failed, "--reason", WHY, "--yes")
    assert "SHA256SUMS of the pack that this was unpacked from still lists it" in ended.out
    assert "SHA256SUMS" not in call("purge", failed, "--reason", WHY, "--yes").out
    assert call("--library", "new", "verify").code == 0


def test_a_recording_goes_on_without_it(call: Call, failed: str) -> None:
    call("purge", failed, "--reason", WHY, "--yes")
    ended = call("pack")
    assert (ended.code, "1 tombstone" in ended.out) == (0, True)
    assert call("doctor").code == 0
    assert call("cite").code == 0


def test_merging_a_copy_names_it(call: Call, failed: str, study: Path, tmp_path: Path) -> None:
    shutil.copytree(study, tmp_path / "copy")
    call("purge", failed, "--reason", WHY, "--yes")
    ended = call("merge", "copy")
    assert (ended.code, "merge-purged: " in ended.out) == (1, True)
    assert call("verify").code == 0


@pytest.mark.usefixtures("study")
def test_an_unknown_cassette_or_a_missing_reason_is_wrong_usage(call: Call) -> None:
    assert call("purge", "0" * 64, "--reason", WHY, "--yes").code == 2
    assert call("purge", "abcd", "--yes").code == 2
