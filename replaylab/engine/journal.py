"""The journal of a run: trials in progress, and what was sealed since the last run object.

    journal/<run>/sealed.frames      one frame for each sealed trial: its key, its try with the cassette, the digest
                                     of the spec under which it was recorded
    journal/<run>/<id>.frames        one trial in progress: the header, then a frame for each interaction with the
                                     blobs that are new to it

A trial's file goes away after its cassette is an object and its line is in `sealed.frames`; `sealed.frames` goes away
after a run object names what it holds. So at any byte a crash leaves everything that was answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import digest, dumps, loads
from replaylab.cassette.codec import line
from replaylab.engine.gate import Stopped
from replaylab.errors import StoreError, UsageError
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Blob, Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import Try
from replaylab.store.frames import FrameWriter, read_frames

SEALED = "sealed.frames"
DAMAGED = ".damaged"  # the suffix of a file that was read as far as it is whole, and is kept
# What frames that are whole, and hold something else, raise. Pydantic's errors are ValueErrors.
_UNREADABLE = (ValueError, KeyError, TypeError, AttributeError, RecursionError)


class SealedTrial(NamedTuple):
    """A trial that no run object names yet. `spec` is the digest of the spec under which it was recorded."""

    key: str
    sealed: Try
    spec: str


@dataclass
class TrialJournal:
    """One trial in progress. `lanes` and `blobs` hold what was journaled before, empty for a new trial.

    Its file is made with the first answer: a trial that was begun and asked nothing leaves none.
    """

    path: Path
    header: Header
    open_file: Callable[[Path], FrameWriter]
    writer: FrameWriter | None = None
    lanes: dict[str, list[Interaction]] = field(default_factory=dict)
    blobs: dict[str, Blob] = field(default_factory=dict)

    def blob(self, name: str) -> Blob:
        if name not in self.blobs:
            raise StoreError(f"damaged journal: no blob {name}", where=str(self.path))
        return self.blobs[name]

    @property
    def elapsed_ms(self) -> float:
        """Where the recording's clock goes on: the end of the latest journaled attempt."""
        ends = [
            a.started_ms + a.latency_ms for rows in self.lanes.values() for row in rows for a in row.attempts
        ]
        return max(ends, default=0.0)

    def append(self, payload: bytes) -> None:
        if self.writer is None:
            self.writer = self.open_file(self.path)
        if not self.writer.count:
            self.writer.append(line(self.header), sync=False)
        self.writer.append(payload)

    def read_frame(self, payload: bytes) -> None:
        """Take what an earlier recording journaled."""
        for row in payload.splitlines():
            fields = loads(row)
            if fields["type"] == "blob":
                self.blobs[fields["digest"]] = Blob.model_construct(
                    digest=fields["digest"], value=fields.get("value"), b64=fields.get("b64")
                )
            else:
                interaction = Interaction.model_validate_json(row)
                lane = CallPath.parse(interaction.path).named_lane
                self.lanes.setdefault(lane, []).append(interaction)


