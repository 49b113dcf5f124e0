"""Inspect AI itself reads the logs that are exported, and reads other logs as the importer does (`make oracle`)."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.inspect import INSPECT
from replaylab.interop.inspect.files import as_archive, as_json
from replaylab.interop.inspect.writer import VALUES
from replaylab.interop.talk.outgoing import Outgoing
from replaylab.store.library import Library
from tests.interop.inspect.made import log, members, packed_by_hand
from tests.interop.inspect.test_writer import logs
from tests.interop.talk.landing import calls, landed, sample, trials
from tests.playground import SHORT, record

ORACLE = Path(__file__).resolve().parents[2] / "build" / "oracle" / "bin" / "python"


def inspected(*paths: Path) -> list[dict[str, Any]]:
    """What Inspect AI makes of these files."""
    if not ORACLE.exists():
        message = f"no oracle at {ORACLE}: `make oracle` installs it. Logs are NOT READ by Inspect AI."
        if os.environ.get("REPLAYLAB_ORACLE") == "1":
            pytest.fail(message)
        pytest.skip(message)
    done = subprocess.run(
        [ORACLE, "-I", str(Path(__file__).with_name("inspect_logs.py")), *map(str, paths)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Path], list[list[Outgoing]]]:
    root = tmp_path_factory.mktemp("logs")
    record(
        root / "s",
        tasks=(SHORT,),
        agents=("scripted:careful", "scripted:quitter"),
        faults=("E0", "E3"),
        name="s",
        trials=2,
    )
    made = logs(Library(root / "s"))
    paths = []
    for number, (one, _) in enumerate(made):
        for write, ending in ((as_archive, "eval"), (as_json, "json")):
            paths.append(root / f"{number}.{ending}")
            paths[-1].write_bytes(write(one))
    return paths, [group for _, group in made for _ in range(2)]


def test_inspect_reads_what_is_exported(exported: tuple[list[Path], list[list[Outgoing]]]) -> None:
    paths, groups = exported
    for told, group in zip(inspected(*paths), groups, strict=True):
        assert (told["version"], told["status"]) == (2, "success")
        assert told["model"] == group[0].header.players["agent"].model
        outcomes = [one.derived.verdict.outcome for one in group]
        assert told["scores"] == [{"accuracy": outcomes.count("pass") / len(outcomes)}]
        assert told["alone"][0] == group[0].header.task.instruction
        for theirs, ours in zip(told["samples"], group, strict=True):
            assert (theirs["id"], theirs["epoch"]) == (ours.header.task.id, ours.header.subject.trial + 1)
            assert list(theirs["values"].values()) == [VALUES[ours.derived.verdict.outcome]]
            assert theirs["calls"] == [[tool, arguments] for tool, arguments, _ in calls(ours)]
            asked = [
                one
                for lane in ("agent", *[x for x in ours.lanes if x != "agent"])
                for one in ours.asked(lane)
            ]
            assert [one[1] for one in theirs["asked"]] == [len(one.body["messages"]) for one in asked]
            assert [one[2] for one in theirs["asked"]] == [
                one.body["messages"][-1]["content"] for one in asked
            ]


@pytest.mark.parametrize("name", ["popularity", "two_epochs", "message_pool"])
def test_a_real_log_is_read_as_inspect_reads_it(tmp_path: Path, name: str) -> None:
    path = sample(f"inspect/{name}.eval")
    (told,) = inspected(path)
    landed(tmp_path, INSPECT, path)
    ours = {
        (one.header.task.id.rpartition("-")[2], one.header.subject.trial + 1): one for one in trials(tmp_path)
    }
    assert len(ours) == len(told["samples"])
    for theirs in told["samples"]:
        one = ours[str(theirs["id"]), theirs["epoch"]]
        assert [[tool, arguments] for tool, arguments, _ in calls(one)] == theirs["calls"]
        assert one.derived.trajectory.answer == theirs["messages"][-1][1]


def test_a_log_made_up_here_is_one_that_inspect_reads(tmp_path: Path) -> None:
    """What the importer's tests are made of is the format, and not an idea of it."""
    parts = members(log())
    for event in parts["samples/1_epoch_1.json"]["events"][1:]:
        event |= {
            "timestamp": "2026-01-02T03:04:05+00:00",
            "working_start": 0,
            "tool_choice": "auto",
            "config": {},
        }
    del parts["samples/1_epoch_1.json"]["events"][0]
    parts["header.json"]["eval"] |= {"dataset": {}, "config": {}}
    (told,) = inspected(packed_by_hand(tmp_path / "a.eval", parts, 93))
    assert told["samples"][0]["messages"][-1] == ["assistant", "It is 2."]
