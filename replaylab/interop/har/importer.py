"""Imports HAR files as one captured run: all entries or none, the same bytes each time."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from replaylab.canonical import Digest
from replaylab.cassette.indexing import sync_index
from replaylab.engine.captured.session import Place, Session
from replaylab.engine.seams import Seams
from replaylab.interop.har.entries import Entry, read_entry
from replaylab.interop.talk.reading import Node, parse, read_file
from replaylab.interop.transcript.importer import counted, refused
from replaylab.interop.transcript.lines import Problem, TranscriptsRefused, Wrong
from replaylab.schema.base import in_json
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.interaction import Attempt
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.redact import Redactor

WANTED = "give HAR 1.2 files: an object of `log` with `entries`"
LACKS = {
    "bodies": "bodies of answers that the file says are longer than what it holds: kept as cut off",
    "uploads": "files that were uploaded: only their fields are there",
    "odd_number": "numbers that no reader can hold exactly: kept as texts",
    "chunks": "the pieces in which streams came, and when each did",
}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class ImportedExchanges:
    """What an import made. `hosts` counts exchanges by endpoint; `other` is how many of other hosts were left out."""

    run_id: Digest
    run: Run
    exchanges: int
    changed: bool
    hosts: Mapping[str, int] = field(default_factory=dict)
    lacks: Mapping[str, int] = field(default_factory=dict)
    other: int = 0
    skipped: tuple[Problem, ...] = ()
    skipped_entries: int = 0


def import_har(
    library: Library,
    name: str,
    paths: Mapping[str, Path],
    redactor: Redactor,
    *,
    hosts: Collection[str] = (),
    skip_bad: bool = False,
) -> ImportedExchanges:
    """Import the files as the captured run `name`; of these hosts alone, where any are named.

    Raises TranscriptsRefused for what can't be read, and where the run holds something else.
    """
    lacks: Counter[str] = Counter()
    entries, problems, other = _read(paths, redactor, lacks, hosts)
    bad = len({problem.where for problem in problems})
    if problems and not skip_bad:
        raise refused(problems, counted(bad, "entry"))
    if not entries:
        raise TranscriptsRefused(
            "there is no exchange to import", problems, where=", ".join(paths), fix=WANTED
        )
    run, cassettes = _recorded(name, entries)
    run_id, changed = _write(library, run, cassettes)
    lacks["chunks"] = sum("event-stream" in one.attempt.headers.get("content-type", "") for one in entries)
    return ImportedExchanges(
        run_id,
        run,
        len(entries),
        changed,
        dict(sorted(Counter(one.asked.endpoint for one in entries).items())),
        {key: lacks[key] for key in LACKS if lacks[key]},
        other,
        tuple(problems),
        bad,
    )


def _read(
    paths: Mapping[str, Path], redactor: Redactor, lacks: Counter[str], hosts: Collection[str]
) -> tuple[list[Entry], list[Problem], int]:
    found: list[Entry] = []
    problems: list[Problem] = []
    other = 0
    for name, path in paths.items():
        try:
            nodes = _entries(Node(parse(read_file(name, path), lacks)))
        except Wrong as wrong:
            problems += [Problem(name, *one) for one in wrong.problems]
            continue
        for number, node in enumerate(nodes):
            where = f"{name}#{number}"
            try:
                one = read_entry(where, node, redactor, lacks)
            except Wrong as wrong:
                problems += [Problem(where, *problem) for problem in wrong.problems]
                continue
            if hosts and one.host not in hosts:
                other += 1
            else:
                found.append(one)
    return found, problems, other


def _entries(root: Node) -> list[Node]:
    log = root.at("log")
    if log.value is None:
        raise root.wrong("there is no `log` in it: it is no HAR file")
    version = log.at("version").text("1.2")
    if not version.startswith("1."):
        raise log.at("version").wrong(f"it is {in_json(version)}, and 1.1 and 1.2 are read")
    if not log.has("entries"):
        raise log.wrong("there are no `entries` in it")
    return log.at("entries").items()


@dataclass
class _Clock:
    """The time that entries name: no clock of this machine takes part."""

    start: float
    now_ms: float = 0.0

    def now(self) -> str:
        when = _EPOCH + timedelta(milliseconds=self.start)
        return when.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def elapsed_ms(self) -> float:
        return self.now_ms

    def sleep(self, seconds: float) -> None:
        """Nobody waits."""


def _recorded(name: str, entries: Sequence[Entry]) -> tuple[Run, list[bytes]]:
    """The run and its cassettes, recorded into a library of their own, so that the real one is written whole or not."""
    clock = _Clock(min(one.began for one in entries))
    facts = CaptureFacts(client="har", endpoints={one.asked.endpoint: one.base for one in entries})
    seams = Seams(now=clock.now, elapsed_ms=clock.elapsed_ms, sleep=clock.sleep)
    with TemporaryDirectory(prefix="replaylab-") as folder:
        library = Library(Path(folder) / "library")
        session = Session(library, name, "record", seams, facts=facts, evidence="imported")
        try:
            for place, attempt in _in_time(session, entries, clock):
                place.commit(attempt.model_copy(update={"started_ms": place.started_ms}))
            run = session.seal()
        finally:
            session.close()
        if run is None:
            raise TranscriptsRefused("there is no exchange to import", fix=WANTED)
        return run, [library.get(name_, "cassette") for name_ in library.objects("cassette")]


def _in_time(session: Session, entries: Sequence[Entry], clock: _Clock) -> Iterator[tuple[Place, Attempt]]:
    """Begin and end each exchange when it did, so that what overlapped does so here."""
    order = sorted(range(len(entries)), key=lambda number: (entries[number].began, number))
    under_way: list[tuple[float, int, Place]] = []
    for number in order:
        one = entries[number]
        began = round(one.began - clock.start, 3)
        while under_way and under_way[0][0] <= began:
            clock.now_ms, ended, place = heapq.heappop(under_way)
            yield place, entries[ended].attempt
        clock.now_ms = began
        heapq.heappush(under_way, (began + one.ms, number, session.begin(one.asked)))
    while under_way:
        clock.now_ms, ended, place = heapq.heappop(under_way)
        yield place, entries[ended].attempt


def _write(library: Library, run: Run, cassettes: Sequence[bytes]) -> tuple[Digest, bool]:
    with library.lock(run.name):
        existing = library.named(run.name)
        if existing is not None and existing[1] != run:
            raise TranscriptsRefused(
                f"the run {run.name!r} holds something else",
                where=str(library.root),
                fix="import under another name: --run NAME",
            )
        for data in cassettes:
            library.put(data, "cassette")
        if existing is not None:
            return existing[0], False
        run_id = library.put_run(run)
        library.set_ref(run.name, run_id)
    sync_index(library)
    return run_id, True
