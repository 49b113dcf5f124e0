"""Why a trial failed: labels from its checks and its trajectory. Pure.

A failed check is blamed on what it asked for and what was done instead; FAULTS.md has the rules and an example each.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from replaylab.checks.answer import Grounded, Said
from replaylab.checks.arithmetic import Derive
from replaylab.checks.base import Check, Finding, Rules
from replaylab.checks.calls import Called, Forbid, Order
from replaylab.checks.evidence import Evidence
from replaylab.checks.logic import AllOf, AnyOf, If, Not
from replaylab.checks.rubric import parse_checks, run_parsed
from replaylab.checks.values import Invariant, Join, Observed, Whenever
from replaylab.derive.recovery import accepted_at
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen
from replaylab.schema.cassette import Header
from replaylab.schema.patterns import TextTooLong
from replaylab.schema.trajectory import CheckResult, Trajectory, Verdict

Failure = Literal[
    "skipped_verification",
    "order_error",
    "constraint_violation",
    "premature_abandonment",
    "tool_misuse",
    "state_tracking_error",
    "accepted_degraded_data",
    "infrastructure_error",
    "unclassified",  # judges failed the trial, and no check and no call says why
]


class FailureLabel(Frozen):
    """One reason. `call` is the tool call at which it shows, -1 for the answer or no call; `checks` name what decided."""

    kind: Failure
    call: int = -1
    checks: tuple[str, ...] = ()
    reason: str = ""


class _Case(NamedTuple):
    """A failed trial, laid out for blaming."""

    header: Header
    trajectory: Trajectory
    evidence: Evidence
    rules: Rules
    accepted: Sequence[int]


def failures_of(
    header: Header, trajectory: Trajectory, verdict: Verdict, accepted: Sequence[int] | None = None
) -> tuple[FailureLabel, ...]:
    """One label or more for a failed or errored trial, in the order in which they show; none for any other trial.

    The failed checks are those of the votes, or where judges gave none those that fail on the trajectory. `accepted` is
    what `accepted_at` says of the trajectory, where the caller knows it already.
    """
    if verdict.outcome == "error":
        last = len(trajectory.actions) - 1
        return (
            FailureLabel(kind="infrastructure_error", call=last, reason=trajectory.error or verdict.reason),
        )
    if verdict.outcome != "fail":
        return ()
    try:
        checks = parse_checks(header.task.rubric.checks, header.environment)
    except UsageError as error:  # recorded as it was; whatever can be said without its checks still can
        return (FailureLabel(kind="unclassified", reason=f"the checks can't be read: {error.what}"),)
    rules = Rules({check.id: check for check in checks})
    case = _Case(header, trajectory, Evidence(trajectory), rules, _known(accepted, trajectory))
    failed = _failed(case, checks, verdict)
    labels = [*_from_checks(case, failed), *_from_calls(case)]
    return _merged(labels) or (FailureLabel(kind="unclassified", reason=verdict.reason),)


def _known(accepted: Sequence[int] | None, trajectory: Trajectory) -> Sequence[int]:
    return accepted_at(trajectory) if accepted is None else accepted


def _failed(case: _Case, checks: Sequence[Check], verdict: Verdict) -> list[CheckResult]:
    told = [check for vote in verdict.votes for check in vote.checks]
    told = told or list(run_parsed(checks, case.trajectory, evidence=case.evidence))
    return list({check.id: check for check in told if check.result == "fail"}.values())


def _from_checks(case: _Case, failed: Sequence[CheckResult]) -> Iterator[FailureLabel]:
    for result in failed:
        check = case.rules.by_id.get(result.id)
        if check is not None:
            try:
                kind = _blame(check, case, Finding("fail", result.reason, result.call))
            except TextTooLong:  # what it refers to can't be decided, so nothing can be blamed on it
                kind = "unclassified"
            yield FailureLabel(kind=kind, call=result.call, checks=(result.id,), reason=result.reason)


def _from_calls(case: _Case) -> Iterator[FailureLabel]:
    """What shows in the calls of a failed trial, whatever the checks look at."""
    actions = case.trajectory.actions
    for call in case.accepted[:1]:
        reason = "the answer says what a disturbed observation showed, which was never read again"
        yield FailureLabel(kind="accepted_degraded_data", call=call, reason=reason)
    for action in actions:
        if action.by == "engine":
            reason = f"{action.tool or 'a call'} is no tool here, or its arguments could not be read"
            yield FailureLabel(kind="tool_misuse", call=action.call, reason=reason)
            break
    if actions and actions[-1].by == "faults" and case.trajectory.termination == "answered":
        reason = f"the last call met {actions[-1].fault.kind if actions[-1].fault else 'a fault'} and was not made again"
        yield FailureLabel(kind="premature_abandonment", call=actions[-1].call, reason=reason)


def _blame(check: Check, case: _Case, finding: Finding) -> Failure:
    """The kind of failure that a failed check stands for."""
    inner = _inner(check, case)
    if inner is not None:
        return _blame(inner, case, inner.run(case.evidence, case.rules))
    if isinstance(check, Called):
        return _blame_call(check, case, finding)
    if isinstance(check, Order):
        return _blame_order(check, case)
    if isinstance(check, (Forbid, Invariant, Not)) or (isinstance(check, Whenever) and check.call is None):
        return "constraint_violation"
    if isinstance(check, Whenever) and check.call is not None:
        asked = case.rules.follow(check.call)
        return (
            _blame_call(asked, case, finding._replace(call=-1))
            if isinstance(asked, Called)
            else "order_error"
        )
    if isinstance(check, Observed):
        seen = check.find(case.evidence, case.rules)
        return "state_tracking_error" if seen else "skipped_verification"
    if isinstance(check, Grounded):
        return "skipped_verification"
    return _blame_answer(check, case)


def _inner(check: Check, case: _Case) -> Check | None:
    """The check inside another one that made it fail."""
    if isinstance(check, If):
        holds = case.rules.follow(check.condition).run(case.evidence, case.rules).result == "pass"
        branch = check.then if holds else check.otherwise
        return case.rules.follow(branch) if branch else None
    if isinstance(check, (AllOf, AnyOf)):
        parts = [case.rules.follow(ref) for ref in check.of]
        return next((part for part in parts if part.run(case.evidence, case.rules).result == "fail"), None)
    return None


def _blame_call(check: Called, case: _Case, finding: Finding) -> Failure:
    hits = check.hits(case.evidence, case.rules)
    if len(hits) >= check.count.min:
        return "constraint_violation"  # too often
    tools = [case.header.environment.tool(name) for name in check.tool]
    if all(tool is not None and tool.effect == "read" for tool in tools):
        return "skipped_verification"
    if finding.call < 0:
        return "premature_abandonment"
    nearest = case.trajectory.actions[finding.call]
    return "premature_abandonment" if nearest.by == "faults" else "tool_misuse"


def _blame_order(check: Order, case: _Case) -> Failure:
    """Both happened, the wrong way round; or one of them never did, and then that is what was wrong."""
    for ref in (check.then, check.before):
        part = case.rules.follow(ref)
        if not part.hits(case.evidence, case.rules):
            return _blame(part, case, part.run(case.evidence, case.rules))
    return "order_error"


def _blame_answer(check: Check, case: _Case) -> Failure:
    """A wrong or missing word or number: in the answer, in an argument that nothing had shown."""
    says = isinstance(check, Said) or (isinstance(check, Derive) and check.said_)
    if says and not case.trajectory.answer.strip():
        return "premature_abandonment"
    if case.accepted and not isinstance(check, Join):
        return "accepted_degraded_data"
    return "state_tracking_error"


def _merged(labels: Sequence[FailureLabel]) -> tuple[FailureLabel, ...]:
    """Each kind once, with the checks of all; it shows at the first call of any."""
    kinds: dict[str, list[FailureLabel]] = {}
    for label in labels:
        kinds.setdefault(label.kind, []).append(label)
    merged = []
    for alike in kinds.values():
        first = min(alike, key=_place)
        named = tuple(name for label in alike for name in label.checks)
        merged.append(first.model_copy(update={"checks": named}))
    return tuple(sorted(merged, key=_place))


def _place(label: FailureLabel) -> tuple[bool, int]:
    """Calls in order, then what shows at no call."""
    return label.call < 0, label.call
