"""Shards: recorded apart and merged, in any order, they are the unsharded run."""

from __future__ import annotations

import itertools
import json
import shutil
from pathlib import Path

import pytest

from replaylab.cli.main import run
from replaylab.engine.merge import merge
from replaylab.engine.verify import verify
from replaylab.errors import UsageError
from replaylab.store.library import Library
from tests.engine.test_record import TWO, Asked, judge_is_broken
from tests.playground import record

NOW = "2026-02-03T04:05:06.007Z"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> str:
    return record(tmp_path_factory.mktemp("whole"), tasks=TWO, trials=2, votes=1)[1].run.outcome


@pytest.fixture(scope="module")
def shards(tmp_path_factory: pytest.TempPathFactory) -> list[Library]:
    roots = [tmp_path_factory.mktemp(f"shard-{number}") for number in (1, 2, 3)]
    return [
        record(root, tasks=TWO, trials=2, votes=1, shard=f"{number}/3")[0]
        for number, root in enumerate(roots, 1)
    ]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_shards_merged_in_any_order_are_the_unsharded_run(
    tmp_path: Path, shards: list[Library], whole: str, order: tuple[int, ...]
) -> None:
    target = Library(tmp_path)
    merged = merge(target, [shards[number] for number in order], NOW)
    assert merged.conflicts == ()
    assert target.run("run")[1].outcome == whole
    assert verify(target).findings == []


def test_shards_merged_one_after_the_other_are_the_unsharded_run(
    tmp_path: Path, shards: list[Library], whole: str
) -> None:
    target = Library(tmp_path)
    for source in reversed(shards):
        merge(target, [source], NOW)
    assert target.run("run")[1].outcome == whole


def test_merging_again_changes_nothing(tmp_path: Path, shards: list[Library]) -> None:
    target = Library(tmp_path)
    first = merge(target, shards, NOW)
    again = merge(target, shards, "2027-01-01T00:00:00.000Z")
    assert (again.objects, again.runs["run"], again.conflicts) == (0, first.runs["run"], ())
    assert target.refs() == {"run": first.runs["run"]}


def test_shards_in_one_library_are_the_unsharded_run(tmp_path: Path, whole: str) -> None:
    for part in ("3/3", "1/3"):
        record(tmp_path, tasks=TWO, trials=2, votes=1, shard=part)
    library, now = record(tmp_path, tasks=TWO, trials=2, votes=1, shard="2/3")
    assert now.run.outcome == whole
    assert verify(library).findings == []


def test_what_two_shards_lack_is_recorded_after_the_merge(
    tmp_path: Path, shards: list[Library], whole: str
) -> None:
    target = Library(tmp_path)
    merge(target, shards[:2], NOW)
    missing = [entry.key for entry in target.run("run")[1].ledger if entry.status == "missing"]
    _, now = record(tmp_path, tasks=TWO, trials=2, votes=1)
    assert (now.new, now.run.outcome) == (len(missing), whole)


def test_a_conflicting_spec_is_named_and_the_target_keeps_its_own(
    tmp_path: Path, shards: list[Library]
) -> None:
    target, own = record(tmp_path, votes=2)
    merged = merge(target, shards, NOW)
    (finding,) = merged.conflicts
    assert (finding.kind, finding.where) == ("merge-spec", "run run")
    assert target.refs()["run"] == own.run_id
    assert verify(target).findings == []


def test_a_recorded_run_and_an_authored_one_of_a_name_are_not_united(
    tmp_path: Path, shards: list[Library]
) -> None:
    target = Library(tmp_path)
    merge(target, shards[:1], NOW)
    made_up = target.run("run")[1].model_copy(update={"evidence": "authored"})
    target.set_ref("run", target.put_run(made_up))
    (conflict,) = merge(target, shards[1:2], NOW).conflicts
    assert conflict.kind == "merge-evidence"


def test_a_trial_that_was_recorded_twice_with_different_outcomes_is_named(tmp_path: Path) -> None:
    def other_words(path: str, body: bytes) -> object:
        status, headers, pieces = Asked()(path, body)
        text = b"".join(pieces)
        return status, headers, [text.replace(b'"created":', b'"created": 1, "was":', 1)]

    target, own = record(tmp_path / "a", votes=1)
    source, _ = record(tmp_path / "b", votes=1, respond=other_words)
    merged = merge(target, [source], NOW)
    (finding,) = merged.conflicts
    assert finding.kind == "merge-trial"
    assert own.run.ledger[0].key in finding.where
    assert target.refs()["run"] == own.run_id


def test_an_error_in_one_library_and_a_verdict_in_another_make_two_tries(tmp_path: Path) -> None:
    broken, _ = record(tmp_path / "a", votes=1, respond=Asked(judge_is_broken))
    good, recorded = record(tmp_path / "b", votes=1)
    for number, sources in enumerate(([broken, good], [good, broken])):
        target = Library(tmp_path / f"all-{number}")
        merge(target, sources, NOW)
        united = target.run("run")[1]
        assert [one.verdict for one in united.ledger[0].tries] == ["error", "pass"]
        assert united.outcome == recorded.run.outcome


def test_a_name_that_a_recording_holds_is_not_taken_over(tmp_path: Path, shards: list[Library]) -> None:
    target = Library(tmp_path)
    with target.lock("run"), pytest.raises(UsageError, match="is writing"):
        merge(target, shards, NOW)
    assert target.refs() == {}
    assert merge(target, shards, NOW).conflicts == ()


def test_a_damaged_object_of_the_target_is_restored_by_a_merge(tmp_path: Path, shards: list[Library]) -> None:
    target = Library(tmp_path / "target")
    shutil.copytree(shards[0].root, target.root)
    (name, *_) = target.objects("cassette")
    path = target.path(name, "cassette")
    before = path.read_bytes()
    path.write_bytes(before[:-1])
    assert merge(target, shards[:1], NOW).restored == (path,)
    assert path.read_bytes() == before


def test_the_commands_record_shards_and_merge_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["record", "--task", ",".join(TWO), "--trials", "2", "--votes", "1", "--run", "s"]
    for number in (1, 2, 3):
        assert run(["--library", f"lib{number}", *options, "--shard", f"{number}/3"]) == 0
    assert run(["--library", "whole", *options]) == 0
    capsysbinary.readouterr()
    assert run(["--library", "all", "merge", "lib3", "lib1", "lib2", "--json"]) == 0
    (merged,) = json.loads(capsysbinary.readouterr().out)["runs"]
    assert merged["outcome"] == Library(tmp_path / "whole").run("s")[1].outcome
    assert merged["counts"]["missing"] == 0
    assert run(["--library", "lib1", *options, "--shard", "4/3"]) == 2
