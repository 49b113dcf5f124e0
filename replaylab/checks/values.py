"""Checks on what observations held: observed, invariant, whenever, join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from replaylab.checks.base import (
    AnyRef,
    Check,
    Finding,
    Look,
    Matchers,
    Names,
    Ref,
    Rules,
    fails,
    passes,
    reader,
)
from replaylab.checks.evidence import Evidence, Found, Step, View, dig, lookup, values
from replaylab.checks.matcher import MISSING, AnyMatcher, Matcher, brief, same
from replaylab.checks.words import counted, often
from replaylab.schema.base import Frozen, Json


class Observed(Look, Check):
    """The agent was shown a value: the first, the last, any or all of those found at the key."""

    kind: Literal["observed"]
    value: AnyMatcher
    when: Literal["first", "last", "any", "all"] = "any"

    def hits(self, evidence: Evidence, rules: Rules) -> list[int]:
        return [found.step.call for found in self.find(evidence, rules) if self.value(found.value)]

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        if self.when == "any" and not self.where:
            return self._any(evidence, rules)
        found = self.find(evidence, rules)
        if not found:
            return fails(f"no observation showed {self.sought(evidence, rules)}; {self.value} was due")
        if self.when == "any":
            fitting = next((one for one in found if self.value(one.value)), None)
            return _judged(fitting or found[-1], self.value, ok=fitting is not None)
        if self.when == "all":
            wrong = next((one for one in found if not self.value(one.value)), None)
            return _judged(wrong or found[-1], self.value, ok=wrong is None)
        one = found[0] if self.when == "first" else found[-1]
        return _judged(one, self.value, ok=self.value(one.value))

    def _any(self, evidence: Evidence, rules: Rules) -> Finding:
        """Stops at the first that fits. Not where there are conditions: a later one may leave the check open."""
        last: Found | None = None
        for last in self.each(evidence, rules):
            if self.value(last.value):
                return _judged(last, self.value, ok=True)
        if last is None:
            return fails(f"no observation showed {self.sought(evidence, rules)}; {self.value} was due")
        return _judged(last, self.value, ok=False)


def _judged(found: Found, matcher: Matcher, *, ok: bool) -> Finding:
    reason = f"{found.path} was {brief(found.value)}"
    return passes(reason, found.step.call) if ok else fails(f"{reason}, not {matcher}", found.step.call)


class Invariant(Check):
    """A value held in every observation, counted from the call that fits `from` where there is one.

    It looks at what the environment really gave, since a fault does not change the environment. Nulls say nothing.
    """

    kind: Literal["invariant"]
    key: Names
    value: AnyMatcher
    tool: Names = ()
    where: Matchers = Field(default_factory=dict)
    since: AnyRef | None = Field(default=None, alias="from")
    optional: bool = False

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        look = Look(key=self.key, tool=self.tool, where=self.where, after=self.since, view="clean")
        found = [one for one in look.find(evidence, rules) if one.value is not None]
        for one in found:
            if not self.value(one.value):
                return _judged(one, self.value, ok=False)
        if not found and not self.optional:
            return fails(
                f"no observation showed {look.sought(evidence, rules)}, so nothing shows that it held"
            )
        return passes(
            f"{look} held in {counted(len(found), 'observed value')}", found[-1].step.call if found else -1
        )


class Whenever(Check):
    """Whenever values stand so, others have to stand so too (`then`), a call has to follow (`call`), or none may (`forbid`).

    Each object in an observation counts as a row. A field is looked up in the row, in what is around it, in the call's
    arguments, and then in the last observation that had it. `call` names a check; it has to fit one of the next
    `within` calls, or any later one. What `forbid` names must not happen from then on, or not before what `until` names.
    """

    timed = Check.timed | {"forbid", "until"}

    kind: Literal["whenever"]
    whenever: dict[str, AnyMatcher] = Field(min_length=1)
    then: dict[str, AnyMatcher] | None = None
    call: AnyRef | None = None
    forbid: AnyRef | None = None
    until: AnyRef | None = None
    within: int | None = Field(default=None, ge=1)
    tool: Names = ()
    view: View = "clean"

    @model_validator(mode="after")
    def _has_one_consequence(self) -> Whenever:
        if sum(one is not None for one in (self.then, self.call, self.forbid)) != 1:
            raise ValueError("give one of `then` (values), `call` (a check) and `forbid` (a check)")
        if self.then == {} or (self.within is not None and self.call is None):
            raise ValueError("`then` needs a value, and `within` belongs to `call`")
        if self.until is not None and self.forbid is None:
            raise ValueError("`until` belongs to `forbid`")
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        times = 0
        for step, row in self._rows(evidence):
            if not all(matcher(row[key]) for key, matcher in self.whenever.items()):
                continue
            times += 1
            wrong = self._wrong(row) or self._unanswered(step, evidence, rules)
            if wrong:
                cause = ", ".join(f"{key} was {brief(row[key])}" for key in self.whenever)
                return fails(f"{cause}, and {wrong}", step.call)
        return passes(f"it came up {often(times)} and held each time" if times else "it never came up")

    def _wrong(self, row: Mapping[str, Json]) -> str:
        for key, matcher in (self.then or {}).items():
            if not matcher(row[key]):
                return f"{key} was {brief(row[key])}, not {matcher}"
        return ""

    def _unanswered(self, step: Step, evidence: Evidence, rules: Rules) -> str:
        def later(ref: Ref | None) -> list[int]:
            hits = rules.follow(ref).hits(evidence, rules) if ref else []
            return [hit for hit in hits if hit > step.call]

        if self.forbid is not None:
            end = min(later(self.until), default=float("inf"))
            # A forbidden call may itself bring about what ends it; it was made before that.
            early = [hit for hit in later(self.forbid) if hit <= end]
            return f"{self.forbid} followed at call {early[0]}" if early else ""
        last = float("inf") if self.within is None else step.call + self.within
        if self.call is None or any(hit <= last for hit in later(self.call)):
            return ""
        return f"{self.call} did not follow" + (f" within {self.within} calls" if self.within else "")

    def _rows(self, evidence: Evidence) -> Iterator[tuple[Step, Mapping[str, Json]]]:
        """The values of all fields that the check names, for each object that holds one of them."""
        keys = [*self.whenever, *(self.then or {})]
        carried: dict[str, Json] = {}
        for step in evidence.steps:
            if not step.ok or (self.tool and step.tool not in self.tool):
                continue
            seen: set[int] = set()
            latest: dict[str, Json] = {}
            for found in values(step, self.view):
                row = found.scopes[0]
                if id(row) in seen or all(dig(row, key) is MISSING for key in keys):
                    continue
                seen.add(id(row))
                here = {key: lookup(found.scopes, key) for key in keys}
                yield (
                    step,
                    {key: carried.get(key, MISSING) if here[key] is MISSING else here[key] for key in keys},
                )
                latest |= {key: value for key, value in here.items() if value is not MISSING}
            carried |= latest


class Earlier(Frozen):
    """A successful call by a tool, an argument of it, and what it returned."""

    model_config = Check.model_config
    tool: Names
    arg: str
    args: Matchers = Field(default_factory=dict)
    result: Matchers = Field(default_factory=dict)

    def given(self, step: Step) -> Json:
        """The argument, or MISSING where the call is none of those meant."""
        fits = step.ok and step.tool in self.tool
        fits = fits and all(matcher(dig(step.arguments, key)) for key, matcher in self.args.items())
        fits = fits and all(matcher(dig(step.clean, key)) for key, matcher in self.result.items())
        return dig(step.arguments, self.arg) if fits else MISSING

    def __str__(self) -> str:
        result = ", ".join(f"{key} {matcher}" for key, matcher in self.result.items())
        return f"{self.arg} of {' or '.join(self.tool)}" + (f" with {result}" if result else "")


class Join(Check):
    """What a call was given was known: an argument equals the `key` of an observed row that fulfils `where`.

    For example: the resource that was assigned is one that a listing had shown with the right type. With `earlier` it
    equals an argument of an earlier call: what was shipped is what had been inspected. All successful calls of the
    tool with those `args` have to; a list of values has to item by item.
    """

    kind: Literal["join"]
    tool: Names
    arg: str
    args: Matchers = Field(default_factory=dict)
    key: Names = ()
    where: Matchers = Field(default_factory=dict)
    earlier: Annotated[Earlier | None, BeforeValidator(reader(Earlier, "`earlier`"))] = None
    view: View = "clean"
    optional: bool = False

    @model_validator(mode="after")
    def _has_one_origin(self) -> Join:
        if bool(self.key) == (self.earlier is not None):
            raise ValueError("give either `key` (observed) or `earlier` (a call)")
        return self

    def tools(self) -> Iterator[str]:
        yield from self.tool
        yield from self.earlier.tool if self.earlier else ()

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        calls = [step for step in evidence.steps if step.ok and step.tool in self.tool and self._fits(step)]
        look = self.earlier or Look(key=self.key, where=self.where, view=self.view)
        known = list(self._known(look, evidence, rules))
        for step in calls:
            given = dig(step.arguments, self.arg)
            for item in given if isinstance(given, list) and given else [given]:
                if not any(call < step.call and same(item, value) for call, value in known):
                    return fails(f"{self.arg} was {brief(item)}, which no earlier {look} was", step.call)
        if not calls:
            reason = f"{' or '.join(self.tool)} was never called as asked"
            return passes(reason) if self.optional else fails(reason)
        return passes(f"{self.arg} of {counted(len(calls), 'call')} was an earlier {look}", calls[-1].call)

    def _known(self, look: Look | Earlier, evidence: Evidence, rules: Rules) -> Iterator[tuple[int, Json]]:
        if isinstance(look, Look):
            yield from ((found.step.call, found.value) for found in look.find(evidence, rules))
            return
        for step in evidence.steps:
            value = look.given(step)
            for item in value if isinstance(value, list) else [value]:
                yield step.call, item

    def _fits(self, step: Step) -> bool:
        return all(matcher(dig(step.arguments, key)) for key, matcher in self.args.items())
