"""From the runs of a library to studies: every planned trial with what its recording says, and whatever is odd.

What a trial came to is never taken from a ledger or a seal: it is derived from the answers. Nothing is counted twice
and nothing silently: a second recording of a trial, one under a wrong name, a verdict that no longer follows, a tied
vote and an error are findings. No scenario files, no network, no code of the run take part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, TypeVar

from replaylab.cassette.derived import Progress
from replaylab.engine.plan import keys as planned_keys
from replaylab.engine.plan import planned_count
from replaylab.errors import StoreError
from replaylab.schema.base import Frozen
from replaylab.schema.callpath import TrialKey
from replaylab.schema.cassette import Evidence, ScenarioFacts
from replaylab.schema.finding import Finding
from replaylab.schema.run import LedgerEntry, Run, RunSpec
from replaylab.schema.tombstone import Tombstone
from replaylab.score.counting import Counted, Held, count, without_gone
from replaylab.score.facts import CassetteFacts, RunRef, Study, Trial, TrialOutcome
from replaylab.score.reading import read_facts
from replaylab.store.library import Library
from replaylab.store.processes import uncollected
from replaylab.store.runs import created

_EVIDENCE: tuple[Evidence, ...] = ("recorded", "imported", "authored")
_OUTCOMES: dict[str, TrialOutcome] = {"pass": "pass", "fail": "fail", "error": "error", "none": "unjudged"}
_UNKNOWN = ScenarioFacts(id="?", name="?", industry="?", domain="?")
_WHAT = {"faults": "fault plan"}
Named = TypeVar("Named", bound=Frozen)


class _Asked(NamedTuple):
    """A run that is read. `age` orders runs, the newest last."""

    ref: RunRef
    run: Run
    age: tuple[object, ...]


def read_study(
    library: Library,
    runs: Sequence[str] = (),
    *,
    jobs: int = 1,
    progress: Progress = lambda done, planned: None,
    notice: Callable[[str], None] = lambda text: None,
    known: Mapping[str, CassetteFacts] | None = None,
) -> list[Study]:
    """One study for each kind of evidence in these runs (names, ids or their beginnings; the newest run for none).

    Trials come in plan order, run after run as asked for; a trial that two runs hold stands where it comes first. A
    missing trial belongs to the evidence of its run. `jobs` is a number of processes; nothing depends on it. `progress`
    is told of each file that is read, `notice` why what was read could not be kept for the next call. `known` are facts
    by cassette that take the place of reading anything.

    Raises UsageError for an unknown run, and StoreError for a cassette of a ledger that is missing or damaged. A file
    whose facts are known from an earlier call is not opened again.
    """
    with uncollected():
        asked = _asked(library, runs)
        gone = library.all_gone()
        keys: dict[str, list[str]] = {}
        for one in asked:
            for entry in one.run.ledger:
                for tried in entry.tries:
                    keys.setdefault(tried.cassette, []).append(entry.key)
        if known is None:
            read = read_facts(
                library, [name for name in keys if name not in gone], jobs=jobs, progress=progress
            )
            known = read.by_name
            if read.unsaved:
                notice(read.unsaved)
        return list(_studies(asked, _counted(asked, known, keys, gone)))


def _asked(library: Library, names: Sequence[str]) -> list[_Asked]:
    found: dict[str, _Asked] = {}
    for name in names or (None,):
        run_id, run = library.trial_run(name)
        ref = RunRef(
            name=run.name, run=run_id, created=run.created, mode=run.spec.mode, follows=tuple(run.follows)
        )
        age = (created(run, library.path(run_id, "run")), run.name, run_id)
        found.setdefault(run_id, _Asked(ref, run, age))
    return list(found.values())


def _counted(
    asked: Sequence[_Asked],
    facts: Mapping[str, CassetteFacts],
    keys: Mapping[str, Sequence[str]],
    gone: Mapping[str, Tombstone],
) -> dict[str, Counted]:
    """What counts for each planned trial, by key, in plan order."""
    holds: dict[str, list[Held]] = {}
    lost: dict[str, list[Finding]] = {}
    for one in asked:
        for entry in (*one.run.ledger, *_left_out(one.run)):
            left, findings = without_gone(one.ref.name, entry, gone)
            holds.setdefault(entry.key, []).append(Held(one.ref.run, one.ref.name, one.age, left))
            lost.setdefault(entry.key, []).extend(findings)
    found = {key: count(held, facts, keys) for key, held in holds.items()}
    return {key: one._replace(findings=(*lost[key], *one.findings)) for key, one in found.items()}


MOST = 10_000_000  # planned trials: a spec of a few lines can plan more than fits into memory


def _left_out(run: Run) -> Iterator[LedgerEntry]:
    """The trials that the spec plans and the ledger does not list: nobody may drop one by not listing it."""
    if planned_count(run.spec) > MOST:
        raise StoreError(
            f"the run {run.name} plans {planned_count(run.spec)} trials and lists {len(run.ledger)}",
            fix="`replaylab verify` says what else is wrong with it",
        )
    listed = {entry.key for entry in run.ledger}
    for key in map(str, planned_keys(run.spec)):
        if key not in listed:
            yield LedgerEntry(key=key, status="missing")


def _ledger(one: _Asked) -> Iterator[Finding]:
    """Where a ledger and the plan of its own spec differ."""
    planned, listed = (
        Counter(map(str, planned_keys(one.run.spec))),
        Counter(entry.key for entry in one.run.ledger),
    )
    for kind, keys, what in (
        ("left-out", planned - listed, "is planned and not in the ledger; it counts as missing"),
        (
            "not-planned",
            listed - planned,
            "is in the ledger and not planned, or is there twice; it counts once",
        ),
    ):
        for key in keys:
            yield Finding.of(kind, key, f"run {one.ref.name}: the trial {what}")


def _studies(asked: Sequence[_Asked], counted: Mapping[str, Counted]) -> Iterator[Study]:
    paths = {key: TrialKey.parse(key) for key in counted}
    scenarios: dict[str, ScenarioFacts] = {}
    for key, one in counted.items():
        if one.facts is not None:
            scenarios.setdefault(paths[key].task, one.facts.scenario)
    homes = _homes(asked, counted)
    trials: dict[Evidence, list[Trial]] = {}
    findings: dict[Evidence, list[Finding]] = {}
    for key, one in counted.items():
        evidence = homes[one.held.run] if one.facts is None else one.facts.evidence
        trials.setdefault(evidence, []).append(_trial(paths[key], one, scenarios))
        findings.setdefault(evidence, []).extend(one.findings)
    for evidence in _EVIDENCE:
        if evidence in trials:
            yield _study(asked, evidence, trials[evidence], findings[evidence])


def _homes(asked: Sequence[_Asked], counted: Mapping[str, Counted]) -> dict[str, Evidence]:
    """The kind of evidence that a run's missing trials belong to: the first of those that it holds."""
    kinds: dict[str, set[Evidence]] = {one.ref.run: set() for one in asked}
    for one in counted.values():
        if one.facts is not None:
            kinds[one.held.run].add(one.facts.evidence)
    return {
        run: next((kind for kind in _EVIDENCE if kind in held), "recorded") for run, held in kinds.items()
    }


