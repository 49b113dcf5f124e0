"""Redacting a cassette: what was asked and answered goes, the digests stay.

What stays still proves something: the header against its inputs digest, each interaction's outcome from its request
digest, status and body digest, the lanes from those, the trial from the lanes, and the trial against the ledger that
the run id covers. What can't be checked without the words stands in `UNCHECKED`.
"""

from __future__ import annotations

from collections.abc import Iterator

from replaylab.canonical import digest, digest_bytes
from replaylab.cassette.codec import Cassette
from replaylab.engine.plan import inputs_digest
from replaylab.schema.cassette import key_of
from replaylab.schema.finding import Finding
from replaylab.schema.interaction import Interaction
from replaylab.schema.outcome import body_bytes, lane_outcome, trial_outcome
from replaylab.schema.tombstone import TOMBSTONE_FORMAT, Kept, KeptInteraction, Tombstone

UNCHECKED = (
    "the SHA-256 that names the cassette (its bytes are not here)",
    "that a request's digest is that of what was asked",
    "that a body's digest is that of what was answered",
    "trajectory and verdict: they follow from the answers, so nothing can be replayed, judged or scored anew",
    "labels: which faults were delivered, and what was seeded",
)


def redacted(cassette: Cassette) -> Tombstone:
    """The tombstone that stands for a cassette in a redacted pack. The same cassette gives the same bytes."""
    lanes = {name: tuple(map(_kept, rows)) for name, rows in cassette.lanes.items()}
    return Tombstone(
        format=TOMBSTONE_FORMAT,
        cassette=cassette.name,
        why="redacted",
        size=cassette.size,
        kept=Kept(header=cassette.header, lanes=lanes, seal=cassette.seal),
    )


def _kept(row: Interaction) -> KeptInteraction:
    final = row.final
    return KeptInteraction(
        path=row.path,
        request=row.request.digest,
        outcome=row.outcome,
        status=final.status,
        failure=final.failure.kind if final.failure else None,
        complete=final.complete,
        body=digest_bytes(body_bytes(final)),
        attempts=len(row.attempts),
        usage=row.usage,
        answered_by=row.answered_by,
        fingerprint=row.fingerprint,
    )


def check_kept(stone: Tombstone, where: str) -> Iterator[Finding]:
    """Compute again what can be computed of a redacted cassette, up to the outcome that the ledger names."""
    if stone.kept is None or stone.kept.header.subject.kind not in ("trial", "capture"):
        return
    header, seal = stone.kept.header, stone.kept.seal
    if inputs_digest(header) != header.inputs:
        yield Finding.of("inputs-digest", where, "the header does not match its inputs digest")
    outcomes: dict[str, str] = {}
    for lane, rows in stone.kept.lanes.items():
        for ordinal, row in enumerate(rows):
            address = f"{key_of(header)}/{lane}#{ordinal}"
            if row.path != address:
                yield Finding.of(
                    "call-path", row.path, "it stands elsewhere", expected=address, observed=row.path
                )
            if row.outcome != (now := _outcome(row)):
                message = "it does not match its digest"
                yield Finding.of("outcome-digest", row.path, message, expected=row.outcome, observed=now)
        outcomes[lane] = lane_outcome(row.outcome for row in rows)
    sealed = {lane: part.outcome for lane, part in seal.lanes.items()}
    if sealed != outcomes:
        message = "the sealed lanes are not those that are kept"
        yield Finding.of("lanes", where, message, expected=sealed, observed=outcomes)
    outcome = trial_outcome(header.inputs, outcomes, seal.trajectory_digest, seal.verdict_digest)
    if outcome != seal.outcome:
        message = "the sealed outcome is not what follows from the digests that are kept"
        yield Finding.of("outcome", where, message, expected=seal.outcome, observed=outcome)


def _outcome(row: KeptInteraction) -> str:
    """`interaction/1`, from the body's digest in place of the body."""
    return digest(
        {
            "v": "interaction/1",
            "path": row.path,
            "request": row.request,
            "status": row.status,
            "failure": row.failure,
            "complete": row.complete,
            "body": row.body,
        }
    )
