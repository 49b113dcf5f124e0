from __future__ import annotations

import base64
from typing import Any

import pytest

from replaylab.canonical import digest
from replaylab.schema.interaction import Attempt, Chunk, Failure
from replaylab.schema.outcome import body_bytes, interaction_outcome, lane_outcome, run_outcome, trial_outcome

BASE = Attempt(status=200, text='{"a": "é"}')
REQUEST = "0" * 64


def outcome(attempt: Attempt = BASE, path: str = "a,s,v,E0/t/0/agent#0", request: str = REQUEST) -> str:
    return interaction_outcome(path, request, attempt)


def changed(**fields: Any) -> Attempt:
    return BASE.model_copy(update=fields)


@pytest.mark.parametrize(
    "attempt",
    [
        changed(status=201),
        changed(status=None),
        changed(text='{"a": "e"}'),
        changed(text='{"a":"é"}'),
        changed(complete=False),
        changed(failure=Failure(kind="timeout")),
    ],
)
def test_status_body_failure_kind_and_completeness_take_part(attempt: Attempt) -> None:
    assert outcome(attempt) != outcome()


def test_the_callpath_and_the_request_take_part() -> None:
    assert outcome(path="a,s,v,E0/t/0/agent#1") != outcome()
    assert outcome(request="1" * 64) != outcome()


def test_the_kind_of_failure_takes_part_and_its_message_does_not() -> None:
    one = outcome(changed(failure=Failure(kind="timeout", message="a")))
    assert one == outcome(changed(failure=Failure(kind="timeout", message="b")))
    assert one != outcome(changed(failure=Failure(kind="refused", message="a")))


def test_times_and_headers_do_not_take_part() -> None:
    assert outcome(changed(started_ms=5, latency_ms=9, headers={"x-request-id": "1"})) == outcome()


def test_how_the_body_came_in_pieces_does_not_take_part() -> None:
    raw = b'{"a": "\xc3\xa9"}'
    pieces = (
        Chunk(ms=1, text='{"a": "'),
        Chunk(ms=2, b64=base64.b64encode(raw[7:8]).decode()),
        Chunk(ms=3, b64=base64.b64encode(raw[8:]).decode()),
    )
    streamed = Attempt(status=200, chunks=pieces)
    assert body_bytes(streamed) == raw == body_bytes(BASE)
    assert outcome(streamed) == outcome()
    assert outcome(Attempt(status=200, b64=base64.b64encode(raw).decode())) == outcome()


def test_the_form_is_fixed() -> None:
    assert outcome() == "78af64efca72f6b996856c3ffc494e2aae5942f1731ef57c33e3dc9be850cd03"


def test_the_bytes_of_a_body_are_empty_when_there_is_none() -> None:
    assert body_bytes(Attempt()) == body_bytes(Attempt(chunks=())) == b""


A, B, C = ("a" * 64, "b" * 64, "c" * 64)


def test_the_interactions_of_a_lane_take_part_in_their_order() -> None:
    assert lane_outcome([A, B]) == lane_outcome(iter([A, B]))
    assert len({lane_outcome(rows) for rows in ([A, B], [B, A], [A], [])}) == 4


def test_inputs_lanes_trajectory_and_verdict_take_part_in_a_trial() -> None:
    changed = [
        trial_outcome(A, {"agent": A, "verifier.0": B}, B, C),
        trial_outcome(B, {"agent": A, "verifier.0": B}, B, C),
        trial_outcome(A, {"agent": B, "verifier.0": A}, B, C),
        trial_outcome(A, {"agent": A, "verifier.1": B}, B, C),
        trial_outcome(A, {"agent": A}, B, C),
        trial_outcome(A, {"agent": A, "verifier.0": B}, C, B),
    ]
    assert len(set(changed)) == len(changed)


def test_the_order_in_which_lanes_and_trials_were_named_takes_no_part() -> None:
    assert trial_outcome(A, {"x": A, "y": B}, B, C) == trial_outcome(A, {"y": B, "x": A}, B, C)
    assert run_outcome({"trials": 1}, {"x": A, "y": None}) == run_outcome({"trials": 1}, {"y": None, "x": A})


def test_the_spec_and_every_trial_missing_or_not_take_part_in_a_run() -> None:
    changed = [
        run_outcome({"trials": 1}, {"x": A, "y": None}),
        run_outcome({"trials": 2}, {"x": A, "y": None}),
        run_outcome({"trials": 1}, {"x": A, "y": B}),
        run_outcome({"trials": 1}, {"x": A}),
    ]
    assert len(set(changed)) == len(changed)


def test_the_forms_above_an_interaction_are_fixed() -> None:
    assert lane_outcome([A]) == digest({"v": "lane/1", "interactions": [A]})
    assert run_outcome({}, {"x": None}) == digest({"v": "run/1", "spec": digest({}), "trials": {"x": None}})
    assert trial_outcome(A, {"agent": B}, C, A) == digest(
        {"v": "trial/1", "inputs": A, "lanes": {"agent": B}, "trajectory": C, "verdict": A}
    )
