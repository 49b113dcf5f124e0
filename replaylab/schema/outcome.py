"""Outcome digests: over what was asked and answered and what follows from it. No times, headers or attempts take part.

interaction/1   CallPath, request digest, and the final attempt's status, failure kind, body and completeness
lane/1          the interactions of a lane in order
trial/1         the inputs, the lanes, the trajectory and the verdict
run/1           the spec and the outcome of each planned trial, null where it is missing
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping

from replaylab.canonical import Digest, digest
from replaylab.schema.base import JsonObject
from replaylab.schema.interaction import Attempt


def body_bytes(attempt: Attempt) -> bytes:
    """The body of an attempt as received, chunks joined; b"" when there is none."""
    pieces = attempt.chunks if attempt.chunks is not None else (attempt,)
    return b"".join(_piece(piece.text, piece.b64) for piece in pieces)


def _piece(text: str | None, b64: str | None) -> bytes:
    return text.encode() if text is not None else base64.b64decode(b64 or "")


def interaction_outcome(path: str, request: str, final: Attempt) -> Digest:
    """`interaction/1`."""
    return digest(
        {
            "v": "interaction/1",
            "path": path,
            "request": request,
            "status": final.status,
            "failure": final.failure.kind if final.failure else None,
            "complete": final.complete,
            "body": hashlib.sha256(body_bytes(final)).hexdigest(),
        }
    )


def lane_outcome(interactions: Iterable[str]) -> Digest:
    """`lane/1`, from the outcomes of its interactions in order."""
    return digest({"v": "lane/1", "interactions": list(interactions)})


def trial_outcome(inputs: str, lanes: Mapping[str, str], trajectory: str, verdict: str) -> Digest:
    """`trial/1`."""
    return digest(
        {"v": "trial/1", "inputs": inputs, "lanes": dict(lanes), "trajectory": trajectory, "verdict": verdict}
    )


def run_outcome(spec: JsonObject, trials: Mapping[str, str | None]) -> Digest:
    """`run/1`, from the spec as JSON and the outcome of each planned trial by key."""
    return digest({"v": "run/1", "spec": digest(spec), "trials": dict(trials)})
