"""A part of a captured lane while it is recorded: one frame file, from which its cassette is made.

The first payload is the header, each further one an interaction after the blobs that are new to the file. An interaction
that gets another attempt is written again: the last one counts. Ordinals are taken when a request starts, so they don't
stand in order, and one whose request never came to an end is missing; sealing moves the later ones up.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from replaylab.canonical import loads
from replaylab.cassette.codec import line, request_parts
from replaylab.cassette.request import Digested, Request
from replaylab.engine.captured.header import CLIENT
from replaylab.engine.gate import Stopped
from replaylab.engine.untried import pack_lanes
from replaylab.errors import StoreError
from replaylab.schema.callpath import CallPath
from replaylab.schema.cassette import Blob, Header, key_of
from replaylab.schema.interaction import Interaction, RequestLine
from replaylab.schema.outcome import body_bytes, interaction_outcome
from replaylab.store.frames import FrameWriter, read_frames, rescue_frames


class Prefixes:
    """The interaction whose request begins with the same messages as another one, found by what it begins with.

    Only what is journaled is known here, so a frame never leans on one that a crash can lose.
    """

    def __init__(self) -> None:
        self._first: dict[bytes, int] = {}

    def find(self, messages: Sequence[str]) -> tuple[int | None, int, list[bytes]]:
        """(ordinal that is continued, how many messages are kept of it, a name for each beginning)."""
        chain, last = [], b""
        for name in messages:
            last = blake2b(last + name.encode(), digest_size=16).digest()
            chain.append(last)
        for keep in range(len(chain), 0, -1):
            if (ordinal := self._first.get(chain[keep - 1])) is not None:
                return ordinal, keep, chain
        return None, 0, chain

    def add(self, ordinal: int, chain: Iterable[bytes]) -> None:
        for name in chain:
            self._first.setdefault(name, ordinal)


class PartJournal:
    """The frame file of a part that is being recorded. Thread-safe. The file is made with the first answer."""

    def __init__(self, path: Path, header: Header, open_file: Callable[[Path], FrameWriter]) -> None:
        self.path, self.header = path, header
        self._open_file = open_file
        self._writer: FrameWriter | None = None
        self._lock, self._syncing = threading.Lock(), threading.Lock()
        self._blobs: set[str] = set()
        self._prefixes = Prefixes()
        self._written = self._synced = 0
        self.stored = (
            0  # bytes of requests and answers, and nothing of their times: it says where a part ends
        )
        self._closed = False

    def row(self, request: Request, digested: Digested) -> tuple[RequestLine, list[bytes]]:
        """The line of a request that starts now, and what `append` needs to let others continue it."""
        with self._lock:
            continues, keep, chain = self._prefixes.find(digested.messages)
        row = RequestLine(
            form=digested.form,
            digest=digested.digest,
            alias=request.alias,
            method=request.method,
            path=request.path,
            params=digested.params,
            tools=digested.tools,
            continues=continues,
            keep=keep,
            adds=digested.messages[keep:],
            raw=digested.raw,
            turns=request.turns,
        )
        return row, chain

    def append(
        self, ordinal: int, row: Interaction, blobs: Mapping[str, Blob], chain: Sequence[bytes]
    ) -> None:
        """Write an interaction with the blobs that are new; it is on the disk when this returns."""
        with self._lock:
            if self._closed:
                raise Stopped(f"{self.path.name} is sealed")
            new = [name for name in dict.fromkeys(request_parts(row.request)) if name not in self._blobs]
            if self._writer is None:
                self._writer = self._open_file(self.path)
                if not self._writer.count:
                    self._writer.append(line(self.header), sync=False)
            writer = self._writer
            added = b"".join(line(blobs[name]) for name in new)
            writer.append(added + line(row), sync=False)
            self.stored += len(added) + len(body_bytes(row.final))
            self._blobs.update(new)
            self._prefixes.add(ordinal, chain)
            self._written += 1
            mine = self._written
        # Whoever waited here while another one synced finds its own frame synced with it.
        with self._syncing:
            if self._synced < mine:
                upto = self._written
                writer.sync()
                self._synced = upto

    def rest(self, close_file: Callable[[FrameWriter], None]) -> bool:
        """Close the file until something is written again, so that many lanes need few files open at once. False, and
        nothing is done, while somebody writes.
        """
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self._writer is None:
                return True
            if self._synced < self._written:
                return False
            close_file(self._writer)
            self._writer = None
            return True
        finally:
            self._lock.release()

    def close(self, close_file: Callable[[FrameWriter], None]) -> None:
        """Write nothing more; what is there stays."""
        with self._lock, self._syncing:
            self._closed = True
            if self._writer is not None:
                self._writer.sync()
                self._synced = self._written
                close_file(self._writer)
                self._writer = None


def read_part(
    path: Path, payloads: Sequence[bytes] | None = None
) -> tuple[Header, dict[int, Interaction], dict[str, Blob]]:
    """What a frame file holds: header, interactions by ordinal, blobs. Raises StoreError for one that is damaged, unless
    the `payloads` to take are given.
    """
    payloads = read_frames(path)[0] if payloads is None else payloads
    rows: dict[int, Interaction] = {}
    blobs: dict[str, Blob] = {}
    try:
        header = Header.model_validate_json(payloads[0])
        for payload in payloads[1:]:
            for text in payload.splitlines():
                fields = loads(text)
                if fields["type"] == "blob":
                    blobs[fields["digest"]] = Blob.model_construct(
                        digest=fields["digest"], value=fields.get("value"), b64=fields.get("b64")
                    )
                else:
                    row = Interaction.model_validate_json(text)
                    rows[CallPath.parse(row.path).ordinal] = row
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise _unreadable(path, error) from error
    return header, rows, blobs


def _unreadable(path: Path, error: Exception) -> StoreError:
    return StoreError(
        f"{path.name} holds what this replaylab can't read: {type(error).__name__}: {str(error)[:300]}",
        where=str(path),
        fix="go on with the replaylab that began it; or move the file away, and what it holds is given up",
    )


def read_header(path: Path) -> Header | None:
    """The header of a frame file of any recording, damaged behind it or not; None for one that holds nothing beside it."""
    payloads, lost, torn = rescue_frames(path)
    if len(payloads) < 2 and (torn or not lost):
        return None
    try:
        return Header.model_validate_json(payloads[0])
    except (ValueError, IndexError) as error:
        read_frames(path)  # says where it is damaged
        raise _unreadable(path, error) from error


def holds_answers(path: Path) -> bool:
    """Whether a frame file holds more than its header."""
    return len(read_frames(path)[0]) > 1


def seal_part(path: Path, sealed: str) -> bytes:
    """The bytes of the cassette that a frame file becomes. `sealed` is the time, ISO 8601."""
    header, rows, blobs = read_part(path)

    def blob(name: str) -> Blob:
        if name not in blobs:
            raise StoreError(f"damaged journal: no blob {name}", where=str(path))
        return blobs[name]

    return pack_lanes(header, {CLIENT: _in_order(header, rows)}, blob, (), sealed)


class Rescue(NamedTuple):
    """What is made of a file that a killed recording left. `cassette` is None where nothing in it is whole. `lost` says
    what is not, "" for nothing; `damaged`, that no crash leaves such a file.
    """

    cassette: bytes | None
    lost: str = ""
    damaged: bool = False


def rescue_part(path: Path, sealed: str) -> Rescue:
    """The cassette of all that is whole, whatever became of the rest."""
    payloads, lost, torn = rescue_frames(path)
    if not lost:
        return Rescue(seal_part(path, sealed))
    header, rows, blobs = read_part(path, payloads)
    whole = _standing(rows, blobs)
    size, gone = sum(end - start for start, end in lost), len(rows) - len(whole)
    said = f"{header.task.id}: {size:,} byte{'s' * (size > 1)} of {path.name}, from byte {lost[0][0]:,} on, hold no whole answer"
    if gone:
        said += f"; {gone} that went on from what was there are lost with it"
    if not whole:
        return Rescue(None, said, not torn)
    data = pack_lanes(header, {CLIENT: _in_order(header, whole)}, blobs.__getitem__, (), sealed)
    return Rescue(data, said, not torn)


def _standing(rows: Mapping[int, Interaction], blobs: Mapping[str, Blob]) -> dict[int, Interaction]:
    """Those of which all is there: their blobs, and the interactions that they continue."""
    found: dict[int, bool] = {}

    def stands(ordinal: int) -> bool:
        way = []
        while ordinal not in found:
            row = rows.get(ordinal)
            if row is None or not all(name in blobs for name in request_parts(row.request)):
                found[ordinal] = False
                break
            way.append(ordinal)
            if row.request.continues is None:
                found[ordinal] = True
                break
            ordinal = row.request.continues
        for one in way:
            found[one] = found[ordinal]
        return found[ordinal]

    return {ordinal: row for ordinal, row in rows.items() if stands(ordinal)}


def _in_order(header: Header, rows: Mapping[int, Interaction]) -> list[Interaction]:
    """The interactions in order of their start, without gaps."""
    place = {ordinal: new for new, ordinal in enumerate(sorted(rows))}
    return [rows[old] if old == new else _moved(header, rows[old], place, new) for old, new in place.items()]


def _moved(header: Header, row: Interaction, place: Mapping[int, int], ordinal: int) -> Interaction:
    before = row.request.continues
    request = row.request.model_copy(update={"continues": None if before is None else place[before]})
    path = str(CallPath(key_of(header), CLIENT, ordinal))
    outcome = interaction_outcome(path, request.digest, row.final)
    return row.model_copy(update={"path": path, "request": request, "outcome": outcome})
