"""What a client gets: error documents of our own, and recorded attempts, chunk for chunk and broken where they broke."""

from __future__ import annotations

import base64
from collections.abc import Awaitable, Callable, Iterator, MutableMapping, Sequence
from typing import Any

from replaylab import canonical
from replaylab.capture.received import HUNG_UP
from replaylab.engine.captured.miss import Miss
from replaylab.schema.interaction import Attempt, Failure
from replaylab.schema.outcome import body_bytes
from replaylab.wire.redact import PLACEHOLDER

Message = MutableMapping[str, Any]
Send = Callable[[Message], Awaitable[None]]
Receive = Callable[[], Awaitable[Message]]
Pairs = Sequence[tuple[bytes, bytes]]

CALLPATH = b"x-replaylab-callpath"
REDACTED = b"x-replaylab-redacted"
# Today's SDKs try neither again; `x-should-retry` says so to those that ask.
MISS_STATUS = 404
_JSON = (b"content-type", b"application/json")
_FINAL = (b"x-should-retry", b"false")
_NO_BODY = frozenset({204, 304})
_TRIED_AGAIN = frozenset({408, 409, 429})
_WAITS = frozenset({b"retry-after", b"retry-after-ms"})
_MARK = PLACEHOLDER.encode()


async def start(send: Send, status: int, headers: Pairs) -> None:
    """Send the head of an answer."""
    await send({"type": "http.response.start", "status": status, "headers": list(headers)})


async def piece(send: Send, data: bytes, *, last: bool = False) -> None:
    """Send a piece of the body; the last one ends it."""
    await send({"type": "http.response.body", "body": data, "more_body": not last})


async def document(send: Send, status: int, value: dict[str, Any], headers: Pairs = ()) -> None:
    """Send a JSON document as a whole answer."""
    data = canonical.dumps(value)
    await start(send, status, [_JSON, (b"content-length", b"%d" % len(data)), *headers])
    await piece(send, data, last=True)


def error(message: str, kind: str, code: str, **more: Any) -> dict[str, Any]:
    """An error in the shape that the OpenAI API made common; what the official SDKs show is `message`."""
    return {"error": {"message": message, "type": kind, "code": code, **more}}


async def refuse(send: Send, status: int, message: str, code: str, fix: str = "") -> None:
    """Refuse a request that the proxy can't serve, finally."""
    value = error(f"replaylab: {message}" + (f"; {fix}" if fix else ""), "replaylab_refused", code, fix=fix)
    await document(send, status, value, [_FINAL])


def miss_document(found: Miss) -> dict[str, Any]:
    """What is said when nothing is recorded for a request: why, and what comes nearest."""
    return error(
        f"replaylab: {found.message}",
        "replaylab_miss",
        found.reason,
        nearest=found.nearest or None,
        pointer=found.pointer or None,
        expected=found.expected,
        observed=found.observed,
        fix=found.fix,
    )


async def miss(send: Send, found: Miss) -> None:
    """Say that nothing is recorded for a request."""
    await document(send, MISS_STATUS, miss_document(found), [_FINAL])


async def no_answer(send: Send, failure: Failure, headers: Pairs) -> None:
    """Say that the upstream gave no answer; the same document live and on replay."""
    status = 504 if failure.kind == "timeout" else 502
    message = f"replaylab: the upstream gave no answer ({failure.kind}: {failure.message})"
    await document(send, status, error(message, "replaylab_upstream", failure.kind), headers)


def chunks_of(attempt: Attempt) -> Iterator[bytes]:
    """The recorded pieces of a body."""
    if attempt.chunks is None:
        if data := body_bytes(attempt):
            yield data
        return
    for chunk in attempt.chunks:
        yield chunk.text.encode() if chunk.text is not None else base64.b64decode(chunk.b64 or "")


def _as_sent(value: str) -> bytes:
    """A header's value byte for byte: it was read as Latin-1, unless it came from a file that had it as text."""
    try:
        return value.encode("latin-1")
    except UnicodeEncodeError:
        return value.encode("utf-8", "replace")


async def recorded(send: Send, attempt: Attempt, path: str, *, head: bool) -> bool:
    """Serve what was recorded, without waiting. False when it must break off here, as it broke when it was recorded."""
    named = [(CALLPATH, path.encode())]
    if attempt.status is None:
        failure = attempt.failure or HUNG_UP
        if failure.message == HUNG_UP.message:
            return False
        # Whoever tries again need not wait for an upstream that is not there.
        await no_answer(send, failure, [*named, (b"retry-after-ms", b"1")])
        return True
    pieces = list(chunks_of(attempt))
    headers = [(name.encode(), _as_sent(value)) for name, value in attempt.headers.items()]
    headers += named
    if attempt.status in _TRIED_AGAIN or attempt.status >= 500:
        # An SDK tries again, and without being told otherwise waits for a server that is not there.
        headers = [*(one for one in headers if one[0] not in _WAITS), (b"retry-after-ms", b"1")]
    if marks := sum(part.count(_MARK) for part in pieces):
        headers.append((REDACTED, b"%d" % marks))
    if attempt.chunks is None and attempt.complete and not head and attempt.status not in _NO_BODY:
        headers.append((b"content-length", b"%d" % sum(map(len, pieces))))
    await start(send, attempt.status, headers)
    for part in pieces:
        await piece(send, part)
    if attempt.complete:
        await piece(send, b"", last=True)
    return attempt.complete
