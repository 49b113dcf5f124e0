"""How most steps of the checklist are made: they pass without findings and fail with any."""

from __future__ import annotations

from replaylab.audit.value import Step
from replaylab.schema.finding import Finding


def decided(number: int, name: str, rule: str, evidence: list[str], findings: list[Finding]) -> Step:
    """A step that passes without findings and fails with any."""
    return Step(
        number=number,
        name=name,
        rule=rule,
        outcome="fail" if findings else "pass",
        evidence=tuple(evidence),
        findings=tuple(findings),
    )
