"""Runs written as logs of Inspect come back as the same trials; Inspect itself reads them in the conformance tests."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.inspect import INSPECT
from replaylab.interop.inspect.files import as_archive, as_json
from replaylab.interop.inspect.writer import to_log
from replaylab.interop.talk.outgoing import Outgoing, outgoing
from replaylab.schema.callpath import TrialKey
from replaylab.store.library import Library
from tests.interop.talk.landing import kept, landed, trials
from tests.playground import SHORT, record


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    root = tmp_path_factory.mktemp("inspect")
    record(
        root,
        tasks=(SHORT,),
        agents=("scripted:careful", "scripted:quitter"),
        faults=("E0", "E3"),
        name="s",
        trials=2,
    )
    return Library(root)


def logs(library: Library) -> list[tuple[dict[str, Any], list[Outgoing]]]:
    run_id, run = library.run("s")
    groups: dict[Any, list[Outgoing]] = {}
    for one in outgoing(library, run):
        assert isinstance(one, Outgoing)
        groups.setdefault(TrialKey.parse(one.key).condition, []).append(one)
    return [(to_log(run, run_id, key, group, len(group)), group) for key, group in groups.items()]


@pytest.mark.parametrize("write", [as_json, as_archive])
def test_it_comes_back_as_the_same_trials_faults_and_all(
    library: Library, tmp_path: Path, write: Any
) -> None:
    made = logs(library)
    files = []
    for number, (log, _) in enumerate(made):
        files.append(tmp_path / f"{number}.{'json' if write is as_json else 'eval'}")
        files[-1].write_bytes(write(log))
    landed(tmp_path, INSPECT, *files)
    ours = {one.facts()["trajectory_digest"] for _, group in made for one in group}
    back = trials(tmp_path)
    assert len(back) == 8
    assert {one.facts()["trajectory_digest"] for one in back} == ours
    assert {kept(one)["source"]["scores"][0]["value"] for one in back} == {"C", "I"}


def test_passes_are_counted_among_those_that_were_judged(library: Library) -> None:
    for log, group in logs(library):
        outcomes = Counter(one.derived.verdict.outcome for one in group)
        (score,) = log["results"]["scores"]
        assert score["metrics"]["accuracy"]["value"] == outcomes["pass"] / len(group)
        assert (score["scored_samples"], score["unscored_samples"]) == (len(group), 0)


def test_an_error_is_neither_passed_nor_failed(tmp_path: Path) -> None:
    record(
        tmp_path,
        tasks=(SHORT,),
        agents=("scripted:careful",),
        name="s",
        respond=lambda path, body: (500, {}, [b"no"]),
    )
    ((log, _),) = logs(Library(tmp_path))
    (sample,) = log["samples"]
    assert sample["scores"] is None
    assert sample["error"]["message"].startswith("agent_error")
    assert log["results"] == {"total_samples": 1, "completed_samples": 0, "scores": []}


def test_a_missing_trial_leaves_the_log_unfinished_and_unscored(library: Library) -> None:
    run_id, run = library.run("s")
    log, group = logs(library)[0]
    short = to_log(run, run_id, TrialKey.parse(group[0].key).condition, group[:1], 2)
    assert (log["status"], short["status"]) == ("success", "cancelled")
    assert short["results"]["scores"][0]["unscored_samples"] == 1
    assert short["results"]["total_samples"] == 2


def test_messages_stand_once_however_often_they_were_sent(library: Library) -> None:
    for log, group in logs(library):
        for sample, trial in zip(log["samples"], group, strict=True):
            pool = sample["events_data"]["messages"]
            assert len({json.dumps(one, sort_keys=True) for one in pool}) == len(pool)
            asked = [event for event in sample["events"] if event["event"] == "model"]
            assert len(asked) == sum(map(len, trial.cassette.lanes.values()))
            lengths = [sum(end - start for start, end in event["input_refs"]) for event in asked]
            agent = [len(one.body["messages"]) for one in trial.asked("agent")]
            assert lengths[: len(agent)] == agent


def test_the_same_run_gives_the_same_bytes(library: Library) -> None:
    for write in (as_json, as_archive):
        assert [write(log) for log, _ in logs(library)] == [write(log) for log, _ in logs(library)]
