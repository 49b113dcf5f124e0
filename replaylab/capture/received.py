"""What came back from an upstream: kept as it came, and made an attempt of once it is whole.

A client sees the raw bytes. What is kept is scanned as a whole, because a secret may lie across any two pieces.
"""

from __future__ import annotations

import re
from typing import Any

from replaylab.engine.captured.exchange import MAX_BODY
from replaylab.schema.interaction import Attempt, Chunk, Failure, FailureKind
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import packed

HUNG_UP = Failure(kind="truncated", message="the client hung up")
TOO_LARGE = Failure(
    kind="bad_shape", message=f"the body is larger than {MAX_BODY >> 20} MiB and was not kept"
)

# How the streams of the known APIs end. Only the head of a line counts: what a model says can't stand there.
_END = re.compile(
    rb"(?:^|[\r\n])(?:data: ?\[DONE\]|event: ?(?:message_stop|response\.(?:completed|failed|incomplete))(?=[\r\n]))"
)
_TAIL = 40
_STATUS: dict[int, FailureKind] = {401: "unauthorized", 403: "unauthorized", 429: "rate_limited"}


class Received:
    """An answer in the making. `location` is where it leads below the proxy, "" for nowhere."""

    def __init__(self) -> None:
        self.status: int | None = None
        self.headers: list[tuple[str, str]] = []
        self.pieces: list[tuple[float, bytes]] = []
        self.size = 0
        self.streamed = False
        self.location = ""
        self.ended = False
        self._tail = b""

    def head(self, status: int, headers: list[tuple[str, str]], *, length: int | None) -> None:
        """The status and the headers came. `length` is the content-length, where one was said."""
        self.status, self.headers = status, headers
        kind = next((value for name, value in headers if name.lower() == "content-type"), "")
        self._events = kind.lower().startswith("text/event-stream")
        self.streamed = length is None
        self._length = length

    def piece(self, ms: float, data: bytes) -> bool:
        """One more piece, decoded. Whether the answer is at its end with it, as far as its length or its API says so."""
        self.size += len(data)
        if self.size <= MAX_BODY:
            self.pieces.append((round(ms, 3), data))
        if self._events and not self.ended:
            window = self._tail + data
            self.ended = _END.search(window) is not None
            self._tail = window[-_TAIL:]
        elif self._length is not None:
            self.ended = self.size >= self._length
        return self.ended

    def attempt(self, redactor: Redactor, latency_ms: float, failure: Failure | None) -> Attempt:
        """What is recorded. `failure` is what cut the answer off; without one it is whole."""
        fields: dict[str, Any] = {"latency_ms": round(latency_ms, 3)}
        if self.status is None:
            return Attempt(**fields, failure=failure, complete=False)
        fields |= {"status": self.status, "headers": redactor.headers(self.headers)}
        if self.location:
            headers = {**fields["headers"], "location": redactor.url(self.location)}
            fields["headers"] = dict(sorted(headers.items()))
        if self.size > MAX_BODY:
            return Attempt(**fields, failure=TOO_LARGE, complete=False)
        fields |= self._body(redactor)
        fields["complete"] = failure is None
        if self.status >= 400:
            # A status says more than the broken body behind it.
            failure = Failure(kind=_STATUS.get(self.status, "http_status"), message=f"HTTP {self.status}")
        return Attempt(**fields, failure=failure)

    def _body(self, redactor: Redactor) -> dict[str, Any]:
        if not self.pieces:
            return {}
        raw = [piece for _, piece in self.pieces]
        if not (self.streamed and (len(raw) > 1 or self._events)):
            return packed(b"".join(redactor.stream([b"".join(raw)])))
        clean = redactor.stream(raw)
        return {
            "chunks": tuple(
                Chunk(ms=ms, **packed(piece)) for (ms, _), piece in zip(self.pieces, clean, strict=True)
            )
        }
