"""Sealing: from a tape that has been played to its end to the bytes of a cassette, and to what it comes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette, lane_order, order_lines, pack, request_parts
from replaylab.cassette.tape import Tape
from replaylab.derive.digests import trajectory_digest, verdict_digest
from replaylab.derive.trajectory import trajectory_of
from replaylab.derive.verdict import verdict_of
from replaylab.faults.schedule import phase_of
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Header, Label, LaneSeal, Provenance, key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import lane_outcome, trial_outcome
from replaylab.schema.seeded import SEEDED, from_headers
from replaylab.schema.trajectory import Trajectory, Verdict

Lanes = Mapping[str, Sequence[Interaction]]


@dataclass(frozen=True)
class Result:
    """What a trial comes to: derived from its lanes, with the outcome digests."""

    trajectory: Trajectory
    verdict: Verdict
    trajectory_digest: Digest
    verdict_digest: Digest
    lanes: dict[str, LaneSeal]
    outcome: Digest


def result_of(header: Header, lanes: Lanes) -> Result:
    """Derive trajectory, verdict and outcome digests. Pure: needs only what a cassette holds."""
    trajectory = trajectory_of(header, lanes)
    verdict = verdict_of(header, lanes, trajectory)
    seals = {
        lane: LaneSeal(
            interactions=len(lanes[lane]), outcome=lane_outcome([one.outcome for one in lanes[lane]])
        )
        for lane in sorted(lanes, key=lane_order)
    }
    of_trajectory, of_verdict = trajectory_digest(trajectory), verdict_digest(verdict)
    outcomes = {lane: seal.outcome for lane, seal in seals.items()}
    outcome = trial_outcome(header.inputs, outcomes, of_trajectory, of_verdict)
    return Result(trajectory, verdict, of_trajectory, of_verdict, seals, outcome)


def seal(header: Header, tape: Tape, sealed: str) -> tuple[bytes, Result]:
    """The bytes of the cassette and what it comes to. `sealed` is the time, ISO 8601."""
    lanes = tape.lanes
    unplanned = sorted(lanes.keys() - header.lanes.keys(), key=lane_order)
    if unplanned:  # how many streams an agent of the user's own has is known at its end
        listed = {**header.lanes, **{lane: Provenance() for lane in unplanned}}
        header = header.model_copy(update={"lanes": listed})
    result = result_of(header, lanes)
    labels = [*tape.labels, *fault_labels(header, result.trajectory), *seeded_labels(header, lanes)]
    named = {part for rows in lanes.values() for row in rows for part in request_parts(row.request)}
    blobs = {name: tape.recorded_blob(name) for name in named}
    counts = {
        "header": 1,
        "blob": len(blobs),
        "interaction": sum(map(len, lanes.values())),
        "label": len(labels),
    }
    data = pack(
        order_lines(header, blobs, lanes, labels),
        {
            "counts": counts,
            "lanes": result.lanes,
            "termination": result.trajectory.termination,
            "verdict": result.verdict.outcome,
            "trajectory_digest": result.trajectory_digest,
            "verdict_digest": result.verdict_digest,
            "outcome": result.outcome,
            "sealed": sealed,
        },
    )
    return data, result


def fault_labels(header: Header, trajectory: Trajectory) -> list[Label]:
    """A label for each fault that was delivered, with the phase of the trial in which it was."""
    lane = str(CallPath(key_of(header), "simulator"))
    expected = header.task.expected_calls
    return [
        Label(
            kind="fault", path=lane, value=action.fault.to_json() | {"phase": phase_of(action.call, expected)}
        )
        for action in trajectory.actions
        if action.fault is not None
    ]


def seeded_labels(header: Header, lanes: Lanes) -> list[Label]:
    """A label for each violation that a built-in simulator says it seeded. No other player is believed."""
    return [
        Label(kind=SEEDED, path=row.path, value=seeded.to_json())
        for lane in sorted(lanes, key=lane_order)
        if lane in header.players and header.players[lane].player == "program"
        for row in lanes[lane]
        for seeded in from_headers(row.final.headers)
    ]


def result_of_cassette(cassette: Cassette) -> Result:
    """What a sealed cassette comes to, derived again."""
    return result_of(cassette.header, cassette.lanes)
