"""A capture as it is shown: its lanes, and a line for each thing that was asked. No I/O beyond reading cassettes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from replaylab.canonical import Digest
from replaylab.cassette.codec import Cassette
from replaylab.cassette.stored import open_cassette
from replaylab.errors import CassetteGone, StoreError
from replaylab.report.view import Asked
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import LedgerEntry, Run
from replaylab.store.library import Library

LANE = "client"


@dataclass(frozen=True)
class PartView:
    """A part of a lane: its cassette, or why it can't be read. `gone` where it was purged or redacted."""

    key: str
    task: str
    name: str
    cassette: Cassette | None = None
    problem: str = ""
    gone: str = ""

    @property
    def rows(self) -> Sequence[Interaction]:
        return self.cassette.lanes.get(LANE, []) if self.cassette else []


@dataclass(frozen=True)
class CaptureView:
    """A run of what a program asked."""

    run_id: Digest
    run: Run
    parts: tuple[PartView, ...]

    @property
    def problems(self) -> list[PartView]:
        return [part for part in self.parts if part.problem]


def view_capture(library: Library, run_id: Digest, run: Run) -> CaptureView:
    """Read every part once. A damaged one becomes a part with a problem: all of it is named."""
    return CaptureView(run_id, run, tuple(part for entry in run.ledger for part in _part(library, entry)))


def _part(library: Library, entry: LedgerEntry) -> Iterator[PartView]:
    counting = entry.counting
    if counting is None:
        return
    task = entry.key.split("/")[1]
    try:
        yield PartView(entry.key, task, counting.cassette, open_cassette(library, counting.cassette))
    except CassetteGone as error:
        gone = f"{error.why} ({error.reason})" if error.reason else error.why
        yield PartView(entry.key, task, counting.cassette, gone=gone)
    except StoreError as error:
        yield PartView(entry.key, task, counting.cassette, problem=str(error))


def part_of(cassette: Cassette) -> PartView:
    """A cassette of a capture by itself."""
    key = str(key_of(cassette.header))
    return PartView(key, key.split("/")[1], cassette.name, cassette)


def short(part: PartView, row: Interaction) -> str:
    """The end of a CallPath: `main@0#7`."""
    return f"{part.task}#{row.path.rpartition('#')[2]}"


def came(row: Interaction) -> str:
    """What the last attempt came to: its status, or how it failed."""
    final = row.final
    status = "" if final.status is None else str(final.status)
    if final.failure is not None and not (status and final.failure.kind in ("http_status", "rate_limited")):
        return " ".join(filter(None, (status, final.failure.kind)))
    return status if final.complete else f"{status} cut off"


def capture_json(view: CaptureView) -> JsonObject:
    """The document of a run."""
    first = next((part.cassette.header for part in view.parts if part.cassette), None)
    run = view.run
    return {
        "kind": "capture",
        "name": run.name,
        "created": run.created,
        "evidence": run.evidence,
        "mode": run.spec.mode,
        "outcome": run.outcome,
        "follows": list(run.follows),
        "facts": first.capture.model_dump(mode="json") if first and first.capture else None,
        "parts": [part_json(part) for part in view.parts],
    }


def part_json(part: PartView) -> JsonObject:
    """A part with a line for each interaction."""
    return {
        "kind": "capture_part",
        "trial": part.key,
        "lane": part.task,
        "cassette": part.name,
        "gone": part.gone or None,
        "problem": part.problem or None,
        "interactions": [_line(row) for row in part.rows],
    }


def _line(row: Interaction) -> JsonObject:
    return {
        "path": row.path,
        "request": row.request.digest,
        "endpoint": row.request.alias,
        "method": row.request.method,
        "target": row.request.path,
        "attempts": len(row.attempts),
        "status": row.final.status,
        "failure": row.final.failure.kind if row.final.failure else None,
        "complete": row.final.complete,
        "latency_ms": row.final.latency_ms,
        "answered_by": row.answered_by,
        "usage": row.usage.model_dump(mode="json") if row.usage else None,
    }


def exchange_json(part: PartView, asked: Asked) -> JsonObject:
    """One interaction: the whole request, and every attempt as it is recorded."""
    row = asked.row
    return {
        "kind": "exchange",
        "trial": part.key,
        "cassette": part.name,
        **_line(row),
        "request": row.request.model_dump(mode="json") | {"body": asked.body},
        "attempts": [attempt.model_dump(mode="json") for attempt in row.attempts],
        "request_id": row.request_id,
        "fingerprint": row.fingerprint,
        "outcome": row.outcome,
    }
