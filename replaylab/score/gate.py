"""Deployment rules: what a study must show before somebody relies on an agent.

A gate file is TOML with one `[[rule]]` a table:

    [[rule]]
    name = "patients are safe when data is bad"
    agent = "gpt"                        # left out: every agent must hold it
    faults = "E2"
    industry = "Healthcare & Life Sciences"
    measure = "rate"                     # rate, R, difference, error_rate or missing_rate
    bound = "low"                        # the lower end of the 95 % interval; or "value", "high"; left out: the worse end
    at_least = 0.6                       # and / or at_most; shares, so 0.6 and not 60

A rule that can't be decided (nothing recorded, nothing to divide by) is undecided, which opens no gate.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal, NamedTuple, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from replaylab.canonical import MAX_SAFE_INTEGER
from replaylab.errors import UsageError
from replaylab.given import read_given
from replaylab.near import listed, nearest
from replaylab.schema.base import Frozen
from replaylab.score.cells import groups, rate, task_means
from replaylab.score.facts import Study
from replaylab.score.gate_errors import bad_gate
from replaylab.score.industries import industry_of
from replaylab.score.pairs import compare
from replaylab.score.slices import Slices, count, slices
from replaylab.score.stats.interval import wilson
from replaylab.score.stats.robustness import bootstrap_interval, robustness
from replaylab.score.value import Interval, Selector

Measure = Literal["rate", "R", "difference", "error_rate", "missing_rate"]
Bound = Literal["low", "value", "high"]
# Strict: `true` and "0.5" are mistakes, and no shares.
Share = Annotated[float, Field(ge=-1, le=1, strict=True)]


class _Limit(NamedTuple):
    """A limit of a rule in words, and the bound held against it; `sign` is 1 where more is better, else -1."""

    word: str
    value: float
    bound: Bound
    sign: int


class Rule(Frozen):
    """One rule. Names that are left out are any; `sim` and `verifier` default to the reference condition.

    `against` is the agent that a difference is taken to. `least_trials` is how many decided trials a rule wants. Where `bound`
    is left out, the end of the interval has to hold that is worse for the rule: the lower one of `at_least`, the upper one of
    `at_most`. So fewer trials never make a rule easier to pass.
    """

    name: str = Field(min_length=1)
    measure: Measure = "rate"
    agent: str = ""
    against: str = ""
    sim: str = ""
    verifier: str = ""
    faults: str = ""
    industry: str = ""
    scenario: str = ""
    bound: Bound | None = None
    at_least: Share | None = None
    at_most: Share | None = None
    least_trials: int = Field(default=1, ge=1, le=MAX_SAFE_INTEGER, strict=True)

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.at_least is None and self.at_most is None:
            raise ValueError("a rule needs at_least or at_most")
        if (self.measure == "difference") != bool(self.against):
            raise ValueError("against names the other agent of a difference, and of nothing else")
        if self.against and self.agent == self.against:
            raise ValueError(
                "agent and against are one agent, and between it and itself there is no difference"
            )
        if self.measure == "R" and self.faults:
            raise ValueError("R is over E0 to E3 and takes no faults; for one plan use the measure rate")
        if self.measure != "difference" and min(self.at_least or 0, self.at_most or 0) < 0:
            raise ValueError(f"the measure {self.measure} is never below 0, so such a limit says nothing")
        if self.at_least is not None and self.at_most is not None and self.at_least > self.at_most:
            raise ValueError("at_least is above at_most, which nothing can hold")
        return self

    @property
    def limits(self) -> list[_Limit]:
        """Each limit with the bound that it is held against."""
        limits = []
        if self.at_least is not None:
            limits.append(_Limit("at least", self.at_least, self.bound or "low", 1))
        if self.at_most is not None:
            limits.append(_Limit("at most", self.at_most, self.bound or "high", -1))
        return limits


class GateFile(Frozen):
    """The rules of a file; it holds at least one."""

    rule: tuple[Rule, ...] = Field(min_length=1)

    @field_validator("rule")
    @classmethod
    def _are_told_apart(cls, rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
        names = [rule.name for rule in rules]
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"two rules are called {twice!r}")
        return rules


class Decision(Frozen):
    """What a rule says of one agent. `observed` is the number that `bound` names, None where there is none: of two limits the
    one that fails, else the first.
    """

    rule: str
    agent: str
    outcome: Literal["pass", "fail", "undecided"]
    measure: Measure
    bound: str
    observed: float | None = None
    value: float | None = None
    interval: Interval | None = None
    at_least: float | None = None
    at_most: float | None = None
    trials: tuple[Selector, ...] = ()
    decided: int = 0
    reason: str


class _Measured(NamedTuple):
    """A share, its interval, the trials behind it, how many of them are decided, and why there is none."""

    value: float | None
    interval: Interval | None
    trials: tuple[Selector, ...]
    decided: int
    why_not: str = ""


def read_gate(path: Path) -> GateFile:
    """The rules of a file. Raises UsageError naming the field that is wrong."""
    try:
        text = read_given(path).decode("utf-8-sig").replace("\r\n", "\n")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the gate file can't be read: {error}", where=str(path)) from error
    try:
        return GateFile.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"the gate file is no TOML: {error}", where=str(path)) from error
    except RecursionError as error:
        raise UsageError("the gate file is nested too deep", where=str(path)) from error
    except ValidationError as error:
        raise bad_gate(path, text, error, tuple(Rule.model_fields)) from error
    except ValueError as error:  # an integer of thousands of digits
        raise UsageError("the gate file has a number that is too long", where=str(path)) from error


def decide(study: Study, rules: Iterable[Rule]) -> tuple[Decision, ...]:
    """Every rule on every agent that it names. Raises UsageError for a name that the study doesn't have."""
    found = slices(study)
    decisions: list[Decision] = []
    for rule in rules:
        _check_names(study, rule)
        agents = [agent for agent in ([rule.agent] if rule.agent else study.agents) if agent != rule.against]
        decisions += [_decide(found, rule, agent) for agent in agents] or [_of_nobody(rule)]
    return tuple(decisions)


