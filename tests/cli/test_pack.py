from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from replaylab.store.library import Library
from tests.cli.conftest import Call


def test_a_run_becomes_a_file_named_after_it(call: Call, study: Path, tmp_path: Path) -> None:
    ended = call("pack")
    run_id = Library(study).run("study")[0]
    file = tmp_path / f"study-{run_id[:12]}.tar"
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    assert ended.code == 0
    lines = ended.out.splitlines()
    assert lines[0].startswith(f"run study  {run_id}: 2 planned, 2 recorded")
    assert lines[1] == str(file)
    assert lines[2].endswith(f"SHA-256 {digest}")
    assert lines[3] == "1 run object, 2 cassettes, 0 tombstones"
    assert lines[4].startswith("Played by programs, not LLMs")


@pytest.mark.usefixtures("study")
def test_the_document_says_the_same(call: Call, tmp_path: Path) -> None:
    document = call("pack", "study", "--out", "x/a.tar", "--redact", "--json").document
    file = tmp_path / "x" / "a.tar"
    assert document["file"] == str(file)
    assert document["sha256"] == hashlib.sha256(file.read_bytes()).hexdigest()
    assert (document["ok"], document["redacted"], document["cassettes"], document["gone"]) == (
        True,
        True,
        2,
        {},
    )


@pytest.mark.usefixtures("study")
def test_an_unknown_run_is_wrong_usage(call: Call, tmp_path: Path) -> None:
    assert call("pack", "nothing").code == 2
    assert not list(tmp_path.glob("*.tar"))


@pytest.mark.usefixtures("study")
def test_verify_reads_a_pack_without_unpacking(call: Call, tmp_path: Path) -> None:
    call("pack", "--out", "a.tar")
    before = sorted(tmp_path.iterdir())
    ended = call("--library", "elsewhere", "verify", "a.tar")
    assert (ended.code, ended.out.splitlines()[0], ended.out.splitlines()[-1]) == (
        0,
        f"pack {tmp_path / 'a.tar'}",
        "sound",
    )
    document = call("verify", "a.tar", "--json").document
    assert (document["ok"], document["cassettes"], document["members"]) == (True, 2, 6)
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.usefixtures("study")
def test_a_damaged_pack_ends_with_4(call: Call, tmp_path: Path) -> None:
    call("pack", "--out", "a.tar")
    data = (tmp_path / "a.tar").read_bytes()
    (tmp_path / "a.tar").write_bytes(data[:3000] + b"?" + data[3001:])
    ended = call("verify", "a.tar")
    assert (ended.code, "pack: not a sound pack" in ended.out) == (4, True)
    document = call("verify", "a.tar", "--json").document
    assert (document["ok"], [one["kind"] for one in document["findings"]]) == (False, ["pack"])


@pytest.mark.usefixtures("study")
def test_a_redacted_pack_says_what_can_not_be_checked_wherever_it_is_looked_at(call: Call) -> None:
    call("pack", "--out", "r.tar", "--redact")
    ended = call("verify", "r.tar")
    assert ended.code == 0
    assert "redacted: 2 cassettes" in ended.out
    assert "  - trajectory and verdict: they follow from the answers" in ended.out
    assert ended.out.splitlines()[-1] == "sound as far as it can be checked"
    document = call("verify", "r.tar", "--json").document
    assert {one["why"] for one in document["gone"].values()} == {"redacted"}
    assert len(document["unchecked"]) == 5
    call("unpack", "r.tar", "--into", "r")
    replayed = call("--library", "r", "replay", "--offline")
    assert (replayed.code, "nothing could be replayed" in replayed.out) == (1, True)
    scored = call("--library", "r", "score", "--print-only", "--json").document
    assert [one["kind"] for one in scored["findings"]] == ["redacted", "redacted"]
    counts = call("--library", "r", "runs", "--json").document["runs"][0]["counts"]
    assert (counts["gone"], counts["pass"], counts["fail"], counts["missing"]) == (2, 0, 0, 0)


def test_verify_of_nothing_is_wrong_usage(call: Call) -> None:
    assert call("verify", "nothing.tar").code == 2
