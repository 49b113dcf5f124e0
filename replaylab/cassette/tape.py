"""The tape: what records, resumes or plays the interactions of one subject, lane by lane.

One class serves all, so that a replay runs the same code as the recording:

    recording   no recorded interactions; each commit goes to the journal
    resuming    the journal's interactions are played first, then the lane goes on live
    replaying   every lane is closed: running past its end is a DivergenceError, and so is leaving some unplayed
    swapping    the copied lanes are closed, the swapped ones are recorded
"""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from replaylab.canonical import Digest
from replaylab.cassette.codec import line, request_parts
from replaylab.cassette.request import BlobPool, Digested, Request, digest_request
from replaylab.errors import DivergenceError, StoreError
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath, TrialKey, role_of
from replaylab.schema.cassette import Blob, Label
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Interaction, RequestLine
from replaylab.schema.outcome import interaction_outcome


class Sink(Protocol):
    """Where committed lines go at once, durably: the journal."""

    def append(self, payload: bytes) -> None: ...


class Tape:
    """`recorded` holds interactions by lane; `blobs` what they name; `closed` says which lanes may not go on live.

    `elapsed_ms` gives milliseconds since the recording began. Lanes may be used from different threads, a lane from
    one thread at a time.
    """

    def __init__(
        self,
        key: TrialKey,
        *,
        elapsed_ms: Callable[[], float],
        recorded: Mapping[str, Sequence[Interaction]] | None = None,
        blob: Callable[[str], Blob] | None = None,
        closed: Callable[[str], bool] = lambda lane: False,
        sink: Sink | None = None,
    ) -> None:
        self.key = key
        self.elapsed_ms = elapsed_ms
        self.closed = closed
        self.pool = BlobPool()
        self.labels: list[Label] = []
        self.on_commit: Callable[[Interaction], None] = lambda interaction: None
        self.lock = threading.RLock()
        self._recorded = dict(recorded or {})
        self._blob = blob
        self._sink = sink
        self._lanes: dict[str, Lane] = {}

    def lane(self, name: str) -> Lane:
        """The lane of that name; the same object each time."""
        with self.lock:
            if name not in self._lanes:
                self._lanes[name] = Lane(self, name, self._recorded.get(name, ()))
            return self._lanes[name]

    @property
    def lanes(self) -> dict[str, list[Interaction]]:
        """What has been asked and answered so far, by lane."""
        with self.lock:
            return {name: list(lane.interactions) for name, lane in self._lanes.items() if lane.interactions}

    def recorded(self, role: str) -> dict[str, Sequence[Interaction]]:
        """What was recorded before in the lanes of a role, by lane."""
        return {name: rows for name, rows in self._recorded.items() if role_of(name) == role}

    def keep(self, role: str) -> None:
        """Take the recorded lanes of a role as played, though the engine never asks in them: they are evidence."""
        for name in self.recorded(role):
            self.lane(name).keep()

    def recorded_blob(self, name: str) -> Blob:
        """A blob that a recorded interaction names."""
        if name in self.pool.blobs:
            return self.pool.blobs[name]
        if self._blob is None:
            raise StoreError(f"no blob {name}", where=str(self.key))
        return self._blob(name)

    def write(self, interaction: Interaction, blobs: Sequence[Blob]) -> None:
        """Journal an interaction with the blobs that are new to it, in one frame."""
        if self._sink is not None:
            self._sink.append(b"".join(map(line, blobs)) + line(interaction))

    def label(self, label: Label) -> None:
        """Add ground truth. It is derived from what is recorded, so it goes into the cassette and not the journal."""
        self.labels.append(label)

    def check_played(self) -> None:
        """Raise DivergenceError when a recorded interaction was not asked for again."""
        for name, recorded in self._recorded.items():
            played = len(self.lane(name).interactions)
            if played < len(recorded):
                raise DivergenceError(
                    f"the lane was not played to its end: {played} of {len(recorded)} interactions",
                    kind="lane_unplayed",
                    callpath=recorded[played].path,
                    expected=len(recorded),
                    observed=played,
                    closest=recorded[played].path,
                    fix="the engine stopped earlier than it did when recording; see what changed in it",
                )


