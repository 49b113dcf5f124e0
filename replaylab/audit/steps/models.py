"""Drift of the models during the recording, and contamination."""

from __future__ import annotations

from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_far_as_seen, decided
from replaylab.audit.steps.rates import dates
from replaylab.audit.value import Step
from replaylab.schema.callpath import TrialKey
from replaylab.schema.finding import Finding


def drift(dossier: Dossier) -> Step:
    """Did the same model answer all the time, in the order of time, under one frozen clock?"""
    found = [finding for sight in dossier.listed for finding in sight.disorder]
    evidence = []
    first, last = dates(dossier)
    if first:
        evidence.append(f"recorded from {first} to {last}")
    for role in ("agent", "simulator", "verifier"):
        names: dict[str, dict[str, None]] = {}
        prints: dict[str, dict[str, None]] = {}
        for sight in dossier.listed:
            if not sight.key or role not in sight.answered:
                continue
            alias = getattr(TrialKey.parse(sight.key).condition, role)
            names.setdefault(alias, {}).update(dict.fromkeys(sight.answered[role].models))
            prints.setdefault(alias, {}).update(dict.fromkeys(sight.answered[role].fingerprints))
        for alias, models in sorted(names.items()):
            told = ", ".join(models)
            marks = prints.get(alias, {})
            evidence.append(
                f"{role} {alias}: {told} answered"
                + (f", {len(marks)} fingerprint{'s' * (len(marks) != 1)}" if marks else "")
            )
            if len(models) > 1:
                found.append(
                    Finding.of(
                        "model-changed",
                        f"{role} {alias}",
                        "more than one model answered in its name",
                        observed=told,
                    )
                )
            if len(marks) > 1:
                found.append(
                    Finding.of(
                        "fingerprint-changed",
                        f"{role} {alias}",
                        "the server's fingerprint changed during the run",
                        observed=", ".join(marks),
                    )
                )
    found += _clocks(dossier)
    step = decided(
        19,
        "drift",
        "one model and fingerprint a name, times in order, one frozen clock an environment",
        evidence,
        found,
    )
    if dossier.listed and step.outcome == "pass" and not any(sight.answered for sight in dossier.listed):
        nobody = (*step.evidence, "no model answered, so there was nothing to compare")
        step = step.model_copy(update={"evidence": nobody, "outcome": "not_checkable"})
    return as_far_as_seen(dossier, step)


def _clocks(dossier: Dossier) -> list[Finding]:
    by_task: dict[str, dict[str, str]] = {}
    for sight in dossier.listed:
        if sight.key:
            by_task.setdefault(TrialKey.parse(sight.key).task, {}).setdefault(sight.clock, sight.key)
    return [
        Finding.of(
            "clock", task, "its trials were given different clocks", observed=", ".join(sorted(clocks))
        )
        for task, clocks in sorted(by_task.items())
        if len(clocks) > 1
    ]


def contamination(dossier: Dossier) -> Step:
    """Could a model have seen the tasks before?"""
    rule = "a public and a hidden part, a canary string, data newer than the models"
    evidence = (
        "nothing in a recording says whether a model was trained on these tasks; look for a canary string in the scenario's page",
    )
    return Step(number=22, name="contamination", rule=rule, outcome="not_checkable", evidence=evidence)
