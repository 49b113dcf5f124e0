"""The simulator against its contract, the faults that were met, and whether the tasks can be solved."""

from __future__ import annotations

from collections import Counter

from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_far_as_seen, decided
from replaylab.audit.value import Step
from replaylab.schema.finding import Finding
from replaylab.schema.violation import KINDS


def simulator(dossier: Dossier) -> Step:
    """How often the simulator broke its contract, of the calls that could be checked."""
    rule = "the rate of contract violations is known, with its coverage; a second simulator was compared"
    calls, checkable, kinds = 0, 0, Counter[str]()
    for sight in dossier.counting:
        if sight.checked is None:
            continue
        calls += sight.checked.calls
        report = sight.checked.report
        checkable += report.coverage.checkable
        kinds.update(one.kind for one in report.findings)
    evidence = [
        f"{sum(kinds.values())} violations ({', '.join(f'{kind} {kinds[kind]}' for kind in KINDS)}); {checkable} of {calls} calls could be checked for anything"
    ]
    if not checkable:
        evidence.append("no findings without coverage mean nothing")
        return Step(number=17, name="simulator", rule=rule, outcome="not_checkable", evidence=tuple(evidence))
    others = [run.name for run in dossier.lockstep.values()]
    evidence.append(
        f"lockstep with another simulator: {', '.join(others)} (`replaylab diff` compares)"
        if others
        else "no other simulator answered the same calls (replay --swap sim=NAME)"
    )
    step = Step(
        number=17,
        name="simulator",
        rule=rule,
        outcome="warn" if kinds or not others else "pass",
        evidence=tuple(evidence),
    )
    return as_far_as_seen(dossier, step)


def faults(dossier: Dossier) -> Step:
    """Were the planned faults met, and none where none was planned?"""
    rule = "every fault that came due was delivered as planned, and none under a clean plan"
    found: list[Finding] = []
    by_plan: dict[str, Counter[str]] = {}
    for sight in dossier.counting:
        facts = sight.facts
        if facts is None:
            continue
        tally = by_plan.setdefault(facts.faults.name, Counter[str]())
        tally.update(
            trials=1, planned=facts.faulted.planned, delivered=facts.faulted.delivered,
            not_due=facts.faulted.not_due, nothing_to_hit=facts.faulted.nothing_to_hit,
        )  # fmt: skip
        if not facts.faults.count and facts.faulted.calls_hit:
            found.append(Finding.of("fault-in-clean", sight.key, "a fault in a trial that was to have none"))
        if facts.faults.mode == "prompt" and facts.faults.count:
            tally.update(asked=1)
    evidence = [
        f"{name}: {one['trials']} trials, {one['planned']} faults planned, {one['delivered']} delivered, {one['not_due']} not due before the end, "
        f"{one['nothing_to_hit']} with nothing to hit" + (f"; in {one['asked']} the simulator was asked to inject them, and nobody logged what it did" if one["asked"] else "")
        for name, one in by_plan.items()
    ]  # fmt: skip
    step = decided(18, "faults", rule, evidence or ["nothing is recorded"], found)
    return as_far_as_seen(dossier, step)


def solvability(dossier: Dossier) -> Step:
    """Is there a recorded way to solve each task?"""
    tasks = [one.task for one in dossier.run.spec.tasks]
    solved = {trial.task for study in dossier.studies for trial in study.trials if trial.outcome == "pass"}
    never = [task for task in tasks if task not in solved]
    evidence = [f"{len(tasks) - len(never)} of {len(tasks)} tasks were solved in this run at least once"]
    if never:
        evidence.append(
            f"never solved here: {', '.join(never[:20])}{' …' if len(never) > 20 else ''}; whether they can be is not shown by this run"
        )
    return Step(
        number=23,
        name="solvability",
        rule="each task has a trial that passed",
        outcome="not_checkable" if never else "pass",
        evidence=tuple(evidence),
    )
