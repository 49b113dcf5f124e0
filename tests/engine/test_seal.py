from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterable
from typing import Any

import pytest

from replaylab.cassette.codec import request_parts
from replaylab.cassette.tape import Tape
from replaylab.derive.verdict import derive
from replaylab.engine.replay import replay_cassette
from replaylab.engine.seal import fault_labels, result_of_cassette, seal
from replaylab.engine.trial import Parallel, run_trial
from replaylab.engine.verify import deep_check
from replaylab.engine.workers import at_once
from replaylab.errors import StoreError
from replaylab.faults.plan import named
from replaylab.faults.schedule import phase_of
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Blob, Header, key_of
from replaylab.schema.interaction import Interaction
from tests.engine.playing import NO, WHEN, YES, Respond, chats, failure, header, play, scripted, sealed, votes

LOOK: list[Any] = [("list_places", {})]
TRIALS: dict[str, Callable[[], tuple[Header, Respond]]] = {
    "answered": lambda: (header(faults=named("E3")), scripted()),
    "asked again": lambda: (
        header(agent="agent", simulator="sim", verifier="judge"),
        scripted(agent=[LOOK, LOOK, "Done."], sim=["hm", '{"a": 1}', "", '{"a": 2}'], judge=["?", YES]),
    ),
    "agent error": lambda: (header(agent="agent"), scripted(agent=[LOOK, failure(400)])),
    "simulator error": lambda: (
        header(agent="agent", simulator="sim"),
        scripted(agent=[LOOK], sim=['{"a": 1}', failure(400)]),
    ),
    "no verdict": lambda: (
        header(agent="agent", verifier="judge"),
        scripted(agent=["Done."], judge=votes(YES, NO, "?")),
    ),
}


def committed(head: Header, respond: Respond) -> tuple[Tape, list[tuple[str, Interaction]]]:
    """A tape that was played to its end, and its interactions with their lanes in the order of their commits."""
    order: list[tuple[str, Interaction]] = []
    tape = Tape(key_of(head), elapsed_ms=lambda: 0.0)
    tape.on_commit = lambda row: order.append((CallPath.parse(row.path).lane, row))
    run_trial(head, tape, chats(respond))
    return tape, order


@pytest.mark.parametrize("name", TRIALS)
def test_a_trial_resumed_after_every_interaction_seals_to_the_same_bytes(name: str) -> None:
    head, respond = TRIALS[name]()
    tape, order = committed(head, respond)
    whole, result = seal(head, tape, WHEN)
    for after in range(len(order) + 1):
        head, respond = TRIALS[name]()
        lanes: dict[str, list[Interaction]] = {}
        for lane, row in order[:after]:
            lanes.setdefault(lane, []).append(row)
            if row.request.alias in {"agent", "sim", "judge"}:  # its answers before the crash are used up
                respond("", json.dumps({"model": row.request.alias}).encode())
        resumed = play(head, respond, recorded=lanes, blob=tape.recorded_blob)
        resumed.check_played()
        assert seal(head, resumed, WHEN) == (whole, result), f"resumed after {after}"


@pytest.mark.parametrize("name", TRIALS)
def test_what_is_sealed_is_what_a_reader_derives(name: str) -> None:
    head, respond = TRIALS[name]()
    cassette, result = sealed(head, respond)
    derived = derive(cassette.header, cassette.lanes)
    assert (derived.trajectory, derived.verdict) == (result.trajectory, result.verdict)
    assert result_of_cassette(cassette) == result
    assert cassette.seal.lanes == result.lanes
    assert (cassette.seal.termination, cassette.seal.verdict) == (
        result.trajectory.termination,
        result.verdict.outcome,
    )
    assert list(deep_check(cassette)) == []
    assert replay_cassette(cassette).outcome == cassette.seal.outcome == result.outcome


def test_a_broken_trial_seals_as_an_error() -> None:
    assert {name: sealed(*make())[1].verdict.outcome for name, make in TRIALS.items()} == {
        "answered": "pass", "asked again": "pass", "agent error": "error",
        "simulator error": "error", "no verdict": "error",
    }  # fmt: skip


def last_first(thunks: Iterable[Callable[[], object]]) -> None:
    for thunk in reversed(list(thunks)):
        thunk()


def shuffled(thunks: Iterable[Callable[[], object]]) -> None:
    """Each vote in a thread of its own, begun in another order and held until all are there."""
    barrier = threading.Barrier(3)

    def run(thunk: Callable[[], object]) -> None:
        barrier.wait(10)
        thunk()

    threads = [threading.Thread(target=run, args=(thunk,)) for thunk in list(thunks)[::-1]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@pytest.mark.parametrize("parallel", [last_first, shuffled, at_once])
def test_the_bytes_do_not_depend_on_which_vote_came_first(parallel: Parallel) -> None:
    head = header(verifier="coin", faults=named("E3"))
    in_order, result = seal(head, play(head), WHEN)
    for _ in range(3):
        assert seal(head, play(head, parallel=parallel), WHEN) == (in_order, result)


def test_times_take_no_part_in_the_outcome() -> None:
    head = header()
    slow = Tape(key_of(head), elapsed_ms=itertools.count(1000, 250.5).__next__)
    run_trial(head, slow, chats())
    later = head.model_copy(update={"created": "2031-01-01T00:00:00Z"})
    data, result = seal(later, slow, "2031-01-02T00:00:00Z")
    whole, before = seal(head, play(head), WHEN)
    assert data != whole
    assert result == before


def test_a_blob_of_a_resumed_trial_comes_from_where_it_was_journaled() -> None:
    head, respond = TRIALS["agent error"]()
    tape, _ = committed(head, respond)
    asked: list[str] = []

    def blob(name: str) -> Blob:
        asked.append(name)
        return tape.recorded_blob(name)

    resumed = play(head, recorded=tape.lanes, blob=blob)
    seal(head, resumed, WHEN)
    named_blobs = {
        part for rows in tape.lanes.values() for row in rows for part in request_parts(row.request)
    }
    assert set(asked) <= named_blobs
    with pytest.raises(StoreError, match="no blob"):
        Tape(key_of(head), elapsed_ms=lambda: 0.0).recorded_blob("0" * 64)


def test_every_delivered_fault_has_a_label_and_nothing_else_has() -> None:
    cassette, result = sealed(header(faults=named("E3")), scripted())
    events = [action.fault for action in result.trajectory.actions if action.fault]
    assert events
    expected = cassette.header.task.expected_calls
    assert [label.value for label in cassette.labels] == [
        event.to_json() | {"phase": phase_of(event.call, expected)} for event in events
    ]
    assert cassette.labels == fault_labels(cassette.header, result.trajectory)
    assert {(label.kind, CallPath.parse(label.path).lane) for label in cassette.labels} == {
        ("fault", "simulator")
    }
    assert sealed(header(), scripted())[0].labels == []


def test_the_counts_are_those_of_the_lines() -> None:
    cassette, _ = sealed(header(faults=named("E3")), scripted())
    kinds = [json.loads(row)["type"] for row in cassette.lines()]
    assert cassette.seal.counts == {kind: kinds.count(kind) for kind in cassette.seal.counts}
    assert set(cassette.seal.counts) == {"header", "blob", "interaction", "label"}
