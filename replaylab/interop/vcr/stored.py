"""Exchanges of vcrpy's as a capture of ours: interactions with their attempts, parts, labels, and the run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

from replaylab.cassette.indexing import sync_index
from replaylab.cassette.tape import Tape
from replaylab.engine.captured.header import CLIENT, PART, PART_BYTES, capture_header, key_at
from replaylab.engine.captured.ledger import captured_run, write_run
from replaylab.engine.captured.live import put_part
from replaylab.engine.captured.played import may_be_retried
from replaylab.engine.captured.usage import read_said
from replaylab.engine.untried import pack_lanes
from replaylab.errors import UsageError
from replaylab.interop.vcr.convert import Converted
from replaylab.interop.vcr.layout import Layouts, whole
from replaylab.interop.vcr.pair import Pair
from replaylab.interop.vcr.played import LABEL
from replaylab.schema.base import JsonObject
from replaylab.schema.callpath import CallPath, TrialKey
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.cassette import Label
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import body_bytes, interaction_outcome
from replaylab.schema.run import Run, Try
from replaylab.store.library import Library
from replaylab.wire.redact import REDACTION_VERSION

UNKNOWN_TIME = "1970-01-01T00:00:00.000Z"
VCRPY = "vcrpy"


@dataclass(frozen=True)
class Taped:
    """An exchange with its place among all of them, and the lane that it is to stand in."""

    at: int
    one: Converted


@dataclass
class LaneOf:
    """What goes into one lane: the exchanges in order, and the metadata of their file."""

    taped: list[Taped] = field(default_factory=list)
    metadata: JsonObject = field(default_factory=dict)


def store(library: Library, name: str, lanes: Mapping[str, LaneOf], created: str) -> tuple[str, Run, bool]:
    """Make the run `name` of these lanes. The run id, the run, and whether anything changed.

    A run of that name with the same content is left alone; another capture of that name is followed. Raises UsageError
    where the name is that of a run of trials, or where no lane has an exchange.
    """
    if not any(lane.taped for lane in lanes.values()):
        raise UsageError("there is no interaction to import", fix="name a cassette that holds some")
    made = [part for lane in lanes for part in _parts(lane, lanes[lane], _facts(lanes), created)]
    with library.lock(name):
        before = captured_run(library, name)
        sealed: list[tuple[TrialKey, Try]] = [(key, put_part(library, data)) for key, data in made]
        if before is not None and _same(before[1], sealed):
            return before[0], before[1], False
        run_id, run = write_run(
            library, name, sealed, before=before, extends=None, created=created, evidence="imported"
        )
    sync_index(library)
    return run_id, run, True


def _same(run: Run, sealed: Sequence[tuple[TrialKey, Try]]) -> bool:
    there = {entry.key: entry.tries for entry in run.ledger}
    return run.evidence == "imported" and there == {str(key): (one,) for key, one in sealed}


def _facts(lanes: Mapping[str, LaneOf]) -> CaptureFacts:
    addresses = {
        one.one.address.alias: one.one.address.origin for lane in lanes.values() for one in lane.taped
    }
    return CaptureFacts(client=VCRPY, endpoints=dict(sorted(addresses.items())), redaction=REDACTION_VERSION)


def _parts(lane: str, content: LaneOf, facts: CaptureFacts, created: str) -> Iterator[tuple[TrialKey, bytes]]:
    """The cassettes of a lane, with their keys."""
    for number, groups in enumerate(_by_part(_interactions(content.taped))):
        key = key_at(lane, number)
        metadata = content.metadata if number == 0 else {}
        yield key, _cassette(key, groups, metadata, facts, created)


def _by_part(groups: Iterable[list[Taped]]) -> Iterator[list[list[Taped]]]:
    """As many interactions as a part may hold, by their number and their bytes."""
    part: list[list[Taped]] = []
    size = 0
    for group in groups:
        if len(part) >= PART or size >= PART_BYTES:
            yield part
            part, size = [], 0
        part.append(group)
        size += sum(len(row.one.exchange.body) + len(body_bytes(row.one.attempt)) for row in group)
    if part:
        yield part


def _interactions(taped: Sequence[Taped]) -> list[list[Taped]]:
    """The exchanges by interaction: what the SDK's retry count calls a retry is the next attempt of what failed."""
    groups: list[list[Taped]] = []
    open_to_retry: dict[tuple[str, str, str, bytes], list[list[Taped]]] = {}
    for row in taped:
        asked = row.one.exchange
        key = (asked.endpoint, asked.method, asked.path, asked.body)
        waiting = open_to_retry.setdefault(key, [])
        group = next((one for one in waiting if len(one) == asked.retry), None) if asked.retry else None
        if group is None:
            group = []
            groups.append(group)
        else:
            waiting.remove(group)
        group.append(row)
        if may_be_retried(row.one.attempt):
            waiting.append(group)
    return groups


def _cassette(
    key: TrialKey,
    groups: Sequence[Sequence[Taped]],
    metadata: JsonObject,
    facts: CaptureFacts,
    created: str,
) -> bytes:
    tape, layouts = Tape(key, elapsed_ms=lambda: 0.0), Layouts()
    lane = tape.lane(CLIENT)
    labels = (
        [Label(kind=LABEL, path=str(CallPath(key, CLIENT)), value={"metadata": metadata})] if metadata else []
    )
    for group in groups:
        slot = lane.begin(group[0].one.exchange.request())
        attempts = tuple(row.one.attempt for row in group)
        said = read_said(attempts[-1])
        path = str(slot.path)
        interaction = Interaction(
            path=path,
            request=slot.row,
            attempts=attempts,
            usage=said.usage,
            answered_by=said.model,
            request_id=said.request_id,
            fingerprint=said.fingerprint,
            outcome=interaction_outcome(path, slot.row.digest, attempts[-1]),
        )
        lane.commit(interaction, live=False)
        kept = [_kept(row, layouts) for row in group]
        labels.append(Label(kind=LABEL, path=path, value={"attempts": kept}))
    header = capture_header(key, facts, created, "imported")
    return pack_lanes(header, tape.lanes, tape.recorded_blob, labels, created)


def _kept(row: Taped, layouts: Layouts) -> JsonObject:
    """What a label keeps of an exchange. `at` is its place among all of the run."""
    one = row.one
    kept = {"at": row.at, **one.kept}
    layout = layouts.of(one.exchange.body)
    if one.body is None:
        kept["body"] = None
    elif one.body != one.exchange.body:  # the boundary of a multipart body
        kept["body"] = whole(one.body)
    elif layout:
        kept["body"] = layout
    return kept


def latest_date(pairs: Sequence[Pair]) -> str | None:
    """When the latest of the answers was given, by their Date headers; None where none says."""
    found = [date for pair in pairs for value in pair.header("date") if (date := _date(value)) is not None]
    return max(found, default=None)


def _date(value: str) -> str | None:
    try:
        when: Any = parsedate_to_datetime(value)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return str(when.strftime("%Y-%m-%dT%H:%M:%S.000Z")) if when.year >= 1990 else None
