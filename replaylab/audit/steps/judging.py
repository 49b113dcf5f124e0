"""The judge, and how much hangs on it."""

from __future__ import annotations

from replaylab.audit.dossier import Dossier
from replaylab.audit.value import Step
from replaylab.schema.finding import Finding
from replaylab.schema.model import UNKNOWN, played_by
from replaylab.score.votes import ballots

_KINDS = {"llm": "an LLM", "program": "a program", "human": "a human", UNKNOWN: "not named by the source"}


def judge(dossier: Dossier) -> Step:
    """Who judged, how often votes parted or gave no answer, and whether anybody judged themselves."""
    spec, evidence, found = dossier.run.spec, [], []
    rule = "the judge is neither agent nor simulator; votes without an answer are not counted as failures; a sample was judged by people"
    if spec.judged_by == "checks":
        evidence.append("no votes: the task's checks, a program, decide")
    for study in dossier.studies:
        votes = ballots(study.trials)
        if votes.rows:
            evidence.append(
                f"{votes.votes} votes on {len(votes.rows)} trials: {votes.split} trials split, {votes.tied} tied, {votes.errors} votes without a valid answer"
            )
        evidence += [f"{count} trials without votes: {why}" for why, count in votes.silent.items()]
    models = {
        (one.model, one.player): one.alias
        for one in (*spec.agents, *spec.simulators)
        if played_by(one) == "llm"
    }
    for one in spec.verifiers:
        if (one.model, one.player) in models:
            found.append(
                Finding.of(
                    "judges-itself",
                    one.alias,
                    f"the judge is the model of {models[one.model, one.player]}",
                    observed=one.model,
                )
            )
        evidence.append(
            f"{one.alias} is {_KINDS[played_by(one)]}"
            + ("; it runs the task's checks and judges nothing else" if one.player == "program" else "")
        )
    evidence.append(
        "nobody compared the verdicts with those of people: how often the judge errs is not known"
    )
    return Step(
        number=15, name="judge", rule=rule, outcome="warn", evidence=tuple(evidence), findings=tuple(found)
    )


def rejudged(dossier: Dossier) -> Step:
    """How many verdicts another judge turned, where one was asked."""
    rule = "with another judge or other votes no headline order changes"
    evidence, turned = [], 0
    ours = {
        (entry.key.split("/", 1)[1], _without_judge(entry.key)): entry.counting.verdict
        for entry in dossier.run.ledger
        if entry.counting
    }
    for other in dossier.rejudged.values():
        both = flips = 0
        for entry in other.ledger:
            mine = ours.get((entry.key.split("/", 1)[1], _without_judge(entry.key)))
            if entry.counting and mine in ("pass", "fail") and entry.counting.verdict in ("pass", "fail"):
                both += 1
                flips += entry.counting.verdict != mine
        turned += flips
        evidence.append(f"run {other.name}: {flips} of {both} verdicts come out otherwise")
    if not evidence:
        return Step(number=16, name="judge robustness", rule=rule, outcome="not_checkable",
                    evidence=("no other judge was asked (replay --swap verifier=NAME does)",))  # fmt: skip
    return Step(
        number=16,
        name="judge robustness",
        rule=rule,
        outcome="warn" if turned else "pass",
        evidence=tuple(evidence),
    )


def _without_judge(key: str) -> tuple[str, ...]:
    agent, simulator, _, faults = key.split("/", 1)[0].split(",")
    return agent, simulator, faults
