"""Checks on the final answer: said, grounded, cited."""

from __future__ import annotations

import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, model_validator

from replaylab.checks.base import AnyRef, Check, Finding, Names, Rules, fails, passes
from replaylab.checks.evidence import Evidence, View, values
from replaylab.checks.matcher import AnyMatcher, Matcher, parse_matcher
from replaylab.checks.numbers import exact, show
from replaylab.checks.prose import Quantity, names, quantities
from replaylab.checks.words import counted
from replaylab.errors import UsageError
from replaylab.schema.base import Frozen, Json

_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[*_\"(]*[A-Z])")
_ENUMERATOR = re.compile(r"^\s*(?:[-*]\s+)?\d{1,2}[.)]\s+", re.MULTILINE)
_NUMERIC = frozenset({"approx", "lt", "le", "gt", "ge", "between"})


class Claim(Frozen):
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
        numbers = self.numbers(passage)
        if _is_numeric(matcher.written):
            return any(matcher(plain(number.value)) for number in numbers)
        if isinstance(matcher.written, dict) and "in" in matcher.written:
            return any(self._says(passage, parse_matcher(option)) for option in matcher.written["in"])
        if self.unit and not numbers:
            return False
        return _mentions(passage, matcher)

    def numbers(self, passage: str) -> list[Quantity]:
        """The numbers of a passage that stand with the unit asked for."""
        return [number for number in quantities(passage, words=self.words) if self._has_unit(number)]

    def _has_unit(self, number: Quantity) -> bool:
        wanted = {unit.casefold() for unit in self.unit}
        return not wanted or any(unit.casefold() in wanted for unit in number.units)


def plain(value: Fraction) -> str | int:
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


class Said(Claim, Check):
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


class Grounded(Claim, Check):
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


class Cited(Claim, Check):
    """Every number that the answer gives was observed before: with that `unit`, in sentences that fulfil `near`.

    `allow` holds numbers that may be said without, for example those of the instruction; `tol` is the distance allowed.
    """

    kind: Literal["cited"]
    allow: tuple[Annotated[Fraction, BeforeValidator(exact)], ...] = ()
    tol: Annotated[Fraction, BeforeValidator(exact)] = Fraction(0)
    view: View = "clean"

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        if not evidence.answer.strip():
            return fails("there is no final answer")
        text = _ENUMERATOR.sub("", evidence.answer)
        passages = [
            passage
            for passage in _passages(text, by_sentence=self.near is not None)
            if self.near is None or _mentions(passage, self.near)
        ]
        said = {number.value for passage in passages for number in self.numbers(passage)}
        known = {*self.allow, *_observed_numbers(evidence, self.view)}
        for value in sorted(said):
            if not any(abs(value - one) <= self.tol for one in known):
                return fails(f"the answer says {show(value)}, which no observation showed")
        were = "was" if len(said) == 1 else "were"
        return passes(f"{counted(len(said), 'number')} in the answer, each of which {were} observed")


def _observed_numbers(evidence: Evidence, view: View) -> Iterable[Fraction]:
    """Numbers in the observations of successful calls, those inside texts too."""
    for step in evidence.steps:
        if not step.ok:
            continue
        nodes = [found.value for found in values(step, view)] or [step.shown(view)]
        for node in nodes:
            for leaf in node if isinstance(node, list) else [node]:
                number = exact(leaf)
                if number is not None:
                    yield number
                elif isinstance(leaf, str):
                    yield from (one.value for one in quantities(leaf))
