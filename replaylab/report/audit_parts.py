"""What every printing of an audit shares: its summary, and its assessments by what came of them."""

from __future__ import annotations

from replaylab.audit.value import Assessment, AuditReport, Outcome, Step, StepOutcome

OUTCOMES: tuple[Outcome, ...] = ("fails", "undecided", "holds")
TITLES: dict[Outcome, str] = {"fails": "Fails", "undecided": "Can't be decided", "holds": "Holds"}
BADGES: dict[Outcome, str] = {"fails": "fail", "undecided": "error", "holds": "pass"}
STEPS: dict[StepOutcome, str] = {
    "pass": "pass",
    "fail": "FAIL",
    "warn": "warn",
    "not_checkable": "not checkable",
}


MOST_FINDINGS = 5  # of one step; JSON has all of them


def summary(report: AuditReport) -> str:
    """One line: how the steps, the general checks and the claims ended."""
    told = []
    if report.steps:
        outcomes = [step.outcome for step in report.steps]
        counts = ", ".join(f"{outcomes.count(kind)} {word}" for kind, word in STEPS.items())
        told.append(f"{len(outcomes)} steps: {counts}")
    if report.assessments or not report.steps:
        told += [
            f"{name}: {_told([one for one in report.assessments if one.asked is asked])}"
            for name, asked in (("checks of every table", False), ("claims", True))
        ]
    return "; ".join(told)


def findings_of(step: Step) -> list[str]:
    """What a step found, a line each; many of them are counted."""
    lines = [f"{one.kind}: {one.message} ({one.where})" for one in step.findings[:MOST_FINDINGS]]
    left = len(step.findings) - len(lines)
    return [*lines, f"and {left} more like these"] if left else lines


def _told(assessments: list[Assessment]) -> str:
    counts = {name: sum(one.outcome == name for one in assessments) for name in OUTCOMES}
    if not assessments:
        return "none"
    return f"{counts['fails']} fail, {counts['undecided']} undecided, {counts['holds']} hold"


def parts(report: AuditReport, *, asked: bool) -> list[tuple[Outcome, list[Assessment]]]:
    """The assessments that were asked for, or not, by outcome; failures first, in the order of the file."""
    return [
        (outcome, found)
        for outcome in OUTCOMES
        if (found := [one for one in report.assessments if one.outcome == outcome and one.asked is asked])
    ]


def heading(one: Assessment) -> str:
    """What stands first: a claim's id and type, or the kind of a check and its place."""
    return f"{one.id} ({one.kind})" if one.asked else f"{one.kind}: {one.where}"


def place(one: Assessment) -> str:
    """Where the publication says it; a check's place stands in its heading."""
    return one.where if one.asked else ""
