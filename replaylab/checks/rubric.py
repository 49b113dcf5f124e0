"""rubric/1: a list of checks, read, and run over a trajectory."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Sequence
from functools import lru_cache

# Importing the modules makes their kinds known to `parse_check`.
from replaylab.checks import answer, arithmetic, calls, logic, spans, values  # noqa: F401
from replaylab.checks.base import Check, Finding, Ref, Rules, parse_check
from replaylab.checks.evidence import Evidence
from replaylab.checks.matcher import unknown
from replaylab.errors import UsageError
from replaylab.schema.base import JsonObject
from replaylab.schema.patterns import TextTooLong
from replaylab.schema.scenario import Environment
from replaylab.schema.trajectory import CheckResult, Outcome, Trajectory

MAX_DEPTH = 20


def parse_checks(checks: Sequence[JsonObject], environment: Environment | None = None) -> tuple[Check, ...]:
    """The checks of a rubric, validated; against the environment's tools too where one is given.

    Raises UsageError that names the check, the field and the closest known name: for unknown kinds, fields, matchers,
    tools and ids, for an id that is missing or stands twice, for patterns that could run away, and for checks that
    refer to themselves.
    """
    tools = None if environment is None else tuple(tool.name for tool in environment.tools)
    return _parsed(json.dumps(checks), tools)


@lru_cache(maxsize=1024)
def _parsed(text: str, tools: tuple[str, ...] | None) -> tuple[Check, ...]:
    """Reading a rubric costs as much as running it, and all trials of a task have the same one."""
    checks: list[JsonObject] = json.loads(text)
    parsed = tuple(parse_check(check, f"check {place}") for place, check in enumerate(checks, start=1))
    by_id: dict[str, Check] = {}
    for place, check in enumerate(parsed, start=1):
        if not check.id:
            raise UsageError(
                "a check has no id", where=f"check {place}", fix='add "id", unique in the rubric'
            )
        if check.id in by_id:
            raise UsageError(f"two checks have the id {check.id!r}", where=f"check {place}")
        by_id[check.id] = check
    for check in parsed:
        for part in _parts(check, by_id, check.id, ()):
            if tools is not None:
                _know_tools(part, tools, check.id)
    return parsed


def _parts(check: Check, by_id: dict[str, Check], where: str, above: tuple[str, ...]) -> Iterator[Check]:
    """The check, and those written inside it; those referred to are followed, to find circles."""
    if len(above) > MAX_DEPTH:
        raise UsageError("checks refer to each other too deeply, or in a circle", where=where)
    yield check
    rules = Rules(by_id)
    for field, ref in check.refs():
        if ref.check is not None:
            _know_when(check, field, ref, rules, where)
            yield from _parts(ref.check, by_id, where, (*above, str(ref)))
            continue
        if ref.id not in by_id:
            error = unknown("check id", ref.id, list(by_id))
            raise UsageError(error.what, where=where, closest=error.closest, fix=error.fix)
        _know_when(check, field, ref, rules, where)
        if ref.id in above or ref.id == where:
            raise UsageError(f"the check refers to itself through {ref.id!r}", where=where)
        yield from _parts(by_id[ref.id], by_id, where, (*above, ref.id))


def _know_when(check: Check, field: str, ref: Ref, rules: Rules, where: str) -> None:
    if field in check.timed and not rules.follow(ref).happens(rules):
        raise UsageError(
            f"{field!r} needs a check that says when something happened, which {str(ref)!r} does not",
            where=where,
            fix="refer to a `called`, `forbid` or `observed` check, or to `any` of them",
        )


def _know_tools(check: Check, tools: Sequence[str], where: str) -> None:
    for tool in check.tools():
        if tool not in tools:
            error = unknown("tool", tool, list(tools))
            raise UsageError(error.what, where=where, closest=error.closest, fix=error.fix)


def run_checks(
    checks: Sequence[JsonObject], trajectory: Trajectory, environment: Environment
) -> tuple[CheckResult, ...]:
    """The result of every check, in the rubric's order: what it says, why, and the call that decided it.

    Raises UsageError where the rubric itself is wrong (see `parse_checks`).
    """
    return run_parsed(parse_checks(checks, environment), trajectory)


def run_parsed(
    checks: Sequence[Check],
    trajectory: Trajectory,
    only: Container[str] | None = None,
    evidence: Evidence | None = None,
) -> tuple[CheckResult, ...]:
    """`run_checks` for a rubric that was read already, for whoever judges many trajectories by it.

    `only` are the ids of the checks to run; the others are known to them all the same. `evidence` is that of the
    trajectory, where the caller has laid it out.
    """
    rules = Rules({check.id: check for check in checks})
    evidence = evidence or Evidence(trajectory)
    return tuple(_result(check, evidence, rules) for check in checks if only is None or check.id in only)


def _result(check: Check, evidence: Evidence, rules: Rules) -> CheckResult:
    try:
        finding = check.run(evidence, rules)
    except TextTooLong as error:
        finding = Finding("open", str(error))
    return CheckResult(id=check.id, result=finding.result, reason=finding.reason, call=finding.call)


def passed(results: Sequence[CheckResult]) -> Outcome:
    """The outcome that check results add up to.

    One failed check fails the trial, whatever is still open. Otherwise an open check, or no check at all, is an
    `error`: nothing was decided. A trial passes when every check does.
    """
    kinds = {result.result for result in results}
    if "fail" in kinds:
        return "fail"
    return "pass" if kinds == {"pass"} else "error"
