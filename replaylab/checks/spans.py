"""Checks on how long something lasted: held."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field

from replaylab.checks.base import Check, Finding, Look, Matchers, Names, Rules, fails, passes
from replaylab.checks.evidence import Evidence, Found, lookup
from replaylab.checks.matcher import AnyMatcher
from replaylab.checks.numbers import exact, show
from replaylab.checks.prose import quantity


class Held(Check):
    """A value stayed so for a stretch: `clock` went on by `least` between readings that all fit, one after another.

    The clock is a number in the row of each reading or around it. It looks at the clean observations.
    """

    kind: Literal["held"]
    key: Names
    value: AnyMatcher
    clock: str
    least: Annotated[Fraction, BeforeValidator(exact)]
    tool: Names = ()
    where: Matchers = Field(default_factory=dict)

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        look = Look(key=self.key, tool=self.tool, where=self.where, view="clean")
        longest, call, start = Fraction(-1), -1, None
        for found in look.find(evidence, rules):
            now = self._time(found)
            if now is None or not self.value(found.value):
                start = start if self.value(found.value) else None
                continue
            start = now if start is None else start
            if now - start > longest:
                longest, call = now - start, found.step.call
        if longest < 0:
            return fails(f"no reading of {look} was {self.value} at a known {self.clock}")
        reason = f"{look} was {self.value} for {show(longest)} of {self.clock}"
        return (
            passes(reason, call)
            if longest >= self.least
            else fails(f"{reason}, not {show(self.least)}", call)
        )

    def _time(self, found: Found) -> Fraction | None:
        value = lookup(found.scopes, self.clock)
        return quantity(value) if isinstance(value, (int, float, str)) else None
