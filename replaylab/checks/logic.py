"""Checks made of checks: if, any, all, not. And judge, which only a reader can decide."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from replaylab.checks.base import AnyRef, Check, Finding, Rules, fails, passes
from replaylab.checks.evidence import Evidence

Several = Annotated[tuple[AnyRef, ...], Field(min_length=1)]


class If(Check):
    """If one check holds, another has to; `else` where it does not. Undecided conditions leave it open."""

    kind: Literal["if"]
    condition: AnyRef = Field(alias="if")
    then: AnyRef
    otherwise: AnyRef | None = Field(default=None, alias="else")

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        condition = rules.follow(self.condition).run(evidence, rules)
        if condition.result == "open":
            return condition
        branch = self.then if condition.result == "pass" else self.otherwise
        if branch is None:
            return passes(f"it does not apply: {condition.reason}", condition.call)
        finding = rules.follow(branch).run(evidence, rules)
        return finding._replace(reason=f"since {condition.reason}: {finding.reason}")


class AnyOf(Check):
    """At least one of several checks holds."""

    kind: Literal["any"]
    of: Several

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        findings = [rules.follow(ref).run(evidence, rules) for ref in self.of]
        for result in ("pass", "open"):
            for finding in findings:
                if finding.result == result:
                    return finding
        last = max(finding.call for finding in findings)
        return fails("none holds: " + "; ".join(finding.reason for finding in findings), last)

    def happens(self, rules: Rules) -> bool:
        return all(rules.follow(ref).happens(rules) for ref in self.of)

    def hits(self, evidence: Evidence, rules: Rules) -> list[int]:
        return sorted({call for ref in self.of for call in rules.follow(ref).hits(evidence, rules)})


class AllOf(Check):
    """All of several checks hold."""

    kind: Literal["all"]
    of: Several

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        findings = [rules.follow(ref).run(evidence, rules) for ref in self.of]
        for result in ("fail", "open"):
            for finding in findings:
                if finding.result == result:
                    return finding
        last = max(finding.call for finding in findings)
        return passes("all hold: " + "; ".join(finding.reason for finding in findings), last)


class Not(Check):
    """A check does not hold."""

    kind: Literal["not"]
    of: AnyRef

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        finding = rules.follow(self.of).run(evidence, rules)
        if finding.result == "open":
            return finding
        build = fails if finding.result == "pass" else passes
        return build(f"asked not to be so: {finding.reason}", finding.call)


class Judge(Check):
    """A question for a reader. It stays open."""

    kind: Literal["judge"]
    question: str = Field(min_length=1)

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        return Finding("open", f"a reader has to decide: {self.question}")
