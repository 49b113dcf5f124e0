"""How most steps of the checklist are made: they pass without findings and fail with any."""

from __future__ import annotations

from collections import Counter

from replaylab.audit.dossier import Dossier
from replaylab.audit.value import Step
from replaylab.schema.finding import Finding


def decided(number: int, name: str, rule: str, evidence: list[str], findings: list[Finding]) -> Step:
    """A step that passes without findings and fails with any."""
    return Step(
        number=number,
        name=name,
        rule=rule,
        outcome="fail" if findings else "pass",
        evidence=tuple(evidence),
        findings=tuple(findings),
    )


def as_far_as_seen(dossier: Dossier, step: Step) -> Step:
    """The step as it is where all cassettes of the ledger were looked at. Of what is gone on purpose, or where there is
    nothing to look at, no step says pass: what it found stays, and without findings nothing is decided.
    """
    told = []
    if dossier.stones:
        kinds = Counter(stone.why for stone in dossier.stones.values())
        gone = ", ".join(f"{count} {why}" for why, count in sorted(kinds.items()))
        are = "cassette is" if len(dossier.stones) == 1 else "cassettes are"
        told.append(f"{gone} {are} no longer here: what the ledger says of that can't be decided")
    elif not dossier.listed:
        told.append("no cassette is in the ledger, so there was nothing to look at")
    if not told:
        return step
    outcome = "not_checkable" if step.outcome == "pass" else step.outcome
    return step.model_copy(update={"evidence": (*step.evidence, *told), "outcome": outcome})


# Steps that say something of the models, the tasks or the recording, and not of the files alone.
OF_WHAT_HAPPENED = frozenset({6, 9, 12, 14, 16, 17, 18, 19, 20, 21, 23, 24})


def as_evidence(dossier: Dossier, step: Step) -> Step:
    """The step as it is where everything was recorded. What somebody wrote down or brought along proves nothing of what
    happened: no such step passes over it.
    """
    kinds = {dossier.run.evidence, *(sight.evidence for sight in dossier.listed)} - {"recorded"}
    if not kinds or step.number not in OF_WHAT_HAPPENED or step.outcome != "pass":
        return step
    told = f"{' and '.join(sorted(kinds))}, not recorded: it is no evidence of what happened"
    return step.model_copy(update={"evidence": (*step.evidence, told), "outcome": "not_checkable"})
