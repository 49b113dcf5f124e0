"""Cassettes that record no trial: what a judge said of one observation, what a program outside asked,
what a generator was asked.

They have lanes, an empty trajectory and no verdict; the seal says so, and what the lanes come to.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from replaylab.cassette.codec import lane_order, order_lines, pack, request_parts
from replaylab.derive.digests import trajectory_digest, verdict_digest
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Blob, Header, Label, LaneSeal
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import lane_outcome, trial_outcome
from replaylab.schema.trajectory import Trajectory, Verdict

# By kind of the subject, why there is no verdict. The words take part in the verdict's digest.
UNTRIED = {
    "judge": "a judge was asked of one observation",
    "capture": "nobody judges a capture",
    "synthesis": "a step of a synthesis; nobody judges it",
}
_NOTHING = Trajectory(turns=(), answer="", termination="answered")


def outcome_of(header: Header, lanes: Mapping[str, Sequence[Interaction]]) -> JsonObject:
    """The part of the seal that follows from the lanes."""
    seals = {
        lane: LaneSeal(
            interactions=len(lanes[lane]), outcome=lane_outcome([one.outcome for one in lanes[lane]])
        )
        for lane in sorted(lanes, key=lane_order)
    }
    nobody = Verdict(outcome="none", reason=UNTRIED[header.subject.kind])
    of_trajectory, of_verdict = trajectory_digest(_NOTHING), verdict_digest(nobody)
    outcomes = {lane: one.outcome for lane, one in seals.items()}
    return {
        "lanes": seals,
        "termination": _NOTHING.termination,
        "verdict": nobody.outcome,
        "trajectory_digest": of_trajectory,
        "verdict_digest": of_verdict,
        "outcome": trial_outcome(header.inputs, outcomes, of_trajectory, of_verdict),
    }


def pack_lanes(
    header: Header,
    lanes: Mapping[str, Sequence[Interaction]],
    blob: Callable[[str], Blob],
    labels: Sequence[Label],
    sealed: str,
) -> bytes:
    """The bytes of the cassette. `sealed` is the time, ISO 8601."""
    named = {part for rows in lanes.values() for row in rows for part in request_parts(row.request)}
    blobs = {name: blob(name) for name in named}
    counts = {
        "header": 1,
        "blob": len(blobs),
        "interaction": sum(map(len, lanes.values())),
        "label": len(labels),
    }
    lines = order_lines(header, blobs, lanes, labels)
    return pack(lines, {"counts": counts, "sealed": sealed, **outcome_of(header, lanes)})
