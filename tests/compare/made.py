"""Answers of simulators, written down: what tests of report cards play with. No model and no check takes part."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replaylab.canonical import digest
from replaylab.compare.reading import Answered, Asked
from replaylab.diff.reading import CheckedTrial
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.model import ModelSettings
from replaylab.schema.violation import CheckReport, Coverage, Covered, Violation
from replaylab.score.facts import Spent
from tests.score.studies import scenario

KINDS = ("fabrication", "omission", "rule_invention", "contradiction")


def violation(call: int, kind: str = "omission", *, critical: bool = False, **more: Any) -> Violation:
    return Violation.model_validate(
        {
            "kind": kind,
            "subkind": "x",
            "call": call,
            "tool": "look",
            "confidence": 0.9,
            "rubric_critical": critical,
        }
        | more
    )


def report(
    calls: int, checkable: int, found: Iterable[Violation] = (), covered: Mapping[str, int] | None = None
) -> CheckReport:
    """`covered` gives the calls that could be checked for a kind; by default as many as for anything."""
    rows = tuple(
        Covered(
            tool="look",
            kind=kind,
            calls=calls,
            checked=(covered or {}).get(kind, checkable),
            why_not={"nothing to see": calls - (covered or {}).get(kind, checkable)}
            if calls > (covered or {}).get(kind, checkable)
            else {},
        )
        for kind in KINDS
    )
    coverage = Coverage(environment="env", rows=rows, calls=calls, checkable=checkable)
    return CheckReport(findings=tuple(found), coverage=coverage)


def answer(
    simulator: str,
    where: str,
    *,
    calls: int = 10,
    checkable: int = 10,
    found: Sequence[Violation] = (),
    task: int = 0,
    trial: int = 0,
    agent: str = "ann",
    industry: str = "Technology & IT",
    model: ModelSettings | None = None,
    **fields: Any,
) -> Answered:
    """One trial of a simulator on a task of the scenario `where`."""
    settings = model or ModelSettings(alias=simulator, model=f"vendor/{simulator}")
    key = TrialKey(Condition(agent, settings.alias, "judge", "E0"), f"{where}-{task}", trial)
    facts = scenario(where, industry)
    asked: dict[str, Any] = {
        "scenario": facts,
        "simulator": settings,
        "evidence": "recorded",
        "spent": Spent(calls=calls, attempts=calls, prompt_tokens=100 * calls, completion_tokens=calls),
        "latencies": (250.0,) * calls,
    }
    checked: dict[str, Any] = {
        "address": str(key),
        "scenario": facts.id,
        "industry": industry,
        "environment": f"{where}-environment",
        "task": key.task,
        "faults": "E0",
        "mode": "run",
        "evidence": "recorded",
        "player": settings.player,
        "verdict": "pass",
        "termination": "answered",
        "calls": calls,
        "report": report(calls, checkable, found),
    }
    more = {name: str(value) for name, value in fields.items()}
    cassette = digest({"key": str(key), "model": settings.to_json(), "more": more})
    for name, value in fields.items():
        (asked if name in Asked.model_fields else checked)[name] = value
    return Answered(
        Asked.model_validate(asked | {"cassette": cassette}),
        CheckedTrial.model_validate(checked | {"cassette": cassette}),
    )


def study_of(shares: Mapping[str, Sequence[int]], **more: Any) -> list[Answered]:
    """Simulators by how many of ten calls are broken in each of their scenarios: {"good": [0, 0, 1], "bad": [3, 4, 2]}."""
    return [
        answer(name, f"s{at:02}", found=[violation(call) for call in range(broken)], **more)
        for name, broken_by_scenario in shares.items()
        for at, broken in enumerate(broken_by_scenario)
    ]
