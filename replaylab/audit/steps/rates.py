"""Trivial agents, uncertainty, power, variance, cost, limits: what the numbers of the run can carry."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from replaylab.audit.cells import plural
from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_far_as_seen
from replaylab.audit.value import Step, StepOutcome
from replaylab.schema.finding import Finding
from replaylab.score.cells import Rate, groups, means_of, rate
from replaylab.score.facts import Study
from replaylab.score.slices import slices
from replaylab.score.stats.power import least_difference
from replaylab.score.tables.cost import Bill
from replaylab.score.value import Selector

# Agents that do not try: a benchmark on which one of them does well measures nothing.
TRIVIAL = ("scripted:explorer", "scripted:idle")
UNJUDGED = "no verdict follows from the cassettes that are here, so there are no rates"


def _judged(dossier: Dossier) -> list[Study]:
    return [
        study for study in dossier.studies if any(trial.outcome in ("pass", "fail") for trial in study.trials)
    ]


def _rates(study: Study) -> Iterator[tuple[str, Rate, Selector]]:
    """Each agent's rate, and the simulator, judge and fault plan that it is of."""
    held = slices(study)
    for agent in study.agents:
        which = held.reference(agent=agent)
        yield agent, rate(held, which), which


def _percent(found: Rate) -> str:
    interval = found.interval
    bounds = (
        f", 95 % interval {interval.low * 100:.1f} to {interval.high * 100:.1f} ({interval.method})"
        if interval
        else ""
    )
    return f"{found.passed} of {found.whole}" + (
        f" = {float(found.value) * 100:.1f} %{bounds}" if found.value is not None else ""
    )


def trivial(dossier: Dossier) -> Step:
    """Do agents that don't try stay below the others?"""
    rule = "an agent that does not try was run too, and lies below the lowest interval of the others"
    evidence, found, seen = [], [], False
    for study in _judged(dossier):
        rates = {agent: one for agent, one, _ in _rates(study) if one.value is not None}
        idle = {agent: one for agent, one in rates.items() if agent in TRIVIAL}
        others = {agent: one for agent, one in rates.items() if agent not in TRIVIAL and one.interval}
        for agent, one in idle.items():
            seen = True
            evidence.append(f"{agent}: {_percent(one)}")
            for other, theirs in others.items():
                if theirs.interval and one.value is not None and float(one.value) >= theirs.interval.low:
                    message = f"{agent}, which does not try, is not below the interval of {other}"
                    found.append(
                        Finding.of(
                            "trivial",
                            f"{agent} {other}",
                            message,
                            expected=f"below {theirs.interval.low:.3f}",
                            observed=float(one.value),
                        )
                    )
    if not seen:
        evidence.append(f"no agent that does not try was run ({', '.join(TRIVIAL)} are there for it)")
    return _step(9, "trivial agents", rule, "warn" if found or not seen else "pass", evidence, found)


def uncertainty(dossier: Dossier) -> Step:
    """The headline rates with their intervals."""
    evidence = [
        f"{agent}, under {which.faults} with {which.simulator} and {which.verifier}: {_percent(one)}"
        for study in _judged(dossier)
        for agent, one, which in _rates(study)
    ]
    rule = "every headline rate has an interval, with its method, its clusters and its level"
    return _step(12, "uncertainty", rule, "pass" if evidence else "not_checkable", evidence or [UNJUDGED])


def power(dossier: Dossier) -> Step:
    """What a comparison of two agents could have found."""
    evidence = []
    for study in _judged(dossier):
        held = slices(study)
        means = [means_of(held, held.reference(agent=agent)) for agent in study.agents]
        tasks = max((len(one) for one in means), default=0)
        clusters = max((len(groups(one)) for one in means), default=0)
        least = least_difference(tasks)
        evidence.append(
            f"{plural(tasks, 'task')} in {plural(clusters, 'scenario')}: two agents must differ by {least * 100:.1f} points to be told apart with a power of "
            "80 % at 5 %, if a quarter of the tasks tell them apart and tasks of a scenario are independent; `score` prints it with the design effect"
        )  # fmt: skip
    rule = "the least detectable difference is known; no sentence says `no difference` without a margin"
    return _step(14, "power", rule, "pass" if evidence else "not_checkable", evidence or [UNJUDGED])


def variance(dossier: Dossier) -> Step:
    """Was anything run more than once?"""
    trials = dossier.run.spec.trials
    evidence = [f"{trials} trial{'s' * (trials != 1)} of each task under each condition"]
    if trials < 3:
        evidence.append(
            "from so few, the spread from run to run can't be told from that of the tasks: make no claim of reliability"
        )
    return _step(
        20, "variance", "three trials or more of each task", "pass" if trials >= 3 else "warn", evidence
    )


def cost(dossier: Dossier) -> Step:
    """What the run took."""
    evidence = []
    for study in dossier.studies:
        for agent in study.agents:
            bill = Bill({})
            for trial in study.trials:
                if trial.agent == agent:
                    bill.add(trial)
            evidence.append(
                f"{agent}: {bill.calls} calls, {bill.retries} retries, {_tokens(bill)}, {_waiting(bill)}"
            )
    rule = "calls, retries, tokens and time are recorded for every agent"
    step = _step(
        21, "cost", rule, "pass" if evidence else "not_checkable", evidence or ["nothing is recorded"]
    )
    return as_far_as_seen(dossier, step)


def _tokens(bill: Bill) -> str:
    if bill.uncounted and not (bill.prompt_tokens or bill.completion_tokens):
        return "tokens unknown"
    without = f" ({bill.uncounted} trials without a count)" if bill.uncounted else ""
    return f"{bill.prompt_tokens} + {bill.completion_tokens} tokens{without}"


def _waiting(bill: Bill) -> str:
    return (
        "waiting unknown" if bill.untimed and not bill.wall_ms else f"{bill.wall_ms / 1000:.1f} s of waiting"
    )


def limits(dossier: Dossier) -> Step:
    """Under what the run holds."""
    spec = dossier.run.spec
    who = f"simulator {_names(spec.simulators)}, judge {_names(spec.verifiers)}, fault plan {', '.join(one.name for one in spec.faults)}"
    evidence = [f"whatever is claimed holds under {who}, and no further"]
    if len(spec.simulators) == 1:
        evidence.append("there is one simulator: nothing is known of how the numbers change with another one")
    return _step(
        24,
        "limits",
        "what the claims hold under is stated",
        "warn" if len(spec.simulators) == 1 else "pass",
        evidence,
    )


def dates(dossier: Dossier) -> tuple[str, str]:
    """The first and the last moment of recording, "" where none is known."""
    first: list[datetime] = []
    last: list[datetime] = []
    for sight in dossier.listed:
        when = _time(sight.created)
        if when is not None:
            first.append(when)
            last.append(when + timedelta(milliseconds=sight.last_ms))
    return (
        (min(first).isoformat(timespec="seconds"), max(last).isoformat(timespec="seconds"))
        if first
        else ("", "")
    )


def _time(text: str) -> datetime | None:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return None


def _names(models: tuple[object, ...]) -> str:
    return ", ".join(str(getattr(model, "alias", "")) for model in models)


def _step(
    number: int,
    name: str,
    rule: str,
    outcome: StepOutcome,
    evidence: list[str],
    found: list[Finding] | None = None,
) -> Step:
    return Step(
        number=number,
        name=name,
        rule=rule,
        outcome=outcome,
        evidence=tuple(evidence),
        findings=tuple(found or ()),
    )
