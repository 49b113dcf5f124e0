from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from replaylab.errors import OfflineError, ReplaylabError, UsageError
from replaylab.schema.callpath import CallPath
from replaylab.schema.interaction import Attempt, Chunk, Failure, Interaction, RequestLine
from replaylab.wire.transport import LaneTransport, failure_of
from tests.wire.server import KEY, Clock, Plain

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
