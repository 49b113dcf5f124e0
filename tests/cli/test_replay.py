"""`replay` as a user calls it: which run, what is printed, how it ends when something differs or is damaged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from replaylab.errors import OfflineError
from replaylab.roles.simulator import Simulator
from replaylab.roles.verifier import Judge
from replaylab.store.library import Library
from tests.cli.conftest import Call
from tests.playground import SHORT, record

CAREFUL, GREEDY = (f"scripted:{agent},twin,rubric,E0/{SHORT}/0" for agent in ("careful", "greedy"))


@pytest.fixture
def other_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """An engine that asks the simulator something else."""
    step = Simulator.step

    def changed(self: Simulator, tool: Any, arguments: dict[str, Any]) -> Any:
        return step(self, tool, {**arguments, "patient": "somebody else"})

    monkeypatch.setattr(Simulator, "step", changed)


def test_without_a_name_the_newest_run_is_replayed(call: Call, study: Path) -> None:
    record(study, agents=("scripted:quitter",), name="newer")
    newest = max((Library(study).run(name) for name in ("study", "newer")), key=lambda one: one[1].created)
    document = call("replay", "--offline", "--json").document
    assert (document["run"], document["ok"]) == (newest[0], True)


@pytest.mark.usefixtures("study")
def test_an_identical_replay_says_so_with_the_outcome_digest(call: Call) -> None:
    ended = call("replay", "study", "--offline")
    outcome = call("replay", "study", "--offline", "--json").document["outcome"]
    assert ended.code == 0
    first, second, third, last = ended.out.splitlines()
    assert first.startswith("run study  ")
    assert second.startswith("2 trials, ")
    assert third == "Played by programs, not LLMs: rubric, scripted:careful, scripted:greedy, twin"
    assert last == f"identical: outcome {outcome}"
    assert "replay study: 2/2 trials" in ended.err


def test_several_runs_are_replayed_in_the_order_of_their_names(call: Call, study: Path) -> None:
    record(study, agents=("scripted:quitter",), name="second")
    document = call("replay", "second", "study", "--json").document
    assert [one["name"] for one in document["runs"]] == ["second", "study"]
    assert all(one["outcome"] == one["recorded_outcome"] for one in document["runs"])
    assert document["run"] == document["runs"][0]["run"]


@pytest.mark.usefixtures("study")
def test_an_unknown_run_gets_the_closest_name(call: Call) -> None:
    ended = call("replay", "studie", "--json")
    assert (ended.code, ended.document["error"]["closest"]) == (2, "study")


def test_a_library_without_runs_says_how_to_make_one(call: Call) -> None:
    ended = call("replay")
    assert (ended.code, "replaylab record" in ended.err) == (2, True)


def test_a_run_of_which_nothing_is_recorded_is_not_called_identical(call: Call) -> None:
    call("record", "--task", SHORT, "--run", "empty", "--max-calls", "0")
    ended = call("replay", "empty")
    assert (ended.code, ended.out) == (2, "")
    assert "nothing to replay" in ended.err


def test_missing_trials_are_said_and_no_divergence(call: Call) -> None:
    call("record", "--task", f"{SHORT},ed-chest-pain-monitor", "--shard", "1/2", "--run", "part")
    ended = call("replay", "part")
    assert (ended.code, ", 1 trial missing\n" in ended.out) == (0, True)


@pytest.mark.usefixtures("study", "other_question")
def test_a_divergence_names_the_call_the_field_both_values_and_what_to_do(call: Call) -> None:
    ended = call("replay", "study")
    assert ended.code == 3
    lines = [line.strip() for line in ended.out.splitlines()]
    assert f"where:    {CAREFUL}/simulator#0" in lines
    assert "field:    /messages/1/content" in lines
    (message,) = [line for line in lines if line.startswith("request: ")][:1]
    expected, observed = message.split(", now ")
    assert "somebody else" in observed
    assert "somebody else" not in expected
    assert not any(line.startswith("closest:") for line in lines)  # it is the place itself
    todo = [line for line in lines if line.startswith("to do:")]
    assert len(todo) == 1
    assert f"replaylab show '{CAREFUL}/simulator#0' --run study" in todo[0]
    assert "record --run NAME" in todo[0]
    assert lines[-1] == "diverged in 2 of 2 trials: this is not the recorded run"
    assert "null" not in ended.out


@pytest.mark.usefixtures("study", "other_question")
def test_a_divergence_is_a_finding_of_the_document(call: Call) -> None:
    ended = call("replay", "study", "--json")
    document = ended.document
    assert (ended.code, document["ok"], document["outcome"]) == (3, False, None)
    assert [one["where"] for one in document["findings"]] == [
        f"{key}/simulator#0" for key in (CAREFUL, GREEDY)
    ]
    assert {one["kind"] for one in document["findings"]} == {"request"}
    assert document["findings"][0]["pointer"] == "/messages/1/content"


@pytest.mark.usefixtures("study")
def test_what_to_do_can_be_copied(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as changed:
        vote = Judge.vote
        changed.setattr(
            Judge, "vote", lambda self, trajectory: vote(self, trajectory.model_copy(update={"answer": "?"}))
        )
        out = call("replay", "study").out
    (todo,) = [line for line in out.splitlines() if "to do:" in line]
    command = todo.split("`")[1].replace("'", "").split(" ")[1:]
    assert call(*command).code == 0


@pytest.mark.parametrize("damage", ["flip", "cut", "gone"])
def test_a_damaged_library_ends_with_4_and_names_the_file(call: Call, study: Path, damage: str) -> None:
    library = Library(study)
    path = library.path(next(iter(library.objects("cassette"))), "cassette")
    data = path.read_bytes()
    path.chmod(0o644)
    if damage == "gone":
        path.unlink()
    else:
        path.write_bytes(data[:-1] if damage == "cut" else data[:50] + bytes([data[50] ^ 1]) + data[51:])
    ended = call("replay", "study", "--json")
    assert ended.code == 4
    assert path.name in ended.document["error"]["what"] + ended.document["error"]["where"]


@pytest.mark.parametrize(
    ("options", "fix"),
    [
        (("--run", "study"), "replaylab replay study"),
        (("--max-calls", "3"), "--swap"),
        (("--trust-twins",), "--swap"),
    ],
)
@pytest.mark.usefixtures("study")
def test_what_only_a_swap_heeds_is_refused_without_one(call: Call, options: Sequence[str], fix: str) -> None:
    ended = call("replay", *options)
    assert (ended.code, fix in ended.err) == (2, True)


@pytest.mark.usefixtures("study")
def test_a_refused_connection_ends_with_5(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    refusal = OfflineError("a connection to 192.0.2.1:443 was refused", where="192.0.2.1:443")
    monkeypatch.setattr("replaylab.engine.replay.first_refusal", lambda: refusal)
    ended = call("replay", "study")
    assert (ended.code, "192.0.2.1:443" in ended.err) == (5, True)
