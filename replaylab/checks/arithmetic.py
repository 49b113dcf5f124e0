"""derive: a number that follows from observed ones by arithmetic, and where it has to turn up."""

from __future__ import annotations

import keyword
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, Field, model_validator

from replaylab.checks import expression
from replaylab.checks.answer import Claim, plain
from replaylab.checks.base import Check, Finding, Look, Names, Rules, fails, passes, reader
from replaylab.checks.evidence import Evidence, Found, View, dig
from replaylab.checks.matcher import AnyMatcher, Matcher, brief
from replaylab.checks.numbers import exact, show
from replaylab.checks.prose import quantity
from replaylab.schema.base import Json

Inputs = Mapping[str, expression.Value]


class Source(Look):
    """A number that observations give.

    `when`: the first or the last one found at the key; or several, for a function: `all` of them, those of the
    `latest` call that showed any, or those of `each` call in turn.
    """

    when: Literal["first", "last", "all", "latest", "each"] = "last"
    view: View = "clean"

    @property
    def is_many(self) -> bool:
        return self.when not in ("first", "last")

    def pick(self, found: Sequence[Found], call: int) -> Sequence[Found]:
        """Those of the values found that are meant; `call` is the one whose turn it is."""
        if not found or self.when == "all":
            return found
        if not self.is_many:
            return found[:1] if self.when == "first" else found[-1:]
        meant = call if self.when == "each" else found[-1].step.call
        return [one for one in found if one.step.call == meant]


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


class _Missing(Exception):
    """An input that the observations do not give; the text says what stands in its place."""


class Derive(Claim, Check):
    """A number that follows from observed ones by arithmetic, and where it has to turn up.

    `let` names the inputs, `expr` is the arithmetic. The result has to be said in the answer (`said: true`), be what
    the argument `arg` of a successful call of `tool` held, or fulfil `value`. `tol` is the distance allowed. With
    inputs of `each` call, the result of every such call has to fulfil `value`.
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
        for name in self.let:
            _refuse_odd_name(name)
        missing = expression.names(self.expr) - self.let.keys()
        if missing:
            raise ValueError(f"`expr` uses {', '.join(sorted(missing))}, which `let` does not define")
        if sum((self.said_, bool(self.tool and self.arg), self.value is not None)) != 1:
            raise ValueError("give exactly one of `said: true`, `tool` with `arg`, and `value`")
        if self._sources("each") and self.value is None:
            raise ValueError("`when: each` gives a result a call, which only `value` can judge")
        if self.tol < 0:
            raise ValueError("`tol` is 0 or more")
        return self

    def run(self, evidence: Evidence, rules: Rules) -> Finding:
        found = {name: source.find(evidence, rules) for name, source in self._sources().items()}
        turns = sorted({one.step.call for name in self._sources("each") for one in found[name]})
        finding = fails(f"{self.expr} has no value: no input was observed")
        for turn in turns or [-1]:
            finding = self._turn(evidence, rules, found, turn)
            if finding.result == "fail":
                break
        return finding

    def _sources(self, when: str = "") -> dict[str, Source]:
        read = {name: source for name, source in self.let.items() if isinstance(source, Source)}
        return {name: source for name, source in read.items() if when in ("", source.when)}

    def _turn(
        self, evidence: Evidence, rules: Rules, found: Mapping[str, Sequence[Found]], turn: int
    ) -> Finding:
        counted = expression.counted(self.expr)
        inputs: dict[str, expression.Value] = {}
        calls = [-1]
        for name, source in self.let.items():
            if isinstance(source, Fraction):
                inputs[name] = source
                continue
            picked = source.pick(found[name], turn)
            calls += [one.step.call for one in picked[-1:]]
            if name in counted and (picked or any(evidence.find(source.key, source.view, source.tool))):
                inputs[name] = (Fraction(1),) * len(picked)
                continue
            try:
                inputs[name] = _numbers(source, picked)
            except _Missing as missing:
                sought = source.sought(evidence, rules)
                return fails(f"{name} is due at {sought}, where {missing} was observed")
        try:
            result = expression.evaluate(self.expr, inputs)
        except expression.Undefined as error:
            return fails(f"{self.expr} has no value: {error}", max(calls))
        return self._compare(result, evidence, max(calls))

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


def _refuse_odd_name(name: str) -> None:
    if not name.isidentifier() or keyword.iskeyword(name):
        raise ValueError(
            f"an expression can't hold the name {name!r}, which is reserved or no plain word; take another, such as "
            + repr(f"{name}_1" if name.isidentifier() else "units_left")
        )


def _numbers(source: Source, picked: Sequence[Found]) -> expression.Value:
    numbers = [quantity(one.value) for one in picked]
    if not numbers or None in numbers:
        shown = brief(picked[numbers.index(None)].value) if numbers else "nothing"
        raise _Missing(shown)
    read = tuple(number for number in numbers if number is not None)
    return read if source.is_many else read[0]


def _outcome(what: str, otherwise: str, holds: bool, call: int) -> Finding:
    return passes(what, call) if holds else fails(f"{what}, {otherwise}", call)


def _rounded(value: Fraction) -> str | int:
    """For a matcher: exact where the decimals end, else to 30 places."""
    return plain(Fraction(round(value * 10**30), 10**30))
