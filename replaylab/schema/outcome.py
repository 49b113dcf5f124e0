"""The outcome digest of an interaction: what was asked and what was answered, no times."""

from __future__ import annotations

import base64
import hashlib

from replaylab.canonical import Digest, digest
from replaylab.schema.interaction import Attempt, Chunk


def body_bytes(attempt: Attempt) -> bytes:
    """The body as received after redaction; the chunks of a stream joined; b"" when there was none."""
    if attempt.chunks is not None:
        return b"".join(_piece(chunk) for chunk in attempt.chunks)
    return _piece(attempt)


def _piece(part: Attempt | Chunk) -> bytes:
    if part.b64 is not None:
        return base64.b64decode(part.b64)
    return (part.text or "").encode("utf-8")


def interaction_outcome(path: str, request_digest: str, attempt: Attempt) -> Digest:
    """`interaction/1`: CallPath, request digest, and of the final attempt the status, failure kind, body, completeness.

    Headers, times, earlier attempts, the message of a failure and the borders of stream chunks take no part.
    """
    return digest(
        {
            "v": "interaction/1",
            "path": path,
            "request": request_digest,
            "status": attempt.status,
            "failure": attempt.failure.kind if attempt.failure else None,
            "body": hashlib.sha256(body_bytes(attempt)).hexdigest(),
            "complete": attempt.complete,
        }
    )