class Lane:
    """The strictly ordered interactions of one concurrent stream."""

    def __init__(self, tape: Tape, name: str, recorded: Sequence[Interaction]) -> None:
        self.tape, self.name, self.recorded = tape, name, recorded
        self.interactions: list[Interaction] = []
        self._started = 0
        self._previous: tuple[Digest, ...] = ()
        self._journaled: set[str] = set()

    def keep(self) -> None:
        """Take all that is recorded as played; what is asked next comes after it."""
        with self.tape.lock:
            if self._started or not self.recorded:
                return
            self.interactions, self._started = list(self.recorded), len(self.recorded)
            self._previous = tuple(map(Digest, message_digests(self.recorded, self._started - 1)))
            self._journaled.update(part for row in self.recorded for part in request_parts(row.request))

    def begin(self, request: Request) -> Slot:
        """Take the next ordinal, now. Raises DivergenceError when what is recorded there is another request."""
        with self.tape.lock:
            ordinal, self._started = self._started, self._started + 1
            digested = digest_request(request, self.tape.pool)
            row = self._row(request, digested, ordinal)
            self._previous = digested.messages
        path = CallPath.at(self.tape.key, self.name, ordinal)
        if ordinal < len(self.recorded):
            recorded = self.recorded[ordinal]
            if recorded.request.digest != digested.digest:
                raise self._differs(path, recorded, request, digested.digest)
            return Slot(self, path, row, recorded)
        if self.tape.closed(self.name):
            raise self._dry(path, request, digested.digest)
        return Slot(self, path, row, None)

    def _row(self, request: Request, digested: Digested, ordinal: int) -> RequestLine:
        keep = len(self._previous)
        if digested.messages[:keep] != self._previous:  # most go on with all that was said
            pairs = enumerate(zip(self._previous, digested.messages, strict=False))
            keep = next(
                (at for at, (before, now) in pairs if before != now), min(keep, len(digested.messages))
            )
        return RequestLine(
            form=digested.form,
            digest=digested.digest,
            alias=request.alias,
            method=request.method,
            path=request.path,
            params=digested.params,
            tools=digested.tools,
            continues=ordinal - 1 if keep else None,
            keep=keep,
            adds=digested.messages[keep:],
            raw=digested.raw,
            turns=request.turns,
        )

    def _differs(
        self, path: CallPath, recorded: Interaction, request: Request, asked: Digest
    ) -> DivergenceError:
        return DivergenceError(
            "the request differs from the recorded one",
            kind="request",
            callpath=str(path),
            expected=expand(self.recorded, path.ordinal, self.tape.recorded_blob),
            observed=whole(request),
            closest=recorded.path,
            asked=asked,
        )

    def _dry(self, path: CallPath, request: Request, asked: Digest) -> DivergenceError:
        count = len(self.recorded)
        return DivergenceError(
            f"the lane ran dry: {count} recorded, this is request {path.ordinal + 1}",
            kind="lane_dry",
            callpath=str(path),
            expected=count,
            observed=whole(request),
            closest=self.recorded[-1].path if count else "",
            fix="the engine asks more than it did when recording; see what changed in it",
            asked=asked,
        )

    def commit(self, interaction: Interaction, live: bool) -> None:
        """Append in ordinal order; a live one is journaled before anybody sees it."""
        with self.tape.lock:
            if live:
                names = [name for name in request_parts(interaction.request) if name not in self._journaled]
                self.tape.write(interaction, [self.tape.recorded_blob(name) for name in dict.fromkeys(names)])
            self._journaled.update(request_parts(interaction.request))
            self.interactions.append(interaction)
        if live:
            self.tape.on_commit(interaction)


