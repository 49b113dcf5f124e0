"""The cassette of a transcript: what stands in it, and that everything made for recordings works on it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.derive.verdict import derive
from replaylab.diff.trial import check_trajectory
from replaylab.engine.replay import replay_cassette
from replaylab.engine.verify import deep_check
from replaylab.schema.cassette import UNDATED, evidence_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import NOBODY
from replaylab.schema.trajectory import Trajectory
from replaylab.store.library import Library
from tests.interop.transcript.made import GATES, imported, line, step


def cassette(tmp_path: Path, keep_unknown: bool = False, **changed: Any) -> Cassette:
    run = imported(tmp_path, line(**changed), keep_unknown=keep_unknown).run
    (tried,) = run.ledger[0].tries
    return open_cassette(Library(tmp_path / "library"), tried.cassette)


def trajectory(one: Cassette) -> Trajectory:
    return derive(one.header, one.lanes).trajectory


STEPS = [
    step(text="First a look."),
    step(tool="fly", observation="no such tool"),
    step(tool="open_gate", arguments='{"id": "G-1"}', observation="Error: locked"),
]


def test_the_conversation_is_that_of_the_transcript(tmp_path: Path) -> None:
    found = trajectory(cassette(tmp_path, steps=STEPS))
    assert [(one.tool, one.arguments, one.by) for one in found.actions] == [
        ("list_gates", {}, "simulator"),
        ("fly", {}, "engine"),
        ("open_gate", {"id": "G-1"}, "simulator"),
    ]
    assert found.actions[0].observation == GATES
    assert found.actions[2].observation == {"observation": "Error: locked"}
    assert (found.turns[0].text, found.answer, found.termination) == (
        "First a look.",
        "G-1 and G-2.",
        "answered",
    )


def test_nobody_judged_it(tmp_path: Path) -> None:
    one = cassette(tmp_path)
    assert derive(one.header, one.lanes).verdict.outcome == one.seal.verdict == "none"
    assert one.header.players["verifier"] == NOBODY
    assert sorted(one.lanes) == ["agent", "simulator"]


def test_it_says_that_it_was_imported(tmp_path: Path) -> None:
    header = cassette(tmp_path).header
    assert header.subject.kind == "import"
    assert {lane: way.how for lane, way in header.lanes.items()} == {
        "agent": "imported",
        "simulator": "imported",
    }
    assert evidence_of(header) == "imported"
    assert header.created == UNDATED


@pytest.mark.parametrize(
    ("count", "final"), [(0, ""), (0, "Done."), (1, None), (3, ""), (80, None), (80, "Done.")]
)
def test_it_ends_where_the_transcript_ends(tmp_path: Path, count: int, final: str | None) -> None:
    one = cassette(tmp_path, steps=[step()] * count, final_answer=final)
    found = trajectory(one)
    assert len(found.actions) == count
    assert (found.termination, found.answer) == ("step_limit" if final is None else "answered", final or "")
    assert not list(deep_check(one))
    assert not replay_cassette(one).findings


def test_it_verifies_and_replays(tmp_path: Path) -> None:
    one = cassette(tmp_path, steps=STEPS, condition="E2", provenance="theirs")
    assert not list(deep_check(one))
    assert replay_cassette(one).outcome == one.seal.outcome


def test_a_changed_observation_is_found_by_the_replay(tmp_path: Path) -> None:
    one = cassette(tmp_path, steps=[step(), step()])
    row = one.lanes["simulator"][0]
    attempt = row.final.model_copy(update={"text": (row.final.text or "").replace("G-2", "G-3")})
    one.lanes["simulator"][0] = Interaction.model_validate(
        row.to_json() | {"type": "interaction", "attempts": [attempt.to_json()]}
    )
    assert replay_cassette(one).findings


def test_no_tokens_and_no_model_are_made_up(tmp_path: Path) -> None:
    rows = [row for lane in cassette(tmp_path).lanes.values() for row in lane]
    assert all(row.usage is None and row.answered_by == "" for row in rows)
    assert all(attempt.latency_ms == 0 for row in rows for attempt in row.attempts)


def test_what_only_a_reader_needs_stands_in_a_label(tmp_path: Path) -> None:
    one = cassette(tmp_path, steps=STEPS, provenance={"from": "x"}, note=1, keep_unknown=True)
    (label,) = one.labels
    assert label.kind == "import"
    assert label.value == {
        "provenance": {"from": "x"},
        "unknown": {"note": 1},
        "given": {"1": "no such tool", "2": "Error: locked"},
    }


def test_a_trial_with_nothing_odd_has_no_label(tmp_path: Path) -> None:
    assert not cassette(tmp_path).labels


def test_the_contract_is_checked_as_of_a_recorded_trial(tmp_path: Path) -> None:
    more = {"gates": [*GATES["gates"], {"id": "G-3", "open": True}]}
    one = cassette(tmp_path, steps=[step(), step(observation=more)])
    (violation,) = check_trajectory(one.header, trajectory(one), one.lanes["simulator"]).findings
    assert (violation.kind, violation.entity, violation.call, violation.simulator) == (
        "fabrication", "G-3", 1, "a",
    )  # fmt: skip
    assert violation.path == one.lanes["simulator"][1].path
