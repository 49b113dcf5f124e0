"""Completeness, cherry-picking, coverage: every planned trial is there, and nothing was chosen afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from replaylab.audit.cells import listed, plural
from replaylab.audit.dossier import Dossier
from replaylab.audit.step import as_far_as_seen, decided
from replaylab.audit.value import Step, StepOutcome
from replaylab.engine.plan import keys, planned_count
from replaylab.schema.callpath import TrialKey
from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry, Run, Try
from replaylab.score.read import MOST


def completeness(dossier: Dossier) -> Step:
    """Is every planned trial there once, and its end what its recording says?"""
    run = dossier.run
    count = planned_count(run.spec)
    listed = Counter(entry.key for entry in run.ledger)
    found = [
        Finding.of("listed-twice", key, "more than once in the ledger")
        for key, count in listed.items()
        if count > 1
    ]
    found += _apart(run, count, listed)
    found += _missing(run)
    found += [
        finding for study in dossier.studies for finding in study.findings if finding.kind not in _ASIDE
    ]
    status = [entry.status for entry in run.ledger]
    evidence = [
        (
            f"{count} planned, {status.count('recorded')} recorded, {status.count('error')} ended in an error, "
            f"{status.count('missing')} missing"
        )
    ]
    evidence += _verdicts(dossier)
    step = decided(
        4,
        "completeness",
        "each planned trial is recorded once; errors and missing ones are listed and never a pass",
        evidence,
        found,
    )
    told = found and all(one.kind in ("missing", *_GONE) for one in found)
    return step.model_copy(update={"outcome": "warn"}) if told else step


def _apart(run: Run, count: int, listed: Iterable[str]) -> Iterator[Finding]:
    """Where plan and ledger part. A plan of more trials than any ledger holds is counted and not gone through."""
    ours = dict.fromkeys(listed)
    if count > MOST:
        message = f"the run plans {count:,} trials, and its ledger has {len(ours):,}; they were not compared one by one"
        yield Finding.of("not-listed", run.name, message, expected=count, observed=len(ours))
        return
    planned = dict.fromkeys(str(key) for key in keys(run.spec))
    for key in planned:
        if key not in ours:
            yield Finding.of("not-listed", key, "planned by the run, and not in its ledger")
    for key in ours:
        if key not in planned:
            yield Finding.of("not-planned", key, "in the ledger, and not planned by the run")


_ASIDE = ("error", "tied-vote")  # told by step 15 and by the counts


_GONE = ("gone", "purged", "redacted")  # on purpose, and said


def _missing(run: Run) -> Iterator[Finding]:
    for entry in run.ledger:
        if entry.status == "missing":
            yield Finding.of("missing", entry.key, "planned and not recorded: it counts as no pass")


def _verdicts(dossier: Dossier) -> list[str]:
    outcomes = [trial.outcome for study in dossier.studies for trial in study.trials]
    if not outcomes:
        return ["verdicts can't be derived: a cassette can't be read"]
    counts = [
        f"{outcomes.count(kind)} {kind}"
        for kind in ("pass", "fail", "error", "unjudged", "missing")
        if kind in outcomes
    ]
    return [f"verdicts derived again: {', '.join(counts)}"]


def picking(dossier: Dossier) -> Step:
    """Was a trial tried until it came out well, or an attempt left out?"""
    run = dossier.run
    found = list(_dropped(dossier))
    found += _repeated(run)
    found += [
        Finding.of(
            "unlisted",
            dossier.sights[name].key or name,
            f"recorded ({dossier.sights[name].verdict}) and in no ledger of this library",
            observed=name,
        )
        for name in dossier.unlisted
    ]
    found += [
        Finding.of(
            "run-beside",
            other,
            f"another run of the same {'name' if theirs.name == run.name else 'plan'}, {theirs.name!r}, that this one does not follow",
        )
        for other, theirs in dossier.beside.items()
    ]
    tries = sum(len(entry.tries) for entry in run.ledger)
    retried = sum(len(entry.tries) > 1 for entry in run.ledger)
    evidence = [
        f"{tries} tries of {len(run.ledger)} trials, {retried} tried more than once; the last one that did not end in an error counts",
        (
            f"{len(dossier.chain)} superseded run objects, {len(dossier.beside)} beside, {len(dossier.unlisted)} cassettes in no ledger, "
            f"{len(dossier.journals)} unfinished journals"
        ),
    ]
    evidence += _purged(dossier)
    step = decided(
        5,
        "no cherry-picking",
        "every attempt is in the ledger, and a rule fixed before says which one counts",
        evidence,
        found,
    )
    if any(stone.why == "purged" for stone in dossier.stones.values()):
        step = as_far_as_seen(dossier, step)
    if not found and not dossier.vouched:
        told = "a trial that was dropped or tried again before everything was sealed anew can't be told without a published run id or a signature"
        return step.model_copy(update={"outcome": "not_checkable", "evidence": (*step.evidence, told)})
    return step


def _purged(dossier: Dossier) -> Iterator[str]:
    """What the ledger says of purged tries: reasons are anybody's words, and only failures may have been purged."""
    said = [one.verdict for entry in dossier.run.ledger for one in entry.tries if _is_purged(dossier, one)]
    if said:
        counts = ", ".join(f"{count} {verdict}" for verdict, count in sorted(Counter(said).items()))
        yield f"purged, by the ledger: {counts}; whether they were chosen by how they ended can't be told"


