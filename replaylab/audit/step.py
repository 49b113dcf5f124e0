"""Step: one line of the auditor's checklist, with its evidence."""

from __future__ import annotations

from typing import Literal

from replaylab.schema.base import Frozen
from replaylab.schema.finding import Finding

Passed = Literal["pass", "fail", "warn", "undecided"]


class Step(Frozen):
    """What a step of the checklist came to. `rule` says when it passes, `evidence` what was looked at, with numbers.

    `warn` is for what a reader has to know and what alone refutes nothing. `undecided` is never a pass: the library
    can't tell, and `evidence` says what could.
    """

    number: int
    name: str
    rule: str
    outcome: Passed
    evidence: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


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
