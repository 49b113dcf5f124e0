"""The verdict that the lanes of a cassette hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from replaylab.derive.trajectory import Recorded, trajectory_of
from replaylab.errors import CallFailed
from replaylab.roles.parsing import Unparsable
from replaylab.roles.verifier import as_vote, decide, error_vote, read_vote
from replaylab.schema.cassette import Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import Trajectory, Verdict, Vote

Lanes = Mapping[str, Sequence[Interaction]]


class Derived(NamedTuple):
    """What follows from the lines of a cassette."""

    trajectory: Trajectory
    verdict: Verdict


def derive(header: Header, lanes: Lanes) -> Derived:
    """Trajectory and verdict of a trial."""
    trajectory = trajectory_of(header, lanes)
    return Derived(trajectory, verdict_of(header, lanes, trajectory))


def unjudged(trajectory: Trajectory) -> Verdict | None:
    """The verdict of a trajectory that no judge is asked about: a broken trial is an error and never a fail."""
    if trajectory.termination in {"agent_error", "simulator_error"}:
        return Verdict(outcome="error", reason=f"{trajectory.termination}: {trajectory.error}")
    if trajectory.termination == "lockstep":
        return Verdict(outcome="none", reason="lockstep: nobody was asked to judge")
    return None


def verdict_of(header: Header, lanes: Lanes, trajectory: Trajectory) -> Verdict:
    """The votes of the lanes `verifier.0` and so on, decided."""
    votes = range(header.limits.votes)
    return unjudged(trajectory) or decide(
        [_vote(vote, lanes.get(f"verifier.{vote}", ()), header.limits.asks) for vote in votes]
    )


def _vote(vote: int, interactions: Sequence[Interaction], asks: int) -> Vote:
    lane = Recorded(interactions)
    error: CallFailed = Unparsable("no asking was allowed")
    for asked in range(1, asks + 1):
        try:
            return as_vote(vote, read_vote(lane.answer()), asked)
        except Unparsable as unparsable:
            error = unparsable
        except CallFailed as failed:
            return error_vote(vote, failed, asked)
    return error_vote(vote, error, asks)
