from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest

from replaylab.errors import OfflineError, ReplaylabError, UsageError
from replaylab.schema.callpath import CallPath
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Chunk, Failure, Interaction, RequestLine
from replaylab.wire.completion import judge
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import LaneTransport, failure_of
from tests.wire.server import KEY, Clock, Plain, delta, event

SECRET = "plum-Zq8Xw3Rt6Yu1Io9Pa4"
PIECES = [SECRET[at : at + 3] for at in range(0, len(SECRET), 3)]

ERRORS = [
    (httpx2.ConnectError, "refused"),
    (httpx2.ConnectTimeout, "timeout"),
    (httpx2.ReadTimeout, "timeout"),
    (httpx2.WriteTimeout, "timeout"),
    (httpx2.PoolTimeout, "timeout"),
    (httpx2.ReadError, "read_error"),
    (httpx2.WriteError, "read_error"),
    (httpx2.RemoteProtocolError, "read_error"),
    (httpx2.LocalProtocolError, "read_error"),
    (httpx2.ProxyError, "refused"),
    (httpx2.UnsupportedProtocol, "refused"),
]


def _streamed(extra: Callable[[int], dict[str, Any]]) -> list[bytes]:
    """A stream that gives the secret away in pieces, with these fields more in each event."""
    events = [delta(content=piece) | extra(number) for number, piece in enumerate(PIECES)]
    return [event(one) for one in (*events, delta("stop"))]


class FakeSlot:
    path = CallPath(KEY, "agent", 0)

    def __init__(self, final: Attempt | None = None) -> None:
        row = RequestLine(digest="0" * 64, alias="m")
        self.recorded = (
            Interaction(path=str(self.path), request=row, attempts=(final,), outcome="0" * 64)
            if final
            else None
        )

    def elapsed_ms(self) -> float:
        return 5.0

    def commit(self, attempts: object, completion: object) -> Interaction:
        raise NotImplementedError

    def play(self) -> Interaction:
        raise NotImplementedError


class Failing(httpx2.BaseTransport):
    def __init__(self, error: Exception) -> None:
        self.error = error

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        raise self.error


class Slow(httpx2.BaseTransport):
    """A stream whose pieces take a second each; `closed` says that it was hung up on."""

    def __init__(self, clock: Clock, *pieces: bytes) -> None:
        self.clock, self.pieces, self.closed = clock, pieces, False

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        outer = self

        class Body(httpx2.SyncByteStream):
            def __iter__(self) -> Iterator[bytes]:
                for piece in outer.pieces:
                    outer.clock.sleep(1)
                    yield piece

            def close(self) -> None:
                outer.closed = True

        return httpx2.Response(200, headers={"content-type": "text/event-stream"}, stream=Body())


def ask(transport: LaneTransport) -> httpx2.Response:
    with httpx2.Client(transport=transport) as client:
        return client.post("http://m.invalid/v1/chat/completions", content=b"{}")


@pytest.mark.parametrize(("error", "kind"), ERRORS)
def test_a_transport_error_is_recorded_and_raised_as_the_same_class_live_and_played(
    error: type[httpx2.RequestError], kind: str
) -> None:
    live = LaneTransport(Failing(error("to 10.0.0.7:443 at 12:31")), Plain(), Clock())
    live.slot = FakeSlot()
    with pytest.raises(error):
        ask(live)
    assert live.captured == Attempt(started_ms=5, failure=Failure(kind=kind, message=error.__name__))
    played = LaneTransport(None, Plain(), Clock())
    played.slot = FakeSlot(live.captured)
    with pytest.raises(error):
        ask(played)
    assert played.captured is None


def test_an_error_of_another_class_is_played_as_its_kind_allows() -> None:
    class OwnError(httpx2.ReadError): ...

    assert failure_of(OwnError("x"), begun=True) == Failure(kind="read_error", message="ReadError")


def test_a_stream_is_recorded_and_played_chunk_by_chunk_with_its_times() -> None:
    clock = Clock()
    live = LaneTransport(Slow(clock, b"data: [DO", b"NE]\n\n"), Plain(), clock)
    live.slot = FakeSlot()
    assert ask(live).content == b"data: [DONE]\n\n"
    assert live.captured is not None
    assert live.captured.chunks == (Chunk(ms=1000, text="data: [DO"), Chunk(ms=2000, text="NE]\n\n"))
    assert live.captured.latency_ms == 2000
    played = LaneTransport(None, Plain(), Clock())
    played.slot = FakeSlot(live.captured)
    with httpx2.Client(transport=played) as client, client.stream("POST", "http://m.invalid/") as response:
        assert list(response.iter_raw()) == [b"data: [DO", b"NE]\n\n"]


