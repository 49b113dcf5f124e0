"""The transport that is given to the SDK's HTTP client: it knows its lane's slot, captures each exchange, and plays.

Live and played exchanges reach the client through the same function, made from the recorded attempt. So the client
sees the redacted bytes and the recorded headers in both cases, and a transport error is raised as the same class.
A stream is read to its end before it is handed on: a secret may lie across any two chunks, and the engine's roles
only use whole answers. The chunks and their times are kept, and the client gets them piece by piece.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import httpx2

from replaylab.errors import OfflineError, UsageError
from replaylab.schema.base import Json
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Chunk, Failure, FailureKind
from replaylab.schema.outcome import body_bytes
from replaylab.wire.completion import EVENTS, judge
from replaylab.wire.ports import Clock, Redacts, SlotPort

_KINDS: tuple[tuple[type[httpx2.RequestError], FailureKind], ...] = (
    (httpx2.ConnectTimeout, "timeout"),
    (httpx2.ReadTimeout, "timeout"),
    (httpx2.WriteTimeout, "timeout"),
    (httpx2.PoolTimeout, "timeout"),
    (httpx2.ConnectError, "refused"),
    (httpx2.ProxyError, "refused"),
    (httpx2.UnsupportedProtocol, "refused"),
    (httpx2.ReadError, "read_error"),
    (httpx2.WriteError, "read_error"),
    (httpx2.CloseError, "read_error"),
    (httpx2.LocalProtocolError, "read_error"),
    (httpx2.RemoteProtocolError, "read_error"),
    (httpx2.DecodingError, "not_json"),
)
# 100,000 tokens streamed one by one take some 30 MB.
MAX_BODY = 32 << 20
_TOO_LARGE = f"the body is larger than {MAX_BODY >> 20} MiB and was not kept"
_COMPRESSED = "the body is compressed in a way that was not asked for, and was not kept"
_IN_PIECES = "the body held a secret in pieces and was not kept"
# What the HTTP library decodes wherever it is installed, and is asked for; how gzip, zlib and zstd begin.
_DECODED = frozenset({"", "identity", "gzip", "deflate"})
_MAGIC = (b"\x1f\x8b", b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda", b"\x28\xb5\x2f\xfd")
_HEAD = 256
_CLASSES = {kind.__name__: kind for kind, _ in _KINDS}


class LaneTransport(httpx2.BaseTransport):
    """For one lane, so for one request at a time. `inner` is None offline: nothing can be forwarded.

    Set `slot` before each request. `captured` is then the attempt of the last live exchange, None when it was played.
    `found` is what it holds, or the failure that was recorded, else None; `answered` says whether a status came.
    """

    def __init__(
        self,
        inner: httpx2.BaseTransport | None,
        redactor: Redacts,
        clock_ms: Clock,
        deadline_ms: float = float("inf"),
    ) -> None:
        self.inner, self.redactor, self.clock_ms, self.deadline_ms = inner, redactor, clock_ms, deadline_ms
        self.slot: SlotPort | None = None
        self.captured: Attempt | None = None
        self.found: Completion | Failure | None = None
        self.answered = False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve the recorded final attempt, or forward, capture, and serve what was captured."""
        self.captured, self.found, self.answered = None, None, False
        if self.slot is None:
            raise UsageError("a request without a place in a lane", where=request.url.path)
        if self.slot.recorded is not None:
            self.found = self.slot.recorded.final.failure
            return self._serve(self.slot.recorded.final)
        if self.inner is None:
            raise OfflineError(
                "nothing is recorded for this call, and there is no network offline",
                where=str(self.slot.path),
                fix="record it first: run the same command without --offline",
            )
        self.captured, self.found = self._capture(self.inner, request, self.slot.elapsed_ms())
        return self._serve(self.captured)

    def _serve(self, attempt: Attempt) -> httpx2.Response:
        response = served(attempt)
        self.answered = True
        return response

    def _capture(
        self, inner: httpx2.BaseTransport, request: httpx2.Request, started_ms: float
    ) -> tuple[Attempt, Completion | Failure]:
        begun = self.clock_ms()
        fields: dict[str, Any] = {"started_ms": round(started_ms, 3)}
        pieces: list[tuple[float, bytes]] = []
        response: httpx2.Response | None = None
        streamed, size = False, 0
        try:
            response = inner.handle_request(request)
            fields["status"] = response.status_code
            fields["headers"] = self.redactor.headers(response.headers.multi_items())
            streamed = response.headers.get("content-type", "").lower().startswith("text/event-stream")
            # What the HTTP library can decode must not depend on what else is installed.
            for piece in response.iter_raw() if _encodings(response) - _DECODED else response.iter_bytes():
                pieces.append((round(self.clock_ms() - begun, 3), piece))
                if self.clock_ms() - begun > self.deadline_ms:
                    raise httpx2.ReadTimeout("the whole answer took too long")
                if (size := size + len(piece)) > MAX_BODY:
                    break
        except httpx2.RequestError as error:
            fields |= {"failure": failure_of(error, begun=response is not None), "complete": response is None}
        finally:
            if response is not None:
                response.close()
        fields["latency_ms"] = round(self.clock_ms() - begun, 3)
        if refused := _unfit(pieces, response):
            return _judged(Attempt(**fields | refused))
        return self._safe(*_judged(Attempt(**fields, **self._body(pieces, streamed=streamed))))

    def _safe(self, attempt: Attempt, found: Completion | Failure) -> tuple[Attempt, Completion | Failure]:
        """Without the body when the answer put together from it still holds a secret: in pieces that nobody joined."""
        if isinstance(found, Failure):
            return attempt, found
        texts: list[Json] = [*found._replace(tool_calls=(), usage=None), *map(list, found.tool_calls)]
        if self.redactor.value(texts) is texts:
            return attempt, found
        return _judged(
            attempt.model_copy(update={"text": None, "b64": None, "chunks": None} | _refusal(_IN_PIECES))
        )

    def _body(self, pieces: list[tuple[float, bytes]], *, streamed: bool) -> dict[str, Any]:
        if not streamed:
            data = b"".join(piece for _, piece in pieces)
            # A stream under another name has its secrets in pieces as well.
            begins = data[:_HEAD].decode("utf-8", "replace").removeprefix("\ufeff").lstrip()
            scan = self._as_stream if EVENTS.match(begins) else self.redactor.body
            return packed(scan(data)) if data else {}
        clean = self.redactor.stream([piece for _, piece in pieces])
        return {
            "chunks": [Chunk(ms=ms, **packed(piece)) for (ms, _), piece in zip(pieces, clean, strict=True)]
        }

    def _as_stream(self, data: bytes) -> bytes:
        return b"".join(self.redactor.stream([data]))