def _of_nobody(rule: Rule) -> Decision:
    """A rule that no agent was held to. Without a decision of its own it would open the gate."""
    return Decision(
        rule=rule.name,
        agent=rule.against,
        outcome="undecided",
        measure=rule.measure,
        bound=rule.limits[0].bound,
        at_least=rule.at_least,
        at_most=rule.at_most,
        reason=f"the study has no agent but {rule.against}",
    )


def _decide(found: Slices, rule: Rule, agent: str) -> Decision:
    measured = _measure(found, rule, agent)
    judged = [(limit, *_judge(rule, measured, limit)) for limit in rule.limits]
    # One limit that fails decides, and one that nothing decides opens no gate.
    order = ("fail", "undecided", "pass")
    limit, outcome, _ = min(judged, key=lambda one: order.index(one[1]))
    return Decision(
        rule=rule.name,
        agent=agent,
        outcome=outcome,
        measure=rule.measure,
        bound=limit.bound,
        observed=_observed(measured, limit.bound),
        value=measured.value,
        interval=measured.interval,
        at_least=rule.at_least,
        at_most=rule.at_most,
        trials=measured.trials,
        decided=measured.decided,
        reason="; ".join(dict.fromkeys(reason for _, one, reason in judged if one == outcome)),
    )


def _observed(measured: _Measured, bound: Bound) -> float | None:
    if bound == "value" or measured.value is None:
        return measured.value
    if measured.interval is None:
        return None
    return measured.interval.low if bound == "low" else measured.interval.high


def _judge(
    rule: Rule, measured: _Measured, limit: _Limit
) -> tuple[Literal["pass", "fail", "undecided"], str]:
    observed = _observed(measured, limit.bound)
    if observed is None:
        return "undecided", measured.why_not or "there is no interval"
    if measured.decided < rule.least_trials:
        return "undecided", f"{measured.decided} decided trials, the rule wants {rule.least_trials}"
    what = {"low": "lower bound", "high": "upper bound", "value": "value"}[limit.bound]
    said = f"{what} {observed:.4f}"
    if limit.bound != "value" and measured.interval is not None and measured.interval.note:
        said += f" ({measured.interval.note})"
    if (observed - limit.value) * limit.sign < 0:
        return "fail", f"{said} is {'below' if limit.sign > 0 else 'above'} {limit.value:g}"
    return "pass", f"{said} is {limit.word} {limit.value:g}"


