"""What an audit says: of a claim, of a step of its checklist, and as a whole."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from replaylab.schema.base import Frozen, JsonObject
from replaylab.schema.finding import Finding

Outcome = Literal["holds", "fails", "undecided"]
StepOutcome = Literal["pass", "fail", "warn", "not_checkable"]


class Assessment(Frozen):
    """What is said of one published number or sentence.

    `said` is what was published and `found` what follows from the rest, both as texts; `numbers` holds what that was
    computed from (counts as integers, others as fractions or decimal texts). `explanation` is the nearest reading under
    which a failed claim would hold, "" where none was found. `reason` says why the outcome is what it is. `asked` is
    whether somebody asked: general checks look at every table without that.
    """

    id: str
    kind: str
    outcome: Outcome
    where: str
    said: str = ""
    found: str = ""
    numbers: JsonObject = Field(default_factory=dict)
    explanation: str = ""
    reason: str = ""
    asked: bool = True

    def finding(self) -> Finding:
        """A failed assessment as a finding."""
        return Finding.of(
            f"claim-{self.kind}",
            f"{self.id}: {self.where}" if self.where else self.id,
            self.reason or f"{self.kind} fails",
            expected=self.found or None,
            observed=self.said or None,
            closest=self.explanation,
        )


class Step(Frozen):
    """One step of the checklist. `rule` says when it passes, `evidence` what was looked at, as sentences.

    `warn` is for what a reader has to know and what alone refutes nothing. `not_checkable` is never a pass: the files
    can't tell, and `evidence` says what could.
    """

    number: int
    name: str
    rule: str = ""
    outcome: StepOutcome
    evidence: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


class AuditReport(Frozen):
    """What an audit found. `title` names what was audited; `source` the claims file; `runs` the ids of runs.

    `digest` is the SHA-256 of the claims file, "" where there was none: the report says what exactly it is about.
    """

    title: str
    source: str = ""
    digest: str = ""
    runs: tuple[str, ...] = ()
    tables: tuple[JsonObject, ...] = ()
    steps: tuple[Step, ...] = ()
    assessments: tuple[Assessment, ...] = ()
    findings: tuple[Finding, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing failed. What can't be decided is no failure, and no pass."""
        return not (
            any(one.outcome == "fails" for one in self.assessments)
            or any(step.outcome == "fail" for step in self.steps)
            or self.findings
        )

    def counts(self) -> dict[str, int]:
        """How many assessments ended in which way."""
        found = dict.fromkeys(("holds", "fails", "undecided"), 0)
        for one in self.assessments:
            found[one.outcome] += 1
        return found

    def all_findings(self) -> tuple[Finding, ...]:
        """Findings of steps, of failed assessments, and the others."""
        failed = [one.finding() for one in self.assessments if one.outcome == "fails"]
        of_steps = [finding for step in self.steps for finding in step.findings]
        return (*of_steps, *failed, *self.findings)
