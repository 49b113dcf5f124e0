"""Checks on what observations held: observed, invariant, whenever, join."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Literal

from pydantic import Field, model_validator

from replaylab.checks.base import AnyRef, Check, Finding, Look, Matchers, Names, Rules, fails, passes
from replaylab.checks.evidence import Evidence, Found, Step, View, dig, lookup, values
from replaylab.checks.matcher import MISSING, AnyMatcher, Matcher, brief, same
from replaylab.schema.base import Json


class Observed(Look, Check):
    """The agent was shown a value: the first, the last, any or all of those found at the key."""

    kind: Literal["observed"]
    value: AnyMatcher
    when: Literal["first", "last", "any", "all"] = "any"

    def hits(self, evidence: Evidence, rules: Rules) -> list[int]:
        return [found.step.call for found in self.find(evidence, rules) if self.value(found.value)]

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        found = self.find(evidence, rules)
        if not found:
            return fails(f"no observation showed {Look.__str__(self)}")
        if self.when == "any":
            fitting = next((one for one in found if self.value(one.value)), None)
            return _judged(fitting or found[-1], self.value, ok=fitting is not None)
        if self.when == "all":
            wrong = next((one for one in found if not self.value(one.value)), None)
            return _judged(wrong or found[-1], self.value, ok=wrong is None)
        one = found[0] if self.when == "first" else found[-1]
        return _judged(one, self.value, ok=self.value(one.value))


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
            return fails(f"no observation showed {look}, so nothing shows that it held")
        return passes(f"{look} held in {len(found)} observed values", found[-1].step.call if found else -1)


class Whenever(Check):
    """Whenever values stand so, others have to stand so too (`then`), or a call has to follow (`call`).

    Each object in an observation counts as a row. A field is looked up in the row, in what is around it, in the call's
    arguments, and then in the last observation that had it. `call` names a check; it has to fit one of the next
    `within` calls, or any later one.
    """

    kind: Literal["whenever"]
    whenever: dict[str, AnyMatcher] = Field(min_length=1)
    then: dict[str, AnyMatcher] | None = None
    call: AnyRef | None = None
    within: int | None = Field(default=None, ge=1)
    tool: Names = ()
    view: View = "clean"

    @model_validator(mode="after")
    def _has_one_consequence(self) -> Whenever:
        if (self.then is None) == (self.call is None):
            raise ValueError("give either `then` (values) or `call` (a check)")
        if self.then is not None and (not self.then or self.within is not None):
            raise ValueError("`then` needs a value, and `within` belongs to `call`")
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        hits = rules.follow(self.call).hits(evidence, rules) if self.call else []
        times = 0
        for step, row in self._rows(evidence):
            if not all(matcher(row[key]) for key, matcher in self.whenever.items()):
                continue
            times += 1
            wrong = self._wrong(row) if self.call is None else self._unanswered(step, hits)
            if wrong:
                cause = ", ".join(f"{key} was {brief(row[key])}" for key in self.whenever)
                return fails(f"{cause}, and {wrong}", step.call)
        return passes(f"it came up {times} times and held each time")

    def _wrong(self, row: Mapping[str, Json]) -> str:
        for key, matcher in (self.then or {}).items():
            if not matcher(row[key]):
                return f"{key} was {brief(row[key])}, not {matcher}"
        return ""

    def _unanswered(self, step: Step, hits: list[int]) -> str:
        last = float("inf") if self.within is None else step.call + self.within
        if any(step.call < hit <= last for hit in hits):
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


class Join(Check):
    """What a call was given had been observed: an argument equals the `key` of a row that fulfils `where`.

    For example: the resource that was assigned is one that a listing had shown with the right type. All successful
    calls of the tool with those `args` have to; a list of values has to item by item.
    """

    kind: Literal["join"]
    tool: Names
    arg: str
    args: Matchers = Field(default_factory=dict)
    key: Names
    where: Matchers = Field(default_factory=dict)
    view: View = "clean"

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        calls = [step for step in evidence.steps if step.ok and step.tool in self.tool and self._fits(step)]
        look = Look(key=self.key, where=self.where, view=self.view)
        for step in calls:
            given = dig(step.arguments, self.arg)
            known = [found for found in look.find(evidence, rules) if found.step.call < step.call]
            for item in given if isinstance(given, list) and given else [given]:
                if not any(same(item, found.value) for found in known):
                    return fails(f"{self.arg} was {brief(item)}, which no earlier {look} was", step.call)
        if not calls:
            return fails(f"{' or '.join(self.tool)} was never called as asked")
        return passes(f"{self.arg} of {len(calls)} calls was an earlier {look}", calls[-1].call)

    def _fits(self, step: Step) -> bool:
        return all(matcher(dig(step.arguments, key)) for key, matcher in self.args.items())
