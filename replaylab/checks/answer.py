"""Checks on the final answer: said, grounded, derive."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from replaylab.checks import expression
from replaylab.checks.base import (
    AnyRef,
    Check,
    Finding,
    Look,
    Names,
    Rules,
    fails,
    passes,
    reader,
)
from replaylab.checks.evidence import Evidence, View, dig
from replaylab.checks.matcher import AnyMatcher, Matcher, brief, parse_matcher
from replaylab.checks.numbers import exact, show
from replaylab.checks.prose import Quantity, names, quantities, quantity
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen, Json

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[*_\"(]*[A-Z])")
_NUMERIC = frozenset({"approx", "lt", "le", "gt", "ge", "between"})


class _Claim(Frozen):
    """A value that an answer may say, and how it has to stand there.

    `near`: a word or a matcher that its sentence has to fulfil too. `unit`: one of these has to stand with the number.
    `words`: numbers spelled out count, from zero to twenty.
    """

    model_config = Check.model_config
    near: AnyMatcher | None = None
    unit: Names = ()
    words: bool = False

    def said(self, answer: str, matcher: Matcher) -> str:
        """The passage that says the value, "" where there is none."""
        for passage in _passages(answer, by_sentence=self.near is not None):
            if self.near is not None and not _mentions(passage, self.near):
                continue
            if self._says(passage, matcher):
                return passage
        return ""

    def _says(self, passage: str, matcher: Matcher) -> bool:
        numbers = [number for number in quantities(passage, words=self.words) if self._has_unit(number)]
        if _is_numeric(matcher.written):
            return any(matcher(_plain(number.value)) for number in numbers)
        if isinstance(matcher.written, dict) and "in" in matcher.written:
            return any(self._says(passage, parse_matcher(option)) for option in matcher.written["in"])
        if self.unit and not numbers:
            return False
        return _mentions(passage, matcher)

    def _has_unit(self, number: Quantity) -> bool:
        wanted = {unit.casefold() for unit in self.unit}
        return not wanted or any(unit.casefold() in wanted for unit in number.units)


def _plain(value: Fraction) -> str | int:
    """An exact number in a form that matchers read without loss: every decimal is finite here."""
    return value.numerator if value.denominator == 1 else _decimal(value)


def _decimal(value: Fraction) -> str:
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    whole = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    return ("-" if value < 0 else "") + f"{whole[:-digits]}.{whole[-digits:]}"


def _is_numeric(written: Json) -> bool:
    if isinstance(written, dict):
        return bool(_NUMERIC & written.keys()) or ("eq" in written and _is_numeric(written["eq"]))
    return not isinstance(written, (bool, str)) and exact(written) is not None


def _mentions(passage: str, matcher: Matcher) -> bool:
    """Whether a text names a literal, or fulfils the conditions of a matcher."""
    written = matcher.written
    if not matcher.literal:
        return matcher(passage)
    if isinstance(written, str):
        number = exact(written) if not written.strip().startswith("0") else None
        in_figures = number is not None and any(one.value == number for one in quantities(passage))
        return in_figures or names(passage, written)
    number = exact(written)
    return number is not None and any(one.value == number for one in quantities(passage))


def _passages(answer: str, *, by_sentence: bool) -> Iterable[str]:
    if not by_sentence:
        return [answer]
    return [sentence for line in answer.splitlines() for sentence in _SENTENCE.split(line)]


class Said(_Claim, Check):
    """The final answer says a value, or with `ok: false` does not say it."""

    kind: Literal["said"]
    value: AnyMatcher
    ok: bool = True

    @model_validator(mode="after")
    def _can_be_said(self) -> Said:
        _refuse_unsayable(self.value)
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        if not evidence.answer.strip():
            return fails("there is no final answer")
        passage = self.said(evidence.answer, self.value)
        if passage:
            reason = f"the answer says {self.value}: {_excerpt(passage)}"
            return passes(reason) if self.ok else fails(reason)
        reason = f"the answer does not say {self.value}" + (f" near {self.near}" if self.near else "")
        return fails(reason) if self.ok else passes(reason)


def _refuse_unsayable(matcher: Matcher) -> None:
    written = matcher.written
    odd = written is None or isinstance(written, (bool, list)) or written == ""
    if odd or (isinstance(written, dict) and {"fields", "absent", "ne"} & written.keys()):
        raise UsageError(
            f"an answer can't say {matcher}",
            fix="text, a number, or one of re, in, has, lacks, approx, lt, le, gt, ge",
        )


def _excerpt(passage: str) -> str:
    text = " ".join(passage.split())
    return text if len(text) <= 120 else text[:117] + "..."


class Grounded(_Claim, Check):
    """If the answer makes a claim, every check in `requires` has to hold: what it says was really seen or done."""

    kind: Literal["grounded"]
    claim: AnyMatcher
    requires: Annotated[tuple[AnyRef, ...], Field(min_length=1)]

    @model_validator(mode="after")
    def _can_be_said(self) -> Grounded:
        _refuse_unsayable(self.claim)
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        passage = self.said(evidence.answer, self.claim)
        if not passage:
            return passes(f"the answer makes no claim of {self.claim}")
        undecided = None
        for ref in self.requires:
            finding = rules.follow(ref).run(evidence, rules)
            if finding.result == "fail":
                return fails(f"the answer claims {self.claim}, but {finding.reason}", finding.call)
            undecided = undecided or (finding if finding.result == "open" else None)
        return undecided or passes(f"what the answer says of {self.claim} is backed")


class Source(Look):
    """A number that observations give: the first, the last, or all of those found at the key."""

    when: Literal["first", "last", "all"] = "last"
    view: View = "clean"


def _read_source(written: Json) -> BaseModel | Fraction:
    if isinstance(written, (Source, Fraction)):
        return written
    if isinstance(written, dict):
        return reader(Source, "an input in `let`")(written)
    number = exact(written)
    if number is None:
        raise ValueError(f"a number or an object with `key` is due, not {brief(written)}")
    return number


AnySource = Annotated[Source | Fraction, BeforeValidator(_read_source)]


class Derive(_Claim, Check):
    """A number that follows from observed ones by arithmetic, and where it has to turn up.

    `let` names the inputs, `expr` is the arithmetic. The result has to be said in the answer (`said: true`), be what
    the argument `arg` of a successful call of `tool` held, or fulfil `value`. `tol` is the distance allowed.
    """

    kind: Literal["derive"]
    let: dict[str, AnySource] = Field(min_length=1)
    expr: str
    said_: bool = Field(default=False, alias="said")
    tool: Names = ()
    arg: str = ""
    value: AnyMatcher | None = None
    tol: Annotated[Fraction, BeforeValidator(exact)] = Fraction(0)

    @model_validator(mode="after")
    def _is_complete(self) -> Derive:
        missing = expression.names(self.expr) - self.let.keys()
        if missing:
            raise ValueError(f"`expr` uses {', '.join(sorted(missing))}, which `let` does not define")
        if sum((self.said_, bool(self.tool and self.arg), self.value is not None)) != 1:
            raise ValueError("give exactly one of `said: true`, `tool` with `arg`, and `value`")
        if self.tol < 0:
            raise ValueError("`tol` is 0 or more")
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        inputs: dict[str, expression.Value] = {}
        call = -1
        for name, source in self.let.items():
            if isinstance(source, Fraction):
                inputs[name] = source
                continue
            found = source.find(evidence, rules)
            if source.when != "all":
                found = found[:1] if source.when == "first" else found[-1:]
            numbers = [quantity(one.value) for one in found]
            if not found or None in numbers:
                shown = brief(found[numbers.index(None)].value) if found else "nothing"
                return fails(f"{name} is due at {source}, where {shown} was observed")
            read = tuple(number for number in numbers if number is not None)
            inputs[name] = read if source.when == "all" else read[0]
            call = max(call, found[-1].step.call)
        try:
            result = expression.evaluate(self.expr, inputs)
        except expression.Undefined as error:
            return fails(f"{self.expr} has no value: {error}", call)
        return self._compare(result, evidence, call)

    def _compare(self, result: Fraction, evidence: Evidence, call: int) -> Finding:
        what = f"{self.expr} is {show(result)}"
        if self.value is not None:
            return _outcome(what, f"not {self.value}", self.value(_rounded(result)), call)
        if self.said_:
            test = (lambda value: self._is_near(value, result),)
            near = Matcher({"approx": show(result)}, test, literal=False)
            return _outcome(
                what, "and the answer does not say it", bool(self.said(evidence.answer, near)), call
            )
        given = [step for step in evidence.steps if step.ok and step.tool in self.tool]
        hit = next((step for step in given if self._is_near(dig(step.arguments, self.arg), result)), None)
        if hit is not None:
            return passes(f"{what}, and {self.arg} was it", hit.call)
        last = f"{brief(dig(given[-1].arguments, self.arg))}" if given else "never given"
        return fails(f"{what}, and {self.arg} was {last}", given[-1].call if given else call)

    def _is_near(self, value: Json, result: Fraction) -> bool:
        number = quantity(value)
        return number is not None and abs(number - result) <= self.tol


def _outcome(what: str, otherwise: str, holds: bool, call: int) -> Finding:
    return passes(what, call) if holds else fails(f"{what}, {otherwise}", call)


def _rounded(value: Fraction) -> str | int:
    """For a matcher: exact where the decimals end, else to 30 places."""
    return _plain(Fraction(round(value * 10**30), 10**30))
