"""Checks from prose: which of the proposed checks agree with the votes on trials that passed and trials that failed.

A check that fails a trial which the judges passed contradicts them. One that fails none of the trials that they failed
decides nothing. The others are kept; how far they agree with the votes together is reported and not assumed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from replaylab.checks.base import Check
from replaylab.checks.rubric import parse_checks, passed, run_parsed
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment
from replaylab.schema.trajectory import Outcome, Trajectory
from replaylab.synthesis.history import Agreement


class Voted(NamedTuple):
    """A trajectory and what the votes say of it."""

    trajectory: Trajectory
    outcome: Outcome


def validated(checks: Sequence[JsonObject], environment: Environment, voted: Sequence[Voted]) -> Agreement:
    """Hold proposed checks against the votes. Trials without a verdict take no part. Raises UsageError for a bad rubric."""
    parsed = parse_checks(list(checks), environment)
    decided = [one for one in voted if one.outcome in ("pass", "fail")]
    results = [{r.id: r.result for r in run_parsed(parsed, one.trajectory)} for one in decided]
    contradict, idle = [], []
    for check in parsed:
        wrong = any(
            found[check.id] == "fail" and one.outcome == "pass"
            for one, found in zip(decided, results, strict=True)
        )
        sees = any(
            found[check.id] == "fail" and one.outcome == "fail"
            for one, found in zip(decided, results, strict=True)
        )
        if wrong:
            contradict.append(check.id)
        elif not sees:
            idle.append(check.id)
    kept = _with_what_they_need(parsed, contradict, idle)
    again = parse_checks([one for one in checks if one["id"] in kept], environment)
    alike = sum(passed(run_parsed(again, one.trajectory)) == one.outcome for one in decided) if kept else 0
    return Agreement(
        proposed=len(parsed),
        kept=tuple(kept),
        contradict=tuple(contradict),
        idle=tuple(idle),
        alike=alike,
        of=len(decided),
    )


def _with_what_they_need(
    parsed: Sequence[Check], contradict: Sequence[str], idle: Sequence[str]
) -> list[str]:
    """The checks that agree, with the idle ones that they refer to, and without those that refer to one that contradicts."""
    needs = {check.id: {str(ref) for _, ref in check.refs() if ref.check is None} for check in parsed}
    out = set(contradict)
    while more := {name for name, needed in needs.items() if name not in out and needed & out}:
        out |= more
    kept = {name for name in needs if name not in out and name not in idle}
    while more := {name for one in kept for name in needs[one]} - kept:
        kept |= more
    return [check.id for check in parsed if check.id in kept]
