from __future__ import annotations

from pathlib import Path

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.engine.verify import verify
from replaylab.errors import UsageError
from replaylab.faults.plan import named
from replaylab.schema.cassette import ScenarioFacts
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from tools.authored import AuthoredTrial, Cast, author, authored_cassette, authored_task

TASKS = [
    authored_task(
        name, ScenarioFacts(id="s", name="S", industry="Healthcare", domain="D"), difficulty=2, text=name
    )
    for name in ("t0", "t1")
]


def model(alias: str) -> ModelSettings:
    return ModelSettings(alias=alias, model=alias, family="f", generation="1", effort="high")


def cast() -> Cast:
    plans = [named("E0"), named("E3")]
    return Cast([model("a"), model("b")], [model("sim")], [model("judge")], plans, TASKS)


TRIALS = [
    AuthoredTrial("a", "t0", "pass"),
    AuthoredTrial("a", "t1", "fail", votes=("fail", "pass", "fail")),
    AuthoredTrial("b", "t0", "error"),
    AuthoredTrial("b", "t1", "error", votes=("pass", "fail", "error")),
    AuthoredTrial("a", "t0", "error", faults="E3", calls=2),
    AuthoredTrial("a", "t0", "pass", faults="E3", calls=16),
    AuthoredTrial("a", "t1", "error", faults="E3"),
]


def written(root: Path, jobs: int = 1) -> Library:
    library = Library(root)
    author(library, "study", cast(), TRIALS, jobs=jobs)
    return library


def test_each_trial_ends_as_it_was_given_and_what_was_not_given_is_missing(tmp_path: Path) -> None:
    _, run = written(tmp_path).run("study")
    found = {entry.key: (entry.status, [one.verdict for one in entry.tries]) for entry in run.ledger}
    assert found == {
        "a,sim,judge,E0/t0/0": ("recorded", ["pass"]),
        "a,sim,judge,E3/t0/0": ("recorded", ["error", "pass"]),
        "b,sim,judge,E0/t0/0": ("error", ["error"]),
        "b,sim,judge,E3/t0/0": ("missing", []),
        "a,sim,judge,E0/t1/0": ("recorded", ["fail"]),
        "a,sim,judge,E3/t1/0": ("error", ["error"]),
        "b,sim,judge,E0/t1/0": ("error", ["error"]),
        "b,sim,judge,E3/t1/0": ("missing", []),
    }


def test_verify_finds_nothing_and_every_lane_says_authored(tmp_path: Path) -> None:
    library = written(tmp_path)
    seen = verify(library)
    assert (seen.findings, seen.cassettes) == ([], 7)
    for name in library.objects("cassette"):
        cassette = open_cassette(library, name)
        assert {one.how for one in cassette.header.lanes.values()} == {"authored"}
        assert cassette.header.lanes.keys() >= cassette.lanes.keys()


def test_the_same_arguments_give_the_same_bytes_in_any_number_of_processes(tmp_path: Path) -> None:
    one, two = written(tmp_path / "1"), written(tmp_path / "2", jobs=2)
    assert one.refs() == two.refs()
    assert list(one.objects("cassette")) == list(two.objects("cassette"))


def test_calls_come_before_the_answer_and_meet_the_faults_of_the_plan() -> None:
    long, _ = authored_cassette(cast(), AuthoredTrial("a", "t0", "pass", faults="E3", calls=16))
    short, _ = authored_cassette(cast(), AuthoredTrial("a", "t0", "pass", faults="E3"))
    lanes = Cassette(long, where="x").lanes
    assert len(lanes["agent"]) == 17
    assert 12 <= len(lanes["simulator"]) < 16  # some calls met an explicit fault
    assert {lane: len(rows) for lane, rows in Cassette(short, where="x").lanes.items()} == {
        "agent": 1, "verifier.0": 1, "verifier.1": 1, "verifier.2": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    "trial", [AuthoredTrial("c", "t0", "pass"), AuthoredTrial("a", "t0", "pass", trial=1)]
)
def test_a_trial_that_the_cast_does_not_plan_is_refused(trial: AuthoredTrial, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not plan"):
        author(Library(tmp_path), "study", cast(), [trial])


def test_votes_that_decide_otherwise_are_refused() -> None:
    with pytest.raises(UsageError, match="the answers give pass, not fail"):
        authored_cassette(cast(), AuthoredTrial("a", "t0", "fail", votes=("pass", "pass", "fail")))
