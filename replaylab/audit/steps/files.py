"""Identity, integrity, provenance, re-execution, isolation: the files are what was recorded, and they play again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_far_as_seen, decided
from replaylab.audit.value import Step
from replaylab.schema.finding import Finding
from replaylab.schema.model import ModelSettings, played_by
from replaylab.schema.outcome import run_outcome

HIDDEN = "Whoever seals everything anew leaves no trace in the files"


def identity(dossier: Dossier) -> Step:
    """Is this the run that was published?"""
    run = dossier.run
    engines = sorted({f"{one.engine.replaylab}, parser {one.engine.parser}" for one in dossier.listed})
    evidence = [
        f"run id {dossier.run_id}",
        f"{len(run.spec.tasks)} tasks and {len(run.spec.prompts)} prompts named by digest",
        *(f"recorded with replaylab {engine}" for engine in engines),
    ]
    rule = "the run id is the published one, or a signature is over it; tasks, prompts and engine are named by digest or version"
    found = [*_published(dossier), *_signed(dossier)]
    if found or dossier.vouched:
        evidence += ["it is the published run id"] if dossier.run_id == dossier.expected else []
        signature = dossier.signature
        evidence += (
            [f"signed with the key {signature.key}"] if signature and signature.finding is None else []
        )
        return decided(1, "identity", rule, evidence, found)
    evidence.append(
        f"no published run id (--run-id) and no signature (--key) was given. {HIDDEN}: only these show it"
    )
    return Step(number=1, name="identity", rule=rule, outcome="not_checkable", evidence=tuple(evidence))


def _published(dossier: Dossier) -> Iterator[Finding]:
    expected = dossier.expected
    if expected and dossier.run_id != expected:
        earlier = expected in dossier.chain
        what = "it follows the published run, which is a superseded state of it" if earlier else "another run"
        message = f"not the published run id: {what}"
        yield Finding.of(
            "published-id", dossier.run.name, message, expected=expected, observed=dossier.run_id
        )


def _signed(dossier: Dossier) -> Iterator[Finding]:
    if dossier.signature is not None and dossier.signature.finding is not None:
        yield dossier.signature.finding


def integrity(dossier: Dossier) -> Step:
    """Does every file hold what its name says, and does all that is said twice agree?"""
    sights = dossier.listed
    found = [finding for sight in sights for finding in sight.findings]
    found += dossier.run_findings
    found += dossier.index_findings
    found += [
        Finding.of("run-gone", name, "a run object that this run follows is not in the library")
        for name in dossier.gone
    ]
    bad = sum(bool(sight.findings) for sight in sights)
    evidence = [
        f"{len(sights)} cassettes with {sum(sight.interactions for sight in sights)} interactions computed again, {bad} do not hold",
        f"{len(dossier.chain)} earlier run objects followed, {len(dossier.gone)} of them gone",
    ]
    step = decided(
        2, "integrity", "every digest, count and verdict follows from the recorded bytes", evidence, found
    )
    return as_far_as_seen(dossier, step)


def provenance(dossier: Dossier) -> Step:
    """Is it said who played, when, with which parameters, and how the recording came about?"""
    run = dossier.run
    kinds = Counter(sight.evidence for sight in dossier.listed)
    found = [
        Finding.of(
            "not-recorded",
            sight.key or sight.cassette,
            f"the cassette is {sight.evidence}: nobody recorded it here",
        )
        for sight in dossier.listed
        if sight.evidence != "recorded"
    ]
    # What was judged or simulated anew from lanes that nobody recorded says so in its run object alone.
    if run.evidence != "recorded" and not found:
        message = f"the run is {run.evidence}: what it rests on was not recorded"
        found.append(Finding.of("not-recorded", run.name, message))
    found += [
        Finding.of("no-date", sight.key, "the cassette does not say when it was recorded")
        for sight in dossier.listed
        if sight.interactions and not sight.created
    ]
    models = (*run.spec.agents, *run.spec.simulators, *run.spec.verifiers)
    evidence = [f"{count} cassettes {kind}" for kind, count in sorted(kinds.items())]
    evidence += [_who(model) for model in {one.alias: one for one in models}.values()]
    step = decided(
        3, "provenance", "every cassette was recorded, and says from whom, when and how", evidence, found
    )
    return as_far_as_seen(dossier, step)


def _who(model: ModelSettings) -> str:
    what = "program, not an LLM" if model.player == "program" else played_by(model)
    asked = ", ".join(f"{key} {value}" for key, value in sorted(model.sampling.items()))
    return f"{model.alias}: {what}, model {model.model}" + (f", {asked}" if asked else "")


def reexecution(dossier: Dossier) -> Step:
    """Does the engine ask and conclude the same again?"""
    sights = dossier.listed
    found = [finding for sight in sights for finding in sight.diverged]
    outcomes = {
        entry.key: entry.counting and dossier.sights[entry.counting.cassette].replayed
        for entry in dossier.run.ledger
        if entry.counting is None or entry.counting.cassette in dossier.sights
    }
    again = run_outcome(
        dossier.run.spec.to_json(), {key: outcome or None for key, outcome in outcomes.items()}
    )
    if (
        not found
        and not dossier.stones
        and again != dossier.run.outcome
        and not any(sight.findings for sight in sights)
    ):
        found.append(
            Finding.of(
                "outcome",
                dossier.run.name,
                "the replayed trials give another run outcome",
                expected=dossier.run.outcome,
                observed=again,
            )
        )
    same = sum(bool(sight.replayed) for sight in sights)
    evidence = [
        f"{same} of {len(sights)} cassettes replayed to the same requests, trajectory and verdict, without a network"
    ]
    step = decided(
        7,
        "re-execution",
        "offline, every request, trajectory and verdict comes out the same",
        evidence,
        found,
    )
    return as_far_as_seen(dossier, step)


def isolation(dossier: Dossier) -> Step:
    """Was something hidden told to the agent?"""
    found = [finding for sight in dossier.listed for finding in sight.leaks]
    evidence = [
        (
            f"the system and user messages of {len(dossier.listed)} agents searched for sentences of rubric, reference plan, "
            "initial state and environment prompt"
        )
    ]
    step = decided(8, "isolation", "the agent was told nothing of rubric, plan and state", evidence, found)
    return as_far_as_seen(dossier, step)
