"""Checks on what was done: called, forbid, order."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from replaylab.checks.base import (
    AnyRef,
    Check,
    Finding,
    Matchers,
    Names,
    Ref,
    Rules,
    bounds,
    fails,
    passes,
    reader,
    show_arguments,
)
from replaylab.checks.evidence import Evidence, Step, dig
from replaylab.checks.matcher import brief
from replaylab.checks.words import often
from replaylab.schema.base import Frozen

Ok = Literal[True, False, "any"]


class Count(Frozen):
    """How often something may happen."""

    min: int = Field(default=1, ge=0)
    max: int | None = Field(default=None, ge=0)

    @model_validator(mode="after")
    def _is_a_range(self) -> Count:
        if self.max is not None and self.max < self.min:
            raise ValueError(f"max {self.max} is less than min {self.min}")
        return self


class _Calls(Check):
    """Calls of a tool, by arguments, by how they went, and by what came before (`after`) and follows (`before`)."""

    tool: Names
    args: Matchers = Field(default_factory=dict)
    result: Matchers = Field(default_factory=dict)
    after: AnyRef | None = None
    before: AnyRef | None = None

    def wanted(self) -> Ok:
        """Whether calls that succeeded, that failed, or both are meant."""
        return "any"

    def miss(self, step: Step) -> str:
        """Why a call is not one of those meant, "" when it is."""
        for key, matcher in self.args.items():
            if not matcher(dig(step.arguments, key)):
                return f"{key} was {brief(dig(step.arguments, key))}, not {matcher}"
        if self.wanted() != "any" and step.ok != self.wanted():
            return "it did not succeed" if self.wanted() else "it succeeded"
        for key, matcher in self.result.items():
            if not matcher(dig(step.clean, key)):
                return f"it returned {key} {brief(dig(step.clean, key))}, not {matcher}"
        return ""

    def hits(self, evidence: Evidence, rules: Rules) -> list[int]:
        return [step.call for step in self.meant(evidence, rules) if not self.miss(step)]

    def meant(self, evidence: Evidence, rules: Rules) -> list[Step]:
        """The calls of the tool between `after` and `before`."""
        low, high = bounds(self.after, self.before, evidence, rules)
        return [step for step in evidence.steps if step.tool in self.tool and low < step.call < high]

    def __str__(self) -> str:
        wanted = ", ".join(f"{key} {matcher}" for key, matcher in self.args.items())
        bounded = "".join(
            f" {word} {ref}" for word, ref in (("after", self.after), ("before", self.before)) if ref
        )
        return " or ".join(self.tool) + (f" with {wanted}" if wanted else "") + bounded


class Called(_Calls):
    """A tool was called, with those arguments and that result, between `count.min` and `count.max` times."""

    kind: Literal["called"]
    ok: Ok = True
    count: Annotated[Count, BeforeValidator(reader(Count, "`count`"))] = Count()

    def wanted(self) -> Ok:
        return self.ok

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        hits = self.hits(evidence, rules)
        if self.count.max is not None and len(hits) > self.count.max:
            return fails(
                f"{self} happened {often(len(hits))}, at most {self.count.max} allowed", hits[self.count.max]
            )
        if len(hits) >= self.count.min:
            return passes(
                f"{self} happened {often(len(hits))}", hits[self.count.min - 1] if self.count.min else -1
            )
        tried = [step for step in self.meant(evidence, rules) if self.miss(step)]
        fell_short = f"{self} " + (
            f"happened {often(len(hits))}, not {often(self.count.min)}" if hits else "never happened"
        )
        if not tried:
            return fails(fell_short)
        nearest = max(tried, key=lambda step: (self._fit(step), step.call))
        return fails(f"{fell_short}: in the nearest call {self.miss(nearest)}", nearest.call)

    def _fit(self, step: Step) -> int:
        return sum(matcher(dig(step.arguments, key)) for key, matcher in self.args.items())


class Forbid(_Calls):
    """A tool was never called with those arguments; the attempt counts, whether it succeeded or not."""

    kind: Literal["forbid"]
    ok: Ok = "any"

    def wanted(self) -> Ok:
        return self.ok

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        for step in self.meant(evidence, rules):
            if not self.miss(step):
                return fails(f"{step.tool}({show_arguments(step.arguments)}) is forbidden", step.call)
        return passes(f"{self} never happened")


class Order(Check):
    """One thing happened before another: the first before the first, or with `scope: last` the last before the last.

    Where `then` never happens the check fails, unless it is `optional`.
    """

    timed = Check.timed | {"then"}
    kind: Literal["order"]
    before: AnyRef
    then: AnyRef
    scope: Literal["first", "last"] = "first"
    optional: bool = False

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        at = 0 if self.scope == "first" else -1
        then = rules.follow(self.then).hits(evidence, rules)
        if not then:
            reason = f"{_title(self.then)} never happened"
            return (
                passes(f"{reason}, so there was nothing to come before") if self.optional else fails(reason)
            )
        before = rules.follow(self.before).hits(evidence, rules)
        if not before:
            return fails(f"{_title(self.before)} never happened before {_title(self.then)}", then[at])
        if before[at] < then[at]:
            return passes(f"call {before[at]} came before call {then[at]}", then[at])
        return fails(
            f"{_title(self.then)} came at call {then[at]}, and {_title(self.before)} only at call {before[at]}",
            then[at],
        )


def _title(ref: Ref) -> str:
    """How a message calls another check."""
    return str(ref.check) if isinstance(ref.check, _Calls) else repr(str(ref))