class RunJournal:
    """The journal folder of one run. Only the holder of the run's lock may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._ledger: FrameWriter | None = None
        self._open: list[FrameWriter] = []
        self._closed = False

    def sealed(self) -> list[SealedTrial]:
        """Trials sealed since the last run object, in the order in which they were sealed."""
        path = self.folder / SEALED
        if not path.exists():
            return []
        try:
            rows = [loads(payload) for payload in read_frames(path)[0]]
            return [SealedTrial(str(row["key"]), Try.model_validate(row["try"]), row["spec"]) for row in rows]
        except _UNREADABLE as error:
            raise _unreadable(path, error, "the trials that it names are recorded anew") from error

    def note_sealed(self, key: str, sealed: Try, spec: str) -> None:
        """Write down that a trial is sealed; its cassette must be an object already."""
        with self._lock:
            if self._ledger is None:
                self._ledger = self._opened(self.folder / SEALED)
            self._ledger.append(dumps({"key": key, "try": sealed.to_json(), "spec": spec}))

    def open_file(self, path: Path) -> FrameWriter:
        """A frame file below this folder, which is closed with the journal."""
        with self._lock:
            return self._opened(path)

    def close_file(self, writer: FrameWriter) -> None:
        """Close a file that was opened here; what it holds stays."""
        with self._lock:
            writer.close()
            if writer in self._open:
                self._open.remove(writer)

    def _opened(self, path: Path) -> FrameWriter:
        if self._closed:
            raise Stopped("the journal is closed")
        writer = FrameWriter(path)
        self._open.append(writer)
        return writer

    def close(self) -> None:
        """Write nothing more, whoever still runs: after this the run's lock may be given to another process."""
        with self._lock:
            self._closed = True
            for writer in self._open:
                writer.close()

    def open_trial(self, key: str, header: Header, now: Callable[[], str]) -> TrialJournal:
        """Start a trial, or go on with the one of that key and try. `header` is the planned one."""
        path = self.path_of(key, header.subject.attempt)
        payloads = read_frames(path)[0] if path.exists() else ()
        if not payloads:
            return TrialJournal(path, header.model_copy(update={"created": now()}), self.open_file)
        journal = TrialJournal(path, _read_header(path, payloads[0]), self.open_file)
        try:
            for payload in payloads[1:]:
                journal.read_frame(payload)
        except _UNREADABLE as error:
            raise _unreadable(path, error) from error
        if journal.header.inputs != header.inputs:
            raise UsageError(
                f"the trial {key} was begun with other settings",
                where=str(path),
                fix="record under another --run NAME, or remove this file to give up what it holds",
            )
        return journal

    def path_of(self, key: str, attempt: int) -> Path:
        """The file of a trial in progress; it need not be there."""
        name = digest({"key": key, "try": attempt})[:32]
        return self.folder / f"{name}.frames"

    def drop_trial(self, journal: TrialJournal) -> None:
        """Forget a trial that is sealed and noted."""
        self.release(journal)
        journal.path.unlink(missing_ok=True)

    def release(self, journal: TrialJournal) -> None:
        """Close the file of a trial; what it holds stays."""
        if journal.writer is not None:
            self.close_file(journal.writer)
            journal.writer = None

    def drop_done(self, done: Iterable[tuple[str, int]]) -> None:
        """Remove the files of trials (key, number of the try) that are sealed: a crash came before they were dropped."""
        if not self.in_progress():
            return
        for key, attempt in done:
            self.path_of(key, attempt).unlink(missing_ok=True)

    def clear_sealed(self) -> None:
        """Forget the sealed trials once a run object names them. Trials in progress stay."""
        with self._lock:
            if self._ledger is not None:
                self._ledger.close()
                self._open.remove(self._ledger)
                self._ledger = None
        (self.folder / SEALED).unlink(missing_ok=True)
        if self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def begun(self) -> list[Header]:
        """The headers of the trials in progress, whatever plan they belong to."""
        headers = []
        for path in sorted(self.folder.glob("*.frames")):
            payloads = read_frames(path)[0] if path.name != SEALED else ()
            if payloads:
                headers.append(_read_header(path, payloads[0]))
        return headers

    def in_progress(self) -> int:
        """How many trials are begun and not sealed."""
        return len(self.files())

    def files(self) -> list[Path]:
        """The files of what is begun and not sealed."""
        return sorted(path for path in self.folder.glob("*.frames") if path.name != SEALED)


def _read_header(path: Path, payload: bytes) -> Header:
    try:
        return Header.model_validate_json(payload)
    except ValueError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: Exception, otherwise: str = "its trial is recorded anew") -> StoreError:
    return StoreError(
        f"{path.name} holds what this replaylab can't read: {type(error).__name__}: {str(error)[:300]}",
        where=str(path),
        fix=f"go on with the replaylab that began it; or move the file away, and {otherwise}",
    )
