"""The verdict that the lanes of a cassette hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from replaylab.checks import passed, run_checks
from replaylab.derive.answers import Read, read_recorded
from replaylab.derive.trajectory import Recorded, trajectory_of
from replaylab.errors import CallFailed, UsageError
from replaylab.roles.parsing import Unparsable
from replaylab.roles.verifier import as_vote, decide, error_vote, read_vote
from replaylab.schema.cassette import Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.trajectory import CheckResult, Trajectory, Verdict, Vote

Lanes = Mapping[str, Sequence[Interaction]]


class Derived(NamedTuple):
    """What follows from the lines of a cassette."""

    trajectory: Trajectory
    verdict: Verdict


def derive(header: Header, lanes: Lanes, read: Read = read_recorded) -> Derived:
    """Trajectory and verdict of a trial."""
    trajectory = trajectory_of(header, lanes, read)
    return Derived(trajectory, verdict_of(header, lanes, trajectory, read))


def unjudged(trajectory: Trajectory) -> Verdict | None:
    """The verdict of a trajectory that no judge is asked about: a broken trial is an error and never a fail."""
    if trajectory.termination in {"agent_error", "simulator_error"}:
        return Verdict(outcome="error", reason=f"{trajectory.termination}: {trajectory.error}")
    if trajectory.termination == "lockstep":
        return Verdict(outcome="none", reason="lockstep: nobody was asked to judge")
    return None


def verdict_of(header: Header, lanes: Lanes, trajectory: Trajectory, read: Read = read_recorded) -> Verdict:
    """The votes of the lanes `verifier.0` and so on, the task's checks, or both, decided."""
    if (broken := unjudged(trajectory)) is not None:
        return broken
    if header.judged_by == "votes" and not header.limits.votes:
        return Verdict(outcome="none", reason="nobody was asked to judge")
    numbers = range(header.limits.votes)
    votes = [_vote(n, Recorded(lanes.get(f"verifier.{n}", ()), read), header.limits.asks) for n in numbers]
    if header.judged_by == "votes":
        return decide(votes)
    checks = checks_of(header, trajectory)
    return by_checks(checks) if header.judged_by == "checks" else by_both(decide(votes), checks)


def checks_of(header: Header, trajectory: Trajectory) -> tuple[CheckResult, ...]:
    """Every check of the task's rubric on the trajectory; one `open` result where the rubric can't be read."""
    try:
        return run_checks(header.task.rubric.checks, trajectory, header.environment)
    except UsageError as error:
        return (CheckResult(id="rubric", result="open", reason=f"the checks are wrong: {error.what}"),)


def by_checks(checks: tuple[CheckResult, ...]) -> Verdict:
    """One failed check fails the trial; without one, an open check leaves it undecided, which is an error."""
    return Verdict(outcome=passed(checks), reason=tally(checks), checks=checks)


def by_both(voted: Verdict, checks: tuple[CheckResult, ...]) -> Verdict:
    """Passed when the votes pass it and no check fails. What the checks leave open is for the votes to decide."""
    failed = any(one.result == "fail" for one in checks)
    parted = voted.outcome != "error" and failed == (voted.outcome == "pass")
    reason = f"votes: {voted.reason}; checks: {tally(checks)}" + ("; they disagree" if parted else "")
    outcome = "fail" if failed and voted.outcome == "pass" else voted.outcome
    return voted.model_copy(update={"outcome": outcome, "reason": reason, "checks": checks})


def tally(checks: Sequence[CheckResult]) -> str:
    """How many checks passed, failed and stayed open."""
    counts = [(sum(one.result == result for one in checks), result) for result in ("pass", "fail", "open")]
    return ", ".join(f"{count} {result}" for count, result in counts)


def _vote(vote: int, lane: Recorded, asks: int) -> Vote:
    error: CallFailed = Unparsable("no asking was allowed")
    for asked in range(1, asks + 1):
        try:
            return as_vote(vote, read_vote(lane.answer()), asked)
        except Unparsable as unparsable:
            error = unparsable
        except CallFailed as failed:
            return error_vote(vote, failed, asked)
    return error_vote(vote, error, asks)
