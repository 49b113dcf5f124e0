"""Which recordings answer the same: trials in lockstep with one they were made from, else equal trials under several simulators."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from replaylab.cassette.stored import open_cassette
from replaylab.errors import StoreError
from replaylab.schema.callpath import TrialKey
from replaylab.schema.cassette import ORIGIN, key_of
from replaylab.schema.difference import Manner
from replaylab.schema.run import LedgerEntry, Run
from replaylab.store.library import Library

OWN: Manner = "lockstep/own"
RECORDED: Manner = "lockstep/recorded"
ALIGNED: Manner = "aligned"
Named = tuple[str, Run]
_Same = tuple[str, str, str, int]  # agent, fault plan, task and number: what equal trials have in common
ALONE = "recorded under one of these simulators only"
AGAIN = "another recording of the same trial is compared"
MISSING = "planned and not recorded"


@dataclass(frozen=True)
class Source:
    """One simulator's recording of a trial. `lane` is where its answers are; `verdict` what was judged of the trial."""

    simulator: str
    run: str
    key: TrialKey
    cassette: str
    lane: str = "simulator"
    verdict: str = "none"


@dataclass(frozen=True)
class Group:
    """The recordings that are compared as one. `again` are recordings that put the same calls to the same simulator."""

    manner: Manner
    sources: tuple[Source, ...]
    again: dict[str, Source] = field(default_factory=dict)


@dataclass(frozen=True)
class Pairing:
    """What is compared, from which runs, and what is not, by reason."""

    groups: tuple[Group, ...]
    runs: dict[str, str]
    skipped: dict[str, int]


def family(library: Library, runs: Sequence[Named]) -> list[Named]:
    """These runs with those that they were made from, and with every run of the library that was put their calls."""
    found: dict[str, Named] = {run_id: (run_id, run) for run_id, run in runs}
    for _, run in runs:
        base = run.spec.swapped
        if base and base not in found and library.has(base, "run"):
            found[base] = (base, library.read_run(base))
    bases = {one for run_id, run in found.values() for one in _lineage(library, run_id, run)}
    others: list[Named] = [
        (target, library.read_run(target)) for target in library.refs().values() if target not in found
    ]
    swapped = [one for one in others if one[1].spec.swapped in bases and is_lockstep(one[1])]
    # What was named comes first, then the newest.
    newest = sorted(swapped, key=lambda one: (one[1].created, one[1].name), reverse=True)
    return [*found.values(), *newest]


def is_lockstep(run: Run) -> bool:
    """Whether a run put recorded calls to another simulator."""
    return run.spec.mode.startswith("lockstep/")


def _lineage(library: Library, run_id: str, run: Run) -> Iterator[str]:
    """A run and those that it went on from: a swap names the one that was the newest at its time."""
    todo, done = [(run_id, run)], set()
    while todo:
        one_id, one = todo.pop()
        if one_id not in done:
            done.add(one_id)
            yield one_id
            todo += [(name, library.read_run(name)) for name in one.follows if library.has(name, "run")]


def simulators_of(runs: Iterable[Named]) -> list[str]:
    """The simulators of runs; those that trials were recorded with come before those that were put their calls."""
    ordered = sorted(runs, key=lambda one: (one[1].created, one[1].name) if is_lockstep(one[1]) else ("", ""))
    return list(dict.fromkeys(one.alias for _, run in ordered for one in run.spec.simulators))


def all_simulators(library: Library, runs: Sequence[Named]) -> list[str]:
    """The simulators of a family, with the original of a run in lockstep whose own run is elsewhere."""
    ids = {one for run_id, run in runs for one in _lineage(library, run_id, run)}
    found = []
    for _, run in runs:
        tries = [entry.counting for entry in run.ledger if entry.counting]
        if is_lockstep(run) and run.spec.swapped not in ids and tries:
            found.append(open_cassette(library, tries[0].cassette).header.players[ORIGIN].alias)
    return list(dict.fromkeys([*found, *simulators_of(runs)]))


def pair_up(library: Library, runs: Sequence[Named], sims: Sequence[str]) -> Pairing:
    """Group the trials of a family of runs. Lockstep comes first: a trial that is in one is not aligned as well."""
    skipped: Counter[str] = Counter()
    wanted = tuple(sims)
    missing = _missing(runs, wanted)
    locked = _lockstep(library, runs, wanted, skipped)
    plain = [one for one in runs if one[1].spec.mode == "run"]
    done = {_same_trial(group.sources[0].key) for group in locked}
    aligned = _aligned(plain, wanted, done, missing, skipped)
    skipped[MISSING] = len(missing)
    groups = (*locked, *aligned)
    used = {source.run for group in groups for source in (*group.sources, *group.again.values())}
    names = {run.name: run_id for run_id, run in runs if run.name in used}
    return Pairing(groups, names, dict(sorted((why, number) for why, number in skipped.items() if number)))


def _same_trial(key: TrialKey) -> _Same:
    return key.condition.agent, key.condition.faults, key.task, key.trial


