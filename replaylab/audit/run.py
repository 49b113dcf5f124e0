"""The audit of a run: the 25 steps of the checklist over what its library knows of it."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.audit.check import ALONE as ALONE_NOTICES
from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_evidence
from replaylab.audit.steps.files import identity, integrity, isolation, provenance, reexecution
from replaylab.audit.steps.judging import judge, rejudged
from replaylab.audit.steps.ledger import completeness, coverage, picking
from replaylab.audit.steps.models import contamination, drift
from replaylab.audit.steps.rates import cost, limits, power, trivial, uncertainty, variance
from replaylab.audit.steps.worlds import faults, simulator, solvability
from replaylab.audit.value import Assessment, AuditReport, Outcome, Step, StepOutcome
from replaylab.canonical import digest

ALONE = (
    identity, integrity, provenance, completeness, picking, coverage, reexecution, isolation, trivial, uncertainty,
    power, judge, rejudged, simulator, faults, drift, variance, cost, contamination, solvability, limits,
)  # fmt: skip
WITH_CLAIMS = (
    (10, "table rebuild", "every published cell is what the recordings give"),
    (11, "internal consistency", "the published numbers agree with each other"),
    (13, "claims", "every published sentence is supported"),
)
# What general checks tell a reader and can't decide by their nature: these leave no published number open.
TOLD_ONLY = frozenset({"rounding_rule", "digits", "exact_tie", "rebuild_rows"})
NO_CLAIMS = "no published table or sentence was given (--claims FILE)"


def report_of(dossier: Dossier, claimed: AuditReport | None = None) -> AuditReport:
    """The report on a run; with `claimed`, what was found of its published tables and claims too."""
    steps = audit_run(dossier, claim_steps(claimed) if claimed else ())
    run = dossier.run
    notices = (
        [f"This run is {run.evidence}: nobody recorded it, and it is no evidence."]
        if run.evidence != "recorded"
        else []
    )
    programs = {alias for alias, player in run.players.items() if player == "program"}
    notices += [f"Played by programs, not LLMs: {', '.join(sorted(programs))}."] if programs else []
    own = {alias for alias, player in run.players.items() if player == "own"}
    notices += [f"Agents of the author's own, which may ask LLMs: {', '.join(sorted(own))}."] if own else []
    made = claimed or AuditReport(title=f"Run {run.name}")
    return made.model_copy(
        update={
            "title": f"Run {run.name}: {claimed.title}" if claimed else f"Run {run.name}",
            "runs": (*made.runs, dossier.run_id),
            "steps": steps,
            "notices": (*notices, *(one for one in made.notices if one not in ALONE_NOTICES)),
        }
    )


def claim_steps(claimed: AuditReport) -> tuple[Step, ...]:
    """Steps 10, 11 and 13: how the tables that were made anew, the checks of every table and the claims came out."""
    parts: tuple[list[Assessment], ...] = ([], [], [])
    for one in claimed.assessments:
        parts[2 if one.asked else 0 if one.kind.startswith("rebuild") else 1].append(one)
    return tuple(_claim_step(*step, found) for step, found in zip(WITH_CLAIMS, parts, strict=True))


def _claim_step(number: int, name: str, rule: str, found: Sequence[Assessment]) -> Step:
    outcomes = [one.outcome for one in found]
    open_ = any(one.outcome == "undecided" and (one.asked or one.kind not in TOLD_ONLY) for one in found)
    outcome: StepOutcome = (
        "fail" if "fails" in outcomes else "pass" if "holds" in outcomes and not open_ else "not_checkable"
    )
    if not found:
        why = (
            "the claims file names no table that recordings give (rebuilds: …)"
            if number == WITH_CLAIMS[0][0]
            else "nothing to look at"
        )
        return Step(number=number, name=name, rule=rule, outcome=outcome, evidence=(why,))
    told = ", ".join(f"{outcomes.count(kind)} {words}" for kind, words in _WORDS.items())
    return Step(number=number, name=name, rule=rule, outcome=outcome, evidence=(told,))


_WORDS: dict[Outcome, str] = {"holds": "hold", "fails": "fail", "undecided": "can't be decided"}


def audit_run(dossier: Dossier, claims: Sequence[Step] = ()) -> tuple[Step, ...]:
    """All 25 steps in order. `claims` are steps 10, 11 and 13 where a claims file was checked."""
    given = {step.number: step for step in claims}
    steps = [as_evidence(dossier, step(dossier)) for step in ALONE]
    steps += [
        given.get(
            number, Step(number=number, name=name, rule=rule, outcome="not_checkable", evidence=(NO_CLAIMS,))
        )
        for number, name, rule in WITH_CLAIMS
    ]
    steps.sort(key=lambda step: step.number)
    steps.append(_again(steps))
    return tuple(steps)


def _again(steps: Sequence[Step]) -> Step:
    """A digest over all other steps: whoever audits the same files gets the same one."""
    made = digest({"v": "audit/1", "steps": [step.to_json() for step in steps]})
    return Step(
        number=25,
        name="re-audit",
        rule="the same files give the same report, byte for byte",
        outcome="pass",
        evidence=(f"audit digest {made}: compare it with that of another audit of the same run",),
    )
