"""Outcome digests of what is derived: what a replay must reproduce."""

from __future__ import annotations

from replaylab.canonical import Digest, digest
from replaylab.schema.trajectory import Trajectory, Verdict


def trajectory_digest(trajectory: Trajectory) -> Digest:
    """`trajectory/1`: the whole trajectory, fields at their default left out."""
    return digest({"v": "trajectory/1", "trajectory": trajectory.to_json()})


def verdict_digest(verdict: Verdict) -> Digest:
    """`verdict/1`: outcome, every vote with its reason and checks."""
    return digest({"v": "verdict/1", "verdict": verdict.to_json()})