def _missing(runs: Sequence[Named], wanted: tuple[str, ...]) -> set[_Same]:
    """The trials that lack a recording of one of the simulators at least, each once however many it lacks."""
    names = wanted or tuple(simulators_of(runs))
    here: dict[bool, set[tuple[_Same, str]]] = {True: set(), False: set()}
    for _, run in runs:
        for entry in run.ledger:
            key = TrialKey.parse(entry.key)
            here[entry.counting is not None].add((_same_trial(key), key.condition.simulator))
    return {same for same, simulator in here[False] - here[True] if simulator in names}


# ---------------------------------------------------------------------------------------- lockstep


@dataclass
class _Locked:
    """All that answered the calls of one recorded trial."""

    origin: Source
    answers: dict[tuple[str, str], Source] = field(default_factory=dict)


def _lockstep(
    library: Library, runs: Sequence[Named], wanted: tuple[str, ...], skipped: Counter[str]
) -> list[Group]:
    trials: dict[str, _Locked] = {}
    for _, run in runs:
        if is_lockstep(run):
            _collect(library, run, trials, skipped)
    groups = [group for trial in trials.values() if (group := _group(trial, wanted))]
    for group in groups:
        for name in set(wanted) - {source.simulator for source in group.sources}:
            skipped[f"{name} was not put the same calls"] += 1
    return groups


def _collect(library: Library, run: Run, trials: dict[str, _Locked], skipped: Counter[str]) -> None:
    origins = _origins(library, run)
    for entry in run.ledger:
        if entry.counting is None:
            continue
        source = _source(run, entry)
        key = _original(origins, source.key)
        origin = origins.get(str(key)) if key else None
        if origin is None:
            origin = _copied(library, source)
        trial = trials.setdefault(origin.cassette, _Locked(origin))
        place = (source.simulator, run.spec.mode)
        if place in trial.answers:
            skipped[AGAIN] += 1
        else:
            trial.answers[place] = source


def _origins(library: Library, run: Run) -> dict[str, Source]:
    """The recordings whose calls a run was put, by key; none where that run is not here."""
    base = run.spec.swapped
    if base is None or not library.has(base, "run"):
        return {}
    before = library.read_run(base)
    return {entry.key: _source(before, entry) for entry in before.ledger if entry.counting}


def _original(origins: dict[str, Source], key: TrialKey) -> TrialKey | None:
    first = next(iter(origins.values()), None)
    if first is None:
        return None
    return key._replace(condition=key.condition._replace(simulator=first.simulator))


def _copied(library: Library, source: Source) -> Source:
    """The original out of a cassette in lockstep itself, which holds its lane: the run it was made from is elsewhere."""
    header = open_cassette(library, source.cassette).header
    alias = header.players[ORIGIN].alias
    key = key_of(header)
    before = key._replace(condition=key.condition._replace(simulator=alias))
    return Source(alias, source.run, before, source.cassette, ORIGIN)


def _source(run: Run, entry: LedgerEntry) -> Source:
    key = TrialKey.parse(entry.key)
    if entry.counting is None:
        raise StoreError(f"no try of {entry.key} counts")
    return Source(
        key.condition.simulator, run.name, key, entry.counting.cassette, verdict=entry.counting.verdict
    )


def _group(trial: _Locked, wanted: tuple[str, ...]) -> Group | None:
    """One answer a simulator: the original's, else with the recorded history, else with its own."""
    origin, answers = trial.origin, trial.answers
    names = wanted or tuple(dict.fromkeys([origin.simulator, *(name for name, _ in answers)]))
    own = False
    sources = []
    for name in names:
        if name == origin.simulator:
            sources.append(origin)
        elif (name, RECORDED) in answers:
            sources.append(answers[name, RECORDED])
        elif (name, OWN) in answers:
            sources.append(answers[name, OWN])
            own = True
    if len(sources) < 2:
        return None
    # The original put to the same calls once more: its further answers to the very same questions.
    again = answers.get((origin.simulator, RECORDED))
    repeats = {origin.simulator: again} if again is not None and origin.simulator in names else {}
    return Group(OWN if own else RECORDED, tuple(sources), repeats)


# ----------------------------------------------------------------------------------------- aligned


def _aligned(
    runs: Sequence[Named],
    wanted: tuple[str, ...],
    done: set[_Same],
    missing: set[_Same],
    skipped: Counter[str],
) -> list[Group]:
    trials: dict[_Same, dict[str, Source]] = {}
    names = wanted or tuple(simulators_of(runs))
    for _, run in runs:
        for entry in run.ledger:
            simulator = TrialKey.parse(entry.key).condition.simulator
            if simulator not in names or entry.counting is None:
                continue
            source = _source(run, entry)
            if _same_trial(source.key) in done:
                continue
            found = trials.setdefault(_same_trial(source.key), {})
            if simulator in found:
                skipped[AGAIN] += 1
            else:
                found[simulator] = source
    skipped[ALONE] += sum(len(found) == 1 and same not in missing for same, found in trials.items())
    return [
        Group(ALIGNED, tuple(found[name] for name in names if name in found))
        for found in trials.values()
        if len(found) > 1
    ]