def _is_purged(dossier: Dossier, one: Try) -> bool:
    stone = dossier.stones.get(one.cassette)
    return stone is not None and stone.why == "purged"


def _dropped(dossier: Dossier) -> Iterator[Finding]:
    """A ledger only grows: what an earlier run object lists, the later one lists too.

    Of two tries in which the same was asked and answered, `merge` takes one: that of another run object which it follows.
    """
    now = {entry.key: entry.tries for entry in dossier.run.ledger}
    listed_by = {
        name: {one.cassette for entry in earlier.ledger for one in entry.tries}
        for name, earlier in dossier.chain.items()
    }
    for name, earlier in dossier.chain.items():
        others = set[str]().union(*(theirs for other, theirs in listed_by.items() if other != name))
        for entry in earlier.ledger:
            kept = now.get(entry.key, ())
            names = {one.cassette for one in kept}
            alike = {one.outcome for one in kept if one.cassette in others}
            gone = [one for one in entry.tries if one.cassette not in names and one.outcome not in alike]
            for one in gone:
                message = f"an earlier run object lists a try of it ({one.verdict}) that this one does not"
                yield Finding.of(
                    "dropped-try", entry.key, message, expected=one.cassette, observed=f"run {name[:12]}"
                )


def _repeated(run: Run) -> Iterator[Finding]:
    for entry in run.ledger:
        if _tried_again(entry):
            said = ", ".join(one.verdict for one in entry.tries)
            yield Finding.of(
                "tried-again", entry.key, f"tried again though it had not ended in an error: {said}"
            )


def _tried_again(entry: LedgerEntry) -> bool:
    return any(one.verdict != "error" for one in entry.tries[:-1])


def coverage(dossier: Dossier) -> Step:
    """What the run covers, counted from its cassettes."""
    seen = [sight.facts.scenario for sight in dossier.counting if sight.facts]
    scenarios, industries = {one.id for one in seen}, {one.industry for one in seen}
    planned = {one.task for one in dossier.run.spec.tasks}
    tasks = [(TrialKey.parse(entry.key).task, entry.status) for entry in dossier.run.ledger]
    in_ledger = {task for task, _ in tasks}
    ended = {task for task, status in tasks if status == "recorded"}
    unknown = sorted(planned & in_ledger - ended)
    found = [
        Finding.of("task-missing", task, "a planned task that the ledger has no trial of")
        for task in sorted(planned - in_ledger)
    ]
    evidence = [
        f"{plural(len(planned), 'task')} of {plural(len(scenarios), 'scenario')} in {plural(len(industries), 'industry', 'industries')}: {', '.join(sorted(industries)) or 'none'}",
        "compare it with what is claimed: a claims file can state it (type: scope)",
    ]
    step = decided(6, "coverage", "each planned task has a recorded trial", evidence, found)
    if unknown:
        told = f"every trial of {listed(unknown, 8)} is missing or ended in an error: of {'it' if len(unknown) == 1 else 'these'} nothing is known"
        outcome: StepOutcome = "fail" if found else "warn"
        step = step.model_copy(update={"evidence": (*step.evidence, told), "outcome": outcome})
    return as_far_as_seen(dossier, step)
