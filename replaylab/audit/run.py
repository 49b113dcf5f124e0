"""The audit of a run: the 25 steps of the checklist over what its library knows of it."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.audit.dossier import Dossier
from replaylab.audit.step import Step
from replaylab.audit.steps.files import identity, integrity, isolation, provenance, reexecution
from replaylab.audit.steps.judging import judge, rejudged
from replaylab.audit.steps.ledger import completeness, coverage, picking
from replaylab.audit.steps.models import contamination, drift
from replaylab.audit.steps.rates import cost, limits, power, trivial, uncertainty, variance
from replaylab.audit.steps.worlds import faults, simulator, solvability
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
NO_CLAIMS = "no published table or sentence was given (--claims FILE)"


def audit_run(dossier: Dossier, claims: Sequence[Step] = ()) -> tuple[Step, ...]:
    """All 25 steps in order. `claims` are steps 10, 11 and 13 where a claims file was checked."""
    given = {step.number: step for step in claims}
    steps = [step(dossier) for step in ALONE]
    steps += [
        given.get(
            number, Step(number=number, name=name, rule=rule, outcome="undecided", evidence=(NO_CLAIMS,))
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