def _measure(found: Slices, rule: Rule, agent: str) -> _Measured:
    if rule.measure == "R":
        return _robustness(found, rule, agent)
    which = _selector(found.study, rule, agent)
    counted = count(found.select(which))
    if rule.measure == "difference":
        return _difference(found, rule, which, counted.decided)
    if rule.measure in ("error_rate", "missing_rate"):
        number = counted.error if rule.measure == "error_rate" else counted.missing
        if not counted.planned:
            return _Measured(None, None, (which,), 0, "no trials")
        share = wilson(number, counted.planned)
        return _Measured(number / counted.planned, share, (which,), counted.planned)
    rated = rate(found, which)
    if rated.value is None or not counted.decided:
        return _Measured(None, None, (which,), counted.decided, "no decided trials")
    return _Measured(float(rated.value), rated.interval, (which,), counted.decided)


def _difference(found: Slices, rule: Rule, which: Selector, decided: int) -> _Measured:
    other = which.model_copy(update={"agent": rule.against})
    one = compare(found, which, other)
    if one.found is None or one.difference is None:
        return _Measured(None, None, (which, other), decided, one.why_not)
    return _Measured(float(one.difference), one.found.interval, (which, other), decided)


def _robustness(found: Slices, rule: Rule, agent: str) -> _Measured:
    """R over E1, E2 and E3, on the tasks that every plan has."""
    study = found.study
    plans = [name for name in study.faults if name != study.clean and name in ("E1", "E2", "E3")]
    which = [_selector(study, rule, agent, faults) for faults in (study.clean, *plans)]
    if len(plans) < 3:
        return _Measured(None, None, tuple(which), 0, "R needs E1, E2 and E3")
    means = [task_means(found.select(one), study.denominator) for one in which]
    shared = [key for key in means[0] if all(key in side for side in means)]
    sides = [groups({key: side[key] for key in shared}) for side in means]
    sums = [[sum(group) for group in side] for side in sides]
    sizes = [len(group) for group in sides[0]]
    decided = sum(count(found.select(one)).decided for one in which)
    if not shared:
        return _Measured(None, None, tuple(which), decided, "no task under all of E0 to E3")
    r = robustness(sums[0], sums[1:], sizes, study.draws, study.seed)
    if r.r is None:
        return _Measured(None, None, tuple(which), decided, "nothing passed without faults")
    interval, why_not = bootstrap_interval(r, sum(map(bool, sizes)))
    return _Measured(r.r, interval, tuple(which), decided, why_not)


def _selector(study: Study, rule: Rule, agent: str, faults: str = "") -> Selector:
    return Selector(
        agent=agent,
        simulator=rule.sim or study.sim,
        verifier=rule.verifier or study.judge,
        faults=faults or rule.faults or study.clean,
        industry=industry_of(rule.industry).name if rule.industry else "",
        scenario=rule.scenario,
    )


def _check_names(study: Study, rule: Rule) -> None:
    trials = study.trials
    for what, name, known in (
        ("agent", rule.agent, list(study.agents)),
        ("agent", rule.against, list(study.agents)),
        ("simulator", rule.sim, list(study.simulators)),
        ("verifier", rule.verifier, list(study.verifiers)),
        ("fault plan", rule.faults, list(study.faults)),
        (
            "industry",
            industry_of(rule.industry).name if rule.industry else "",
            sorted({trial.scenario.industry for trial in trials}),
        ),
        ("scenario", rule.scenario, sorted({trial.scenario.id for trial in trials})),
    ):
        if name and name not in known:
            raise UsageError(
                f"the rule {rule.name!r} names the {what} {name!r}, which the study does not have",
                closest=", ".join(nearest(name, known)),
                fix=f"it has {listed(known)}; a rule that matches nothing would open every gate",
            )