@dataclass(frozen=True)
class Slot:
    """The place of one interaction, taken when the request starts. `recorded` is its answer where one is recorded."""

    lane: Lane
    path: CallPath
    row: RequestLine
    recorded: Interaction | None

    def elapsed_ms(self) -> float:
        return self.lane.tape.elapsed_ms()

    def commit(self, attempts: Sequence[Attempt], completion: Completion | None) -> Interaction:
        """Record the attempts, of which the last decides. Returns after the journal has it on disk."""
        path = str(self.path)
        interaction = Interaction(
            path=path,
            request=self.row,
            attempts=tuple(attempts),
            usage=completion.usage if completion else None,
            answered_by=completion.model if completion else "",
            request_id=attempts[-1].headers.get("x-request-id", ""),
            fingerprint=completion.fingerprint if completion else "",
            outcome=interaction_outcome(path, self.row.digest, attempts[-1]),
        )
        self.lane.commit(interaction, live=True)
        return interaction

    def play(self) -> Interaction:
        """The recorded interaction, taken as played."""
        if self.recorded is None:
            raise ValueError(f"nothing is recorded at {self.path}")
        self.lane.commit(self.recorded, live=False)
        return self.recorded


def whole(request: Request) -> JsonObject:
    """The whole body of a request; {"raw": text} for `raw/1`."""
    return request.body() if request.raw is None else _raw(request.raw)


def _raw(data: bytes) -> JsonObject:
    return {"raw": data.decode("utf-8", "backslashreplace")}


def expand(recorded: Sequence[Interaction], ordinal: int, blob: Callable[[str], Blob]) -> JsonObject:
    """The whole body of a recorded request, its messages put together again along the prefixes it continues.

    A `raw/1` request gives {"raw": text}.
    """
    row = recorded[ordinal].request
    if row.raw is not None:
        return _raw(base64.b64decode(blob(row.raw).b64 or ""))
    names = message_digests(recorded, ordinal)
    params = blob(row.params).value if row.params else {}
    tools = {"tools": list(blob(row.tools).value)} if row.tools else {}
    turns = {row.turns: [blob(name).value for name in names]} if row.turns else {}
    return {**params, **turns, **tools}


def message_digests(recorded: Sequence[Interaction], ordinal: int) -> list[str]:
    """The digests of all messages of a recorded request, in order.

    Raises StoreError for a request that continues itself or a later one, or more of an earlier one than there is.
    """
    pieces: list[list[str]] = []
    keep: int | None = None
    at: int | None = ordinal
    while at is not None and keep != 0:
        row = recorded[at].request
        if keep is not None and keep > row.keep + len(row.adds):
            raise StoreError(
                f"{recorded[ordinal].path} keeps more messages of {recorded[at].path} than it has"
            )
        # Of an earlier request only its first `keep` messages are continued, of which it may add just some itself.
        mine = list(row.adds) if keep is None else list(row.adds)[: max(0, keep - row.keep)]
        pieces.append(mine)
        keep = row.keep if keep is None else min(keep, row.keep)
        if row.continues not in range(at) if row.keep else row.continues is not None:
            raise StoreError(
                f"{recorded[at].path} continues interaction {row.continues}, which is none before it"
            )
        at = row.continues
    return [name for piece in reversed(pieces) for name in piece]


def lane_messages(recorded: Sequence[Interaction]) -> list[list[str]]:
    """The digests of all messages of every request of a lane, in one go. Raises StoreError as `message_digests` does."""
    found: list[list[str]] = []
    for ordinal, recorded_row in enumerate(recorded):
        row = recorded_row.request
        fits = row.continues in range(ordinal) if row.keep else row.continues is None
        kept = found[row.continues] if fits and row.continues is not None else []
        if not fits or row.keep > len(kept):
            message_digests(recorded, ordinal)  # says what is wrong
            raise StoreError(f"{recorded_row.path} continues what is not there")
        found.append([*kept[: row.keep], *row.adds])
    return found
