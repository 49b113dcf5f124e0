"""Trials written as ATIF are valid by the spec's rules, and come back as the same trials."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.interop.atif import ATIF
from replaylab.interop.atif.shape import read_shape, to_json
from replaylab.interop.atif.writer import to_atif
from replaylab.interop.talk.outgoing import Outgoing, outgoing
from replaylab.interop.transcript import TranscriptsRefused
from replaylab.store.library import Library
from tests.interop.talk.landing import kept, landed, trials, written
from tests.playground import SHORT, record


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> list[Outgoing]:
    """Trials without faults, with explicit ones and with implicit ones."""
    root = tmp_path_factory.mktemp("atif")
    record(
        root,
        tasks=(SHORT,),
        agents=("scripted:careful", "scripted:quitter"),
        faults=("E0", "E1", "E3"),
        name="s",
    )
    library = Library(root)
    return [one for one in outgoing(library, library.run("s")[1]) if isinstance(one, Outgoing)]


def test_what_is_written_is_valid(recorded: list[Outgoing]) -> None:
    for one in recorded:
        value = to_json(to_atif(one))
        assert to_json(read_shape(value)) == value
        assert value["final_metrics"]["total_steps"] == len(value["steps"]) == 1 + len(one.turns)


def test_simulators_and_judges_stand_in_extra(recorded: list[Outgoing]) -> None:
    for one in recorded:
        others = to_json(to_atif(one))["extra"]["others"]
        lanes = [lane for lane in one.lanes if lane != "agent"]
        assert len(others) == sum(len(one.cassette.lanes[lane]) for lane in lanes)
        assert {other["path"].rpartition("/")[2].split("#")[0] for other in others} == set(lanes)
        assert all(other["answer"] for other in others)


def test_it_comes_back_as_the_same_trial_faults_and_all(recorded: list[Outgoing], tmp_path: Path) -> None:
    files = [written(tmp_path / f"{n}.json", to_json(to_atif(one))) for n, one in enumerate(recorded)]
    landed(tmp_path, ATIF, *files)
    back = trials(tmp_path)
    assert len(back) == len(recorded) == 6
    for ours, theirs in zip(recorded, back, strict=True):
        assert theirs.derived.trajectory == ours.derived.trajectory
        assert theirs.facts()["trajectory_digest"] == ours.facts()["trajectory_digest"]
        assert kept(theirs)["source"]["scores"][0]["value"] == ours.derived.verdict.outcome
        assert theirs.derived.verdict.outcome == "none"
    assert any(action.fault for one in back for action in one.derived.trajectory.actions)


def test_an_agent_that_was_bound_by_a_schema_comes_back_too(tmp_path: Path) -> None:
    settings = {"tools": "json_schema", "observations": "json_schema"}
    record(tmp_path / "s", tasks=(SHORT,), agents=("scripted:careful",), name="s", settings=settings)
    library = Library(tmp_path / "s")
    (ours,) = [one for one in outgoing(library, library.run("s")[1]) if isinstance(one, Outgoing)]
    assert ours.header.players["agent"].tools == "json_schema"
    landed(tmp_path, ATIF, written(tmp_path / "a.json", to_json(to_atif(ours))))
    (theirs,) = trials(tmp_path)
    assert theirs.derived.trajectory == ours.derived.trajectory
    assert len(theirs.turns) > 2


def test_a_trial_that_ended_in_an_error_is_written_and_has_no_verdict(tmp_path: Path) -> None:
    record(
        tmp_path / "s",
        tasks=(SHORT,),
        agents=("scripted:careful",),
        name="s",
        respond=lambda path, body: (500, {}, [b"no"]),
    )
    library = Library(tmp_path / "s")
    (ours,) = [one for one in outgoing(library, library.run("s")[1]) if isinstance(one, Outgoing)]
    value = to_json(to_atif(ours))
    assert to_json(read_shape(value)) == value
    assert value["extra"]["trial"]["verdict"] == "error"
    assert value["extra"]["trial"]["error"]
    good: dict[str, Any] = {"schema_version": "ATIF-v1.8", "agent": {"name": "a", "version": "1"}}
    good["steps"] = [{"step_id": 1, "source": "agent", "message": "Hi"}]
    files = [written(tmp_path / "a.json", value), written(tmp_path / "b.json", good)]
    assert landed(tmp_path, ATIF, *files).done.notes["never_started"] == 1


def test_a_block_that_somebody_broke_is_refused_by_its_place(
    recorded: list[Outgoing], tmp_path: Path
) -> None:
    value = to_json(to_atif(recorded[0]))
    value["extra"]["replaylab"]["trial"] = -1
    with pytest.raises(TranscriptsRefused, match=r"extra\.replaylab: it is no block"):
        landed(tmp_path, ATIF, written(tmp_path / "a.json", value))