def test_a_cut_stream_is_played_up_to_the_same_byte_and_cut_again() -> None:
    final = Attempt(
        status=200,
        chunks=(Chunk(ms=1, text="data: 1\n\n"), Chunk(ms=2, b64="/w==")),
        complete=False,
        failure=Failure(kind="truncated", message="RemoteProtocolError"),
    )
    played = LaneTransport(None, Plain(), Clock())
    played.slot = FakeSlot(final)
    got = b""
    with httpx2.Client(transport=played) as client, client.stream("POST", "http://m.invalid/") as response:
        pieces = response.iter_raw()
        got = next(pieces) + next(pieces)
        with pytest.raises(httpx2.RemoteProtocolError):
            next(pieces)
    assert got == b"data: 1\n\n\xff"


def test_an_answer_that_drips_for_too_long_is_a_timeout_and_hung_up_on() -> None:
    clock = Clock()
    inner = Slow(clock, *[b": wait\n\n"] * 50)
    live = LaneTransport(inner, Plain(), clock, deadline_ms=3500)
    live.slot = FakeSlot()
    with pytest.raises(httpx2.ReadTimeout):
        ask(live)
    assert live.captured is not None
    assert live.captured.failure == Failure(kind="timeout", message="ReadTimeout")
    assert live.captured.complete is False
    assert len(live.captured.chunks or ()) == 4
    assert inner.closed


def test_a_secret_is_gone_before_the_client_sees_the_body() -> None:
    live = LaneTransport(Slow(Clock(), b"data: s3cret-s3cret\n\n"), Plain(), Clock())
    live.slot = FakeSlot()
    assert b"s3cret" not in ask(live).content


def test_a_request_outside_a_lane_is_refused() -> None:
    with pytest.raises(UsageError):
        ask(LaneTransport(Failing(AssertionError("asked")), Plain(), Clock()))


def test_without_an_inner_transport_a_miss_is_an_offline_error() -> None:
    transport = LaneTransport(None, Plain(), Clock())
    transport.slot = FakeSlot()
    with pytest.raises(OfflineError, match="agent#0") as caught:
        ask(transport)
    assert isinstance(caught.value, ReplaylabError)


def test_what_is_recorded_is_played_without_asking_the_inner_transport() -> None:
    transport = LaneTransport(Failing(AssertionError("asked")), Plain(), Clock())
    transport.slot = FakeSlot(Attempt(status=200, text="x", headers={"content-type": "text/plain"}))
    response = ask(transport)
    assert (response.text, response.headers["content-type"]) == ("x", "text/plain")


class Whole(httpx2.BaseTransport):
    """Answers with this body and these headers."""

    def __init__(self, body: bytes, **headers: str) -> None:
        self.body, self.headers = body, {name.replace("_", "-"): value for name, value in headers.items()}

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        return httpx2.Response(200, headers=self.headers, stream=httpx2.ByteStream(self.body))


def captured(inner: httpx2.BaseTransport) -> Attempt:
    live = LaneTransport(inner, Redactor([SECRET]), Clock())
    live.slot = FakeSlot()
    ask(live)
    assert live.captured is not None
    played = LaneTransport(None, Plain(), Clock())
    played.slot = FakeSlot(live.captured)
    assert ask(played).status_code == 200
    assert played.found == live.captured.failure
    return live.captured


def test_a_body_that_is_too_large_is_a_failure_and_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("replaylab.wire.transport.MAX_BODY", 1000)
    attempt = captured(Whole(b" " * 1001))
    assert attempt.failure is not None
    assert attempt.failure.message.startswith("the body is larger than")
    assert (attempt.text, attempt.complete) == (None, False)
    assert captured(Whole(b" " * 1000)).text == " " * 1000


@pytest.mark.parametrize("encoding", ["br", "gzip, br", "x-unknown", ""])
def test_a_body_that_nobody_decompressed_is_not_kept(encoding: str) -> None:
    body = gzip.compress(SECRET.encode())
    attempt = captured(Whole(gzip.compress(body) if "gzip" in encoding else body, content_encoding=encoding))
    assert attempt.failure is not None
    assert "compressed" in attempt.failure.message
    assert attempt.text is attempt.b64 is None


@pytest.mark.parametrize("kind", ["text/event-stream", "Text/Event-Stream; charset=utf-8", "text/plain"])
def test_a_stream_is_scanned_as_one_whatever_its_content_type_says(kind: str) -> None:
    attempt = captured(Whole(b"".join(_streamed(lambda number: {})), content_type=kind))
    found = judge(attempt)
    assert isinstance(found, Completion)
    assert found.text == "*REDACTED*"


@pytest.mark.parametrize(
    "body",
    [
        b"".join(_streamed(lambda number: {"type": f"t{number}"})),
        json.dumps({"choices": [{"message": {"content": [{"text": piece} for piece in PIECES]}}]}).encode(),
    ],
    ids=["another type in each event", "parts of a content"],
)
def test_a_body_whose_answer_still_holds_a_secret_is_not_kept(body: bytes) -> None:
    attempt = captured(Whole(body))
    assert attempt.failure is not None
    assert "a secret in pieces" in attempt.failure.message
    assert (attempt.text, attempt.b64, attempt.chunks) == (None, None, None)
