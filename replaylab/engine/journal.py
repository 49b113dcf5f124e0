"""The journal of a run: trials in progress, and what was sealed since the last run object.

    journal/<run>/sealed.frames      one frame for each sealed trial: its key, its try, its cassette
    journal/<run>/<id>.frames        one trial in progress: the header, then a frame for each interaction with the
                                     blobs that are new to it

A trial's file goes away after its cassette is an object and its line is in `sealed.frames`; `sealed.frames` goes away
after a run object names what it holds. So at any byte a crash leaves everything that was answered.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from replaylab.canonical import digest, dumps, loads
from replaylab.cassette.codec import line
from replaylab.errors import StoreError, UsageError
from replaylab.schema.cassette import Blob, Header
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import Try
from replaylab.store.frames import FrameWriter, read_frames

SEALED = "sealed.frames"


@dataclass
class TrialJournal:
    """One trial in progress. `lanes` and `blobs` hold what was journaled before, empty for a new trial."""

    path: Path
    header: Header
    writer: FrameWriter
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
        self.writer.append(payload)


class RunJournal:
    """The journal folder of one run. Only the holder of the run's lock may use it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._lock = threading.Lock()
        self._ledger: FrameWriter | None = None

    def sealed(self) -> list[tuple[str, Try]]:
        """Trials sealed since the last run object: key and try, in the order in which they were sealed."""
        path = self.folder / SEALED
        if not path.exists():
            return []
        rows = [loads(payload) for payload in read_frames(path)[0]]
        return [(row["key"], Try.model_validate(row["try"])) for row in rows]

    def note_sealed(self, key: str, sealed: Try) -> None:
        """Write down that a trial is sealed; its cassette must be an object already."""
        with self._lock:
            if self._ledger is None:
                self._ledger = FrameWriter(self.folder / SEALED)
            self._ledger.append(dumps({"key": key, "try": sealed.to_json()}))

    def open_trial(self, key: str, header: Header, now: Callable[[], str]) -> TrialJournal:
        """Start a trial, or go on with the one of that key and try. `header` is the planned one."""
        name = digest({"key": key, "try": header.subject.attempt})[:32]
        path = self.folder / f"{name}.frames"
        payloads = read_frames(path)[0] if path.exists() else ()
        writer = FrameWriter(path)
        if not payloads:
            started = header.model_copy(update={"created": now()})
            writer.append(line(started))
            return TrialJournal(path, started, writer)
        return self._resumed(path, header, payloads, writer)

    def _resumed(
        self, path: Path, planned: Header, payloads: Sequence[bytes], writer: FrameWriter
    ) -> TrialJournal:
        header = Header.model_validate_json(payloads[0])
        if header.inputs != planned.inputs:
            writer.close()
            raise UsageError(
                f"the trial {header.subject.condition}/{header.subject.task} was begun with other settings",
                where=str(path),
                fix="record under another --run NAME, or remove this file to give up what it holds",
            )
        journal = TrialJournal(path, header, writer)
        for payload in payloads[1:]:
            for row in payload.splitlines():
                self._read_row(journal, row)
        return journal

    @staticmethod
    def _read_row(journal: TrialJournal, row: bytes) -> None:
        fields = loads(row)
        if fields["type"] == "blob":
            journal.blobs[fields["digest"]] = Blob.model_construct(
                digest=fields["digest"], value=fields.get("value"), b64=fields.get("b64")
            )
        else:
            interaction = Interaction.model_validate_json(row)
            lane = interaction.path.rpartition("/")[2].partition("#")[0]
            journal.lanes.setdefault(lane, []).append(interaction)

    def drop_trial(self, journal: TrialJournal) -> None:
        """Forget a trial that is sealed and noted."""
        journal.writer.close()
        journal.path.unlink(missing_ok=True)

    def clear_sealed(self) -> None:
        """Forget the sealed trials once a run object names them. Trials in progress stay."""
        with self._lock:
            if self._ledger is not None:
                self._ledger.close()
                self._ledger = None
        (self.folder / SEALED).unlink(missing_ok=True)
        if self.folder.exists() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def in_progress(self) -> int:
        """How many trials are begun and not sealed."""
        return sum(1 for path in self.folder.glob("*.frames") if path.name != SEALED)