def _trial(at: TrialKey, one: Counted, scenarios: Mapping[str, ScenarioFacts]) -> Trial:
    return Trial(
        run=one.held.run,
        key=one.held.entry.key,
        **at.condition._asdict(),
        task=at.task,
        trial=at.trial,
        outcome="missing" if one.facts is None else _OUTCOMES[one.facts.derived],
        scenario=scenarios.get(at.task, _UNKNOWN) if one.facts is None else one.facts.scenario,
        facts=one.facts,
        tries=len(one.held.entry.tries),
    )


def _study(
    asked: Sequence[_Asked], evidence: Evidence, trials: Sequence[Trial], findings: Sequence[Finding]
) -> Study:
    ours = {trial.run for trial in trials}
    runs = [one for one in asked if one.ref.run in ours]
    odd: list[Finding] = [finding for one in runs for finding in _ledger(one)]
    agents = _used("agent", runs, lambda spec: {one.alias: one for one in spec.agents}, trials, odd)
    simulators = _used(
        "simulator", runs, lambda spec: {one.alias: one for one in spec.simulators}, trials, odd
    )
    verifiers = _used("verifier", runs, lambda spec: {one.alias: one for one in spec.verifiers}, trials, odd)
    faults = _used("faults", runs, lambda spec: {one.name: one for one in spec.faults}, trials, odd)
    _used("task", runs, lambda spec: {one.task: one for one in spec.tasks}, trials, odd)
    return Study(
        runs=tuple(one.ref for one in runs),
        evidence=evidence,
        trials=tuple(trials),
        agents=agents,
        simulators=simulators,
        verifiers=verifiers,
        faults=faults,
        sim=next(iter(simulators)),
        judge=next(iter(verifiers)),
        clean="E0" if "E0" in faults else next(iter(faults)),
        findings=(*odd, *findings),
    )


def _used(
    what: str,
    runs: Sequence[_Asked],
    of: Callable[[RunSpec], dict[str, Named]],
    trials: Sequence[Trial],
    odd: list[Finding],
) -> dict[str, Named]:
    """What the trials name of the specs, in the order of the specs. One name for two things is odd: the newest counts."""
    used = {getattr(trial, what) for trial in trials}
    found: dict[str, list[tuple[tuple[object, ...], str, Named]]] = {}
    for one in runs:
        for name, thing in of(one.run.spec).items():
            if name in used:
                found.setdefault(name, []).append((one.age, one.ref.name, thing))
    for name, things in found.items():
        things.sort(key=lambda thing: thing[0])
        others = [run for _, run, thing in things if thing != things[-1][2]]
        if others:
            odd.append(
                Finding.of(
                    "other-settings",
                    f"{what} {name}",
                    f"the {_WHAT.get(what, what)} {name} is not the same in the runs {', '.join(others)} as in {things[-1][1]}; "
                    "their trials stand in one table under one name",
                )
            )
    return {name: things[-1][2] for name, things in found.items()}