def _unfit(pieces: list[tuple[float, bytes]], response: httpx2.Response | None) -> dict[str, Any]:
    """The fields of an attempt whose body can't be kept: too large, or compressed, so that nobody saw what is in it."""
    if sum(len(piece) for _, piece in pieces) > MAX_BODY:
        return _refusal(_TOO_LARGE)
    head = b"".join(piece for _, piece in pieces[:_HEAD])
    unknown = _encodings(response) - _DECODED if response else set()
    return _refusal(_COMPRESSED) if head and (unknown or head.startswith(_MAGIC)) else {}


def _encodings(response: httpx2.Response) -> set[str]:
    return {name.strip().lower() for name in response.headers.get("content-encoding", "").split(",")}


def _refusal(message: str) -> dict[str, Any]:
    return {"failure": Failure(kind="bad_shape", message=message), "complete": False}


def _judged(attempt: Attempt) -> tuple[Attempt, Completion | Failure]:
    """With the failure that its status or body amounts to. A status that says more than the broken body wins."""
    failure = attempt.failure
    if failure is not None and (attempt.status or 0) < 400:
        return attempt, failure
    found = judge(attempt.model_copy(update={"failure": None}))
    return attempt.model_copy(update={"failure": found if isinstance(found, Failure) else None}), found


def packed(data: bytes) -> dict[str, str]:
    """Bytes as the fields of an attempt or chunk: `text` when they are UTF-8, else `b64`."""
    try:
        return {"text": data.decode("utf-8")}
    except UnicodeDecodeError:
        return {"b64": base64.b64encode(data).decode()}


def failure_of(error: httpx2.RequestError, *, begun: bool) -> Failure:
    """The typed failure of a transport error; its message is the name of the class. `begun`: a status had come."""
    kind: FailureKind = next((kind for known, kind in _KINDS if isinstance(error, known)), "read_error")
    if begun and isinstance(error, httpx2.RemoteProtocolError):
        kind = "truncated"
    name = type(error).__name__
    return Failure(kind=kind, message=name if name in _CLASSES else "ReadError")


def served(attempt: Attempt) -> httpx2.Response:
    """The recorded attempt as a response, without waiting. Raises the transport error that it ended in."""
    known = _CLASSES.get(attempt.failure.message) if attempt.failure else None
    error = known("recorded") if known else None
    if attempt.status is None:
        raise error or httpx2.ReadError("recorded")
    return httpx2.Response(attempt.status, headers=attempt.headers, stream=_Recorded(attempt, error))


class _Recorded(httpx2.SyncByteStream):
    def __init__(self, attempt: Attempt, error: httpx2.RequestError | None) -> None:
        self._attempt, self._error = attempt, error

    def __iter__(self) -> Iterator[bytes]:
        if self._attempt.chunks is None:
            yield body_bytes(self._attempt)
        else:
            for chunk in self._attempt.chunks:
                yield chunk.text.encode() if chunk.text is not None else base64.b64decode(chunk.b64 or "")
        if self._error is not None:
            raise self._error


class ProgramTransport(httpx2.BaseTransport):
    """An inner transport that asks a function of this process: path and body give status, headers and pieces.

    So a built-in model is called, captured and recorded like any other.
    """

    def __init__(self, program: Callable[[str, bytes], tuple[int, dict[str, str], Iterable[bytes]]]) -> None:
        self._program = program

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Ask the function."""
        status, headers, pieces = self._program(request.url.path, request.read())
        return httpx2.Response(status, headers=headers, stream=_Pieces(pieces))


class _Pieces(httpx2.SyncByteStream):
    def __init__(self, pieces: Iterable[bytes]) -> None:
        self._pieces = pieces

    def __iter__(self) -> Iterator[bytes]:
        yield from self._pieces
