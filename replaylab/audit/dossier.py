"""Everything that an audit of a run looks at, read once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from replaylab.audit.sight import Sight, look
from replaylab.canonical import Digest, dumps
from replaylab.cassette.stored import open_cassette
from replaylab.engine.plan import planned_count
from replaylab.engine.verify import check_run
from replaylab.errors import ReplaylabError
from replaylab.schema.cassette import key_of
from replaylab.schema.finding import Finding
from replaylab.schema.run import Run
from replaylab.schema.tombstone import Tombstone
from replaylab.score.derive_facts import KIND, PARSER
from replaylab.score.facts import CassetteFacts, Study
from replaylab.score.read import MOST, read_study
from replaylab.store.index import Index
from replaylab.store.library import Library
from replaylab.store.processes import in_processes

FEW = 24  # cassettes; below this, starting processes costs more than it saves
Progress = Callable[[int, int], None]


class Signed(NamedTuple):
    """What came of a signature over the run object: whose it is, and why it is not good, None where it is."""

    key: str
    finding: Finding | None = None


@dataclass(frozen=True)
class Dossier:
    """A run with what its library knows of it.

    `sights` are those of its cassettes and of `unlisted` ones: recorded for a trial that the run plans, and in no
    ledger of the library. `chain` are the run objects that it follows, the nearest first; `gone` those that it names
    and that are not there; `beside` other run objects of its name or plan that it doesn't follow. `rejudged` and
    `lockstep` are runs in which another judge or simulator was put what it recorded. `stones` stand for cassettes of its
    ledger that were purged or redacted. `signature` is what came of a signature over it. `expected` is the run id that was
    published, "" where nobody gave one.
    """

    library: Library
    run_id: Digest
    run: Run
    sights: dict[str, Sight]
    chain: dict[Digest, Run]
    gone: tuple[str, ...]
    beside: dict[Digest, Run]
    unlisted: tuple[str, ...]
    journals: tuple[str, ...]
    run_findings: tuple[Finding, ...]
    index_findings: tuple[Finding, ...]
    studies: tuple[Study, ...]
    rejudged: dict[Digest, Run]
    lockstep: dict[Digest, Run]
    stones: dict[str, Tombstone]
    expected: str = ""
    signature: Signed | None = None

    @property
    def vouched(self) -> bool:
        """Whether something from outside the library says that this is the run: a published id, or a signature."""
        return self.run_id == self.expected or (self.signature is not None and self.signature.finding is None)

    @property
    def listed(self) -> list[Sight]:
        """Its own cassettes, in the order of the ledger, apart from those that are gone on purpose."""
        tries = [one.cassette for entry in self.run.ledger for one in entry.tries]
        return [self.sights[name] for name in tries if name in self.sights]

    @property
    def counting(self) -> list[Sight]:
        """Those that count."""
        names = [entry.counting.cassette for entry in self.run.ledger if entry.counting]
        return [self.sights[name] for name in names if name in self.sights]


def open_dossier(
    library: Library,
    name: str | None,
    *,
    jobs: int = 1,
    expected: str = "",
    sign: Callable[[Digest], Signed] | None = None,
    progress: Progress = lambda done, planned: None,
) -> Dossier:
    """Read a run whole. Raises UsageError for one that is not there; whatever else is wrong becomes a finding.

    `sign` checks a signature over a run by its id.
    """
    run_id, run = library.trial_run(name)
    objects = dict(_run_objects(library))
    chain, gone = _chain(run, objects)
    beside = {
        other: theirs
        for other, theirs in objects.items()
        if other != run_id and other not in chain and (theirs.name == run.name or theirs.spec == run.spec)
        and run_id not in _chain(theirs, objects)[0]
    }  # fmt: skip
    swapped = {other: theirs for other, theirs in objects.items() if theirs.spec.swapped in {run_id, *chain}}
    listed = {
        one.cassette for theirs in (run, *objects.values()) for entry in theirs.ledger for one in entry.tries
    }
    unlisted = tuple(_unlisted(library, run, listed))
    names = [one.cassette for entry in run.ledger for one in entry.tries]
    stones = {name: stone for name, stone in library.all_gone().items() if name in set(names)}
    wanted = [name for name in dict.fromkeys([*names, *unlisted]) if name not in stones]
    sights: dict[str, Sight] = {}
    for sight in _looked(library, wanted, jobs):
        sights[sight.cassette] = sight
        progress(len(sights), len(wanted))
    facts = {name: sight.facts for name, sight in sights.items() if sight.facts}
    readable = planned_count(run.spec) <= MOST and all(name in facts for name in names if name not in stones)
    return Dossier(
        library=library,
        run_id=run_id,
        run=run,
        sights=sights,
        chain=chain,
        gone=gone,
        beside=beside,
        unlisted=unlisted,
        journals=tuple(_journals(library, run.name)),
        run_findings=tuple(_guarded(str(library.path(run_id, "run")), check_run(library, run_id))),
        index_findings=tuple(_index(library, sights)),
        studies=tuple(read_study(library, [run_id], known=facts)) if readable and names else (),
        rejudged={name: one for name, one in swapped.items() if one.spec.mode == "rejudge"},
        lockstep={name: one for name, one in swapped.items() if one.spec.mode.startswith("lockstep/")},
        stones=stones,
        expected=expected,
        signature=sign(run_id) if sign else None,
    )


def _looked(library: Library, names: Sequence[str], jobs: int) -> Iterable[Sight]:
    work = partial(look, library)
    return in_processes(work, names, jobs, at_once=8) if jobs > 1 and len(names) >= FEW else map(work, names)


def _run_objects(library: Library) -> Iterator[tuple[Digest, Run]]:
    for name in library.objects("run"):
        try:
            yield name, library.read_run(name)
        except ReplaylabError:
            continue  # `verify` names it; where this run follows it, it is among those that are gone


def _chain(run: Run, objects: dict[Digest, Run]) -> tuple[dict[Digest, Run], tuple[str, ...]]:
    chain: dict[Digest, Run] = {}
    gone: list[str] = []
    waiting = list(run.follows)
    while waiting:
        name = Digest(waiting.pop(0))
        if name in chain or name in gone:
            continue
        if name in objects:
            chain[name] = objects[name]
            waiting += objects[name].follows
        else:
            gone.append(name)
    return chain, tuple(gone)


def _unlisted(library: Library, run: Run, listed: set[str]) -> Iterator[str]:
    planned = {entry.key for entry in run.ledger}
    for name in library.objects("cassette"):
        if name in listed:
            continue
        try:
            header = open_cassette(library, name).header
            if header.subject.is_trial and header.mode == run.spec.mode and str(key_of(header)) in planned:
                yield name
        except (ReplaylabError, ValueError):
            continue  # `verify` names it


def _journals(library: Library, name: str) -> Iterator[str]:
    folder: Path = library.root / "journal" / name
    for path in sorted(folder.glob("*.frames")):
        yield path.name


def _guarded(where: str, findings: Iterator[Finding]) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(findings)
    except ReplaylabError as error:
        found.append(Finding.of("damaged", error.where or where, error.what))
    return found


def _index(library: Library, sights: dict[str, Sight]) -> Iterator[Finding]:
    """Where the index says something else than the cassettes. It is no authority, but tables are read through it."""
    index = Index.open(library)
    try:
        if index.state in ("missing", "corrupt", "old"):
            return
        for name, row in index.rows():
            sight = sights.get(name)
            if sight is not None and sight.row is not None and sight.row != row:
                message = "the index says something else of a cassette than the cassette"
                yield Finding.of("index-row", name, message, expected=str(sight.row), observed=str(row))
        for name, text in index.cached(PARSER, KIND, list(sights)):
            facts = sights[name].facts
            if facts is not None and _other(text, facts):
                yield Finding.of(
                    "index-value", name, "the index holds other facts of a cassette than follow from it"
                )
    finally:
        index.close()


def _other(text: str, facts: CassetteFacts) -> bool:
    try:
        return dumps(CassetteFacts.model_validate_json(text).to_json()) != dumps(facts.to_json())
    except ValueError:
        return True
