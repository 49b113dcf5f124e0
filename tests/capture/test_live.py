"""What is handed on from an upstream, what of it is recorded, and where it breaks."""

from __future__ import annotations

import errno
import gzip
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import httpx2
import pytest

from replaylab.capture.routes import Upstream
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.session import Place
from replaylab.errors import StoreError
from replaylab.schema.interaction import Attempt
from replaylab.store import disk
from tests.capture.proxying import (
    CHAT,
    KEY,
    Call,
    Seen,
    api,
    ask,
    both,
    event,
    every_byte,
    proxied,
    recorded,
)


@contextmanager
def asking(address: str) -> Iterator[socket.socket]:
    """A client that has asked, and hangs up at the end of the block whatever came by then."""
    with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), 60) as client:
        client.sendall(b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}" % CHAT.encode())
        yield client


def hung_up(call: Call) -> None:
    """Say nothing until whoever asked is gone."""
    call.handler.connection.settimeout(60)
    assert call.handler.connection.recv(1) == b""


# --------------------------------------------------------------------------------------------- streams


def test_the_first_piece_of_a_stream_is_not_held_back(tmp_path: Path) -> None:
    """CopilotKit/aimock PR#125, vcrpy#989: a recorder that reads to the end before it hands anything on."""
    go_on = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event("first"))
        assert go_on.wait(60)  # the upstream says nothing more until the client has the first piece
        call.chunk(event("last"))
        call.end()

    with (
        api(answer) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
        httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=60) as response,
    ):
        pieces = response.iter_raw()
        assert next(pieces) == event("first")
        go_on.set()
        assert list(pieces) == [event("last")]
    chunks = recorded(tmp_path)[0].final.chunks
    assert chunks is not None
    assert [chunk.text for chunk in chunks] == [event("first").decode(), event("last").decode()]
    assert chunks[0].ms <= chunks[1].ms <= recorded(tmp_path)[0].final.latency_ms


def test_a_stream_is_played_chunk_for_chunk_and_nobody_waits(tmp_path: Path) -> None:
    parts = [
        event("a"),
        event("b") + event("c"),
        "data: \u20ac".encode()[:-1],
        b"\xac\n\n",
        b"data: [DONE]\n\n",
    ]

    def answer(call: Call) -> None:
        call.stream()
        for part in parts:
            call.chunk(part)
            time.sleep(0.3)
        call.end()

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.pieces == played.pieces == parts
    assert (live.status, played.status) == (200, 200)
    assert live.times[-1] - live.times[0] > 1
    assert played.times[-1] - played.times[0] < 0.9


@pytest.mark.parametrize("ending", [b"data: [DONE]\n\n", b"event: message_stop\ndata: {}\n\n", b""])
def test_the_end_of_an_answer_waits_until_it_is_on_the_disk(tmp_path: Path, ending: bytes) -> None:
    """A client that has its whole answer may go on, and kill -9 may follow: nothing of it is lost by then."""
    body = b'{"whole": "answer"}'

    def answer(call: Call) -> None:
        if ending:
            call.stream()
            call.chunk(event("x"))
            call.chunk(ending)
            call.end()
        else:
            call.reply(body)

    on_disk: list[bool] = []
    last = ending or body
    with api(answer) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        journaled = Event()
        begin = serving.session.begin

        def slow(asked: Exchange) -> Place:
            place = begin(asked)
            commit = place.commit

            def late(attempt: Attempt) -> None:
                time.sleep(0.2)
                commit(attempt)
                journaled.set()

            place.commit = late  # type: ignore[method-assign]
            return place

        serving.session.begin = slow  # type: ignore[method-assign]
        with httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=60) as response:
            on_disk += [journaled.is_set() for piece in response.iter_raw() if piece == last]
    assert on_disk == [True]
    assert recorded(tmp_path)[0].final.complete


def test_a_client_that_leaves_at_the_stated_end_has_a_whole_answer(tmp_path: Path) -> None:
    """SDKs stop reading at [DONE], before the connection's own end."""

    left = Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event("x"))
        call.chunk(b"data: [DONE]\n\n")
        hung_up(call)
        left.set()

    with (
        api(answer) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
    ):
        with asking(serving.address) as client:
            seen = b""
            while b"[DONE]" not in seen:
                seen += client.recv(4096)
        assert left.wait(60)
    final = recorded(tmp_path)[0].final
    assert final.complete
    assert final.failure is None


@pytest.mark.parametrize("said", ["data: [DONE] is how it ends", "event: message_stop"])
def test_what_a_model_says_of_ends_is_no_end(tmp_path: Path, said: str) -> None:
    go_on = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event(said))
        go_on.wait(60)
        call.chunk(event("more"))
        call.end()

    with (
        api(answer) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
        httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=60) as response,
    ):
        pieces = response.iter_raw()
        assert next(pieces) == event(said)
        go_on.set()
        assert next(pieces) == event("more")


# -------------------------------------------------------------------------------- what breaks, and how


def test_a_client_that_hangs_up_stops_its_upstream_and_leaves_an_incomplete_answer(tmp_path: Path) -> None:
    """docker cagent streaming_recorder.go:129 stored such an answer as if it were whole."""
    stopped = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        try:
            for number in range(400):
                call.chunk(event(str(number)))
                time.sleep(0.01)
        except OSError:
            stopped.set()
            raise

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            with httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=60) as response:
                pieces = response.iter_raw()
                first = [next(pieces) for _ in range(3)]
            assert stopped.wait(60)
    final = recorded(tmp_path)[0].final
    assert (final.complete, final.failure and final.failure.message) == (False, "the client hung up")
    assert final.chunks is not None
    assert 3 <= len(final.chunks) < 400
    with proxied(tmp_path, base, mode="offline") as serving:
        played = ask(serving.address, CHAT)
    assert played.pieces[:3] == first
    assert len(played.pieces) == len(final.chunks)
    assert played.error == "RemoteProtocolError"


def test_a_client_that_leaves_before_any_answer_is_an_attempt_too(tmp_path: Path) -> None:
    came = threading.Event()

    def answer(call: Call) -> None:
        came.set()
        hung_up(call)

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving, asking(serving.address):
            assert came.wait(60)
    final = recorded(tmp_path)[0].final
    assert (final.status, final.complete) == (None, False)
    with proxied(tmp_path, base, mode="offline") as serving:
        assert ask(serving.address, CHAT).error == "RemoteProtocolError"


@pytest.mark.parametrize("streamed", [True, False])
def test_an_upstream_that_breaks_off_breaks_at_the_same_byte_again(tmp_path: Path, streamed: bool) -> None:
    """omnigent#872, vcrpy#922: transport errors are outcomes."""

    def answer(call: Call) -> None:
        if streamed:
            call.stream()
            call.chunk(event("one"))
            call.chunk(event("two")[:9])
        else:
            call.head(200, content_type="application/json", content_length="100")
            call.raw(b'{"half": ')
        time.sleep(0.1)
        call.reset()

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.error == played.error == "RemoteProtocolError"
    assert live.body == played.body
    assert live.body.startswith(b"data: " if streamed else b'{"half": ')
    final = recorded(tmp_path)[0].final
    assert not final.complete
    assert final.failure is not None


def test_an_upstream_that_is_not_there_is_a_502_and_is_played(tmp_path: Path) -> None:
    with socket.socket() as gone:
        gone.bind(("127.0.0.1", 0))
        base = Upstream.at("openai", f"http://127.0.0.1:{gone.getsockname()[1]}/v1")
        with proxied(tmp_path, base) as serving:
            live = ask(serving.address, CHAT)
    with proxied(tmp_path, base, mode="offline") as serving:
        played = ask(serving.address, CHAT)
    assert live.outcome == played.outcome
    assert live.status == 502
    error = json.loads(live.body)["error"]
    assert (error["type"], error["code"]) == ("replaylab_upstream", "refused")
    assert played.headers["retry-after-ms"] == "1"


def test_an_upstream_that_hangs_up_without_an_answer_is_a_502(tmp_path: Path) -> None:
    live, played, _ = both(tmp_path, lambda call: call.reset(), lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome
    assert live.status == 502
    assert json.loads(live.body)["error"]["code"] == "read_error"


def test_an_upstream_that_says_nothing_is_a_504(tmp_path: Path) -> None:
    with api(lambda call: time.sleep(1)) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1", timeout_s=0.2)
        with proxied(tmp_path, base) as serving:
            live = ask(serving.address, CHAT)
    with proxied(tmp_path, base, mode="offline") as serving:
        played = ask(serving.address, CHAT)
    assert live.outcome == played.outcome
    assert live.status == 504
    failure = recorded(tmp_path)[0].final.failure
    assert failure is not None
    assert failure.kind == "timeout"


@pytest.mark.parametrize("status", [400, 401, 404, 409, 429, 500, 503, 529])
def test_errors_pass_with_their_headers_and_are_attempts(tmp_path: Path, status: int) -> None:
    def answer(call: Call) -> None:
        call.reply(b'{"error": {"message": "no"}}', status, retry_after="7", x_request_id="req-1")

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome
    assert live.status == status
    assert live.headers["retry-after"] == "7"
    assert played.headers["x-request-id"] == live.headers["x-request-id"] == "req-1"
    assert played.headers.get("retry-after-ms") == "1"
    assert "retry-after" not in played.headers  # Auto-GPT-test-cassettes#1: a replay that really sleeps
    failure = recorded(tmp_path)[0].final.failure
    assert failure is not None
    assert failure.message == f"HTTP {status}"


def test_nobody_waits_for_a_played_failure_and_what_is_final_stays_final(tmp_path: Path) -> None:
    def answer(call: Call) -> None:
        call.reply(b"{}", 503, x_should_retry="false", x_ratelimit_reset="1s", anthropic_ratelimit_tokens="9")

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome
    assert "retry-after-ms" not in live.headers
    assert played.headers["retry-after-ms"] == "1"
    assert played.headers["x-should-retry"] == "false"
    assert played.headers["anthropic-ratelimit-tokens"] == "9"


def test_a_retry_is_an_attempt_and_takes_no_place_of_the_next_question(tmp_path: Path) -> None:
    """omnigent#872: a reset in the middle of a stream, and the retry eats the answer of the next question."""
    times: list[int] = []

    def answer(call: Call) -> None:
        times.append(1)
        if len(times) == 1:
            call.reply(b'{"error": "slow down"}', 429, retry_after="1")
        else:
            call.reply(b'{"n": %d}' % len(times))

    def use(address: str) -> list[Seen]:
        first = ask(address, CHAT)
        again = ask(address, CHAT, x_stainless_retry_count="1")
        return [first, again, ask(address, CHAT), ask(address, CHAT)]

    live, played, _ = both(tmp_path, answer, use)
    assert [one.status for one in live] == [429, 200, 200, 200]
    assert [one.outcome for one in live] == [one.outcome for one in played]
    assert [len(one.attempts) for one in recorded(tmp_path)] == [2, 1, 1]


def test_a_retry_waits_for_nobody_elses_stream(tmp_path: Path) -> None:
    go_on = threading.Event()

    def answer(call: Call) -> None:
        if call.got.body == b'{"long": 1}':
            call.stream()
            call.chunk(event("open"))
            go_on.wait(60)
            call.end()
        elif call.got.headers.get("x-stainless-retry-count") == "1":
            call.reply(b'{"second": "try"}')
        else:
            call.reply(b"{}", 500)

    with (
        api(answer) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
        httpx2.stream("POST", serving.address + CHAT, content=b'{"long": 1}', timeout=60) as response,
    ):
        pieces = response.iter_raw()
        assert next(pieces) == event("open")
        begun = time.monotonic()
        assert ask(serving.address, CHAT).status == 500
        assert ask(serving.address, CHAT, x_stainless_retry_count="1").status == 200
        assert time.monotonic() - begun < 4
        go_on.set()
        assert list(pieces) == []


def test_a_retry_after_a_clients_own_timeout_is_the_next_attempt(tmp_path: Path) -> None:
    came = threading.Event()

    def answer(call: Call) -> None:
        if call.got.headers.get("x-stainless-retry-count") == "1":
            call.reply(b'{"second": "try"}')
        else:
            came.set()
            hung_up(call)

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            with asking(serving.address):
                assert came.wait(60)
            live = ask(serving.address, CHAT, x_stainless_retry_count="1")
    assert [len(one.attempts) for one in recorded(tmp_path)] == [2]
    with proxied(tmp_path, base, mode="offline") as serving:
        assert ask(serving.address, CHAT).error == "RemoteProtocolError"
        assert ask(serving.address, CHAT, x_stainless_retry_count="1").outcome == live.outcome
        assert not serving.session.misses


# ---------------------------------------------------------------------------------- upstreams that lie


def test_a_status_that_http_does_not_have_is_no_answer(tmp_path: Path) -> None:
    def use(address: str) -> list[Seen]:
        return [ask(address, f"/openai/v1/{number}") for number in (529, 599, 600, 999)]

    def answer(call: Call) -> None:
        call.reply(b"{}", int(call.got.path.rpartition("/")[2]))

    live, played, _ = both(tmp_path, answer, use)
    assert [seen.status for seen in live] == [529, 599, 502, 502]
    assert [seen.outcome for seen in live] == [seen.outcome for seen in played]
    failures = [row.final.failure for row in recorded(tmp_path)]
    assert [one and one.message for one in failures] == ["HTTP 529", "HTTP 599", "HTTP 600", "HTTP 999"]


@pytest.mark.parametrize("length", [1, 9, 400])
def test_a_length_beside_chunks_is_not_believed(tmp_path: Path, length: int) -> None:
    def answer(call: Call) -> None:
        call.stream("application/json", content_length=str(length))
        call.chunk(b'{"a": "whole"}')
        call.end()

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome == (200, [b'{"a": "whole"}'], "")


def test_a_stream_that_goes_on_behind_its_end_is_at_its_end(tmp_path: Path) -> None:
    stop = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event("said"))
        call.chunk(b"data: [DONE]\n\n")
        while not stop.wait(0.05):
            call.chunk(b": still here\n\n")

    try:
        live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    finally:
        stop.set()
    assert live.pieces[:2] == [event("said"), b"data: [DONE]\n\n"]
    assert (live.error, played.error) == ("", "")
    assert live.pieces == played.pieces


def test_what_follows_a_compressed_body_breaks_nothing(tmp_path: Path) -> None:
    def answer(call: Call) -> None:
        call.reply(gzip.compress(b'{"a": 1}') + b"\0\0\0\0", content_encoding="gzip")

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome == (200, [b'{"a": 1}'], "")


def test_a_header_is_played_byte_for_byte(tmp_path: Path) -> None:
    def answer(call: Call) -> None:
        call.raw(b"HTTP/1.1 200 X\r\ncontent-length: 2\r\nx-request-id: r\xc3\xa9q\r\n\r\n{}")

    def use(address: str) -> list[bytes]:
        with httpx2.Client(trust_env=False) as client:
            answered = client.post(address + CHAT, content=b"{}")
        return [value for name, value in answered.headers.raw if name.lower() == b"x-request-id"]

    live, played, _ = both(tmp_path, answer, use)
    assert live == played == [b"r\xc3\xa9q"]


# --------------------------------------------------------------------------------------------- redirects


@pytest.mark.parametrize("absolute", [True, False])
def test_a_redirect_within_an_upstream_is_followed_through_the_proxy(tmp_path: Path, absolute: bool) -> None:
    """Many servers send whoever leaves out a slash to the address with it; that call must be recorded too."""

    def answer(call: Call) -> None:
        if call.got.path.endswith("/"):
            call.reply(b'{"arrived": %d}' % len(call.got.body))
        else:
            host = f"http://{call.got.headers['host']}" if absolute else ""
            call.reply(b"", 307, location=f"{host}{call.got.path}/")

    def use(address: str) -> Seen:
        with httpx2.Client(trust_env=False, follow_redirects=True) as client:
            return ask(address, "/openai/v1/files", b"1234", client=client)

    live, played, upstream = both(tmp_path, answer, use)
    assert live.outcome == played.outcome == (200, [b'{"arrived": 4}'], "")
    assert [row.request.path for row in recorded(tmp_path)] == ["/v1/files", "/v1/files/"]
    assert all(got.headers["authorization"].endswith(KEY) for got in upstream.got)


def test_a_redirect_elsewhere_is_handed_on_and_neither_followed_nor_kept(tmp_path: Path) -> None:
    where = f"https://elsewhere.example/x?api_key={KEY}"
    with api(lambda call: call.reply(b"", 307, location=where)) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            assert ask(serving.address, CHAT).headers["location"] == where
        assert len(upstream.got) == 1
    assert b"elsewhere.example" not in every_byte(tmp_path)
    assert KEY.encode() not in every_byte(tmp_path)


# ------------------------------------------------------------------------------------- disks that are full


def test_an_error_of_the_recorder_takes_no_answer_from_its_client_either(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def commit(place: Place, attempt: object) -> None:
        raise TypeError("a mistake of ours")

    monkeypatch.setattr(Place, "commit", commit)
    with (
        api(lambda call: call.reply(call.got.body)) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
    ):
        said = [ask(serving.address, CHAT, text) for text in (b'"first"', b'"second"')]
        defects, serving.app.defects = serving.app.defects, []
    assert [(seen.status, seen.error) for seen in said] == [(200, ""), (507, "")]
    assert said[0].body == b'"first"'
    assert "nothing more can be recorded: TypeError: a mistake of ours" in said[1].body.decode()
    assert [str(error) for error in defects] == ["a mistake of ours"]
    assert len(upstream.got) == 1


def test_an_answer_that_can_t_be_recorded_is_not_lost_for_its_client_and_nothing_more_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole_write, room = disk.write_all, [2]

    def write(fd: int, data: bytes) -> None:
        if b"second" in data:
            room[0] = 0
        if not room[0]:
            raise OSError(errno.ENOSPC, "full")
        whole_write(fd, data)

    monkeypatch.setattr(disk, "write_all", write)
    with api(lambda call: call.reply(b'{"you": %s}' % call.got.body)) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            said = [ask(serving.address, CHAT, b'"%s"' % text) for text in (b"first", b"second", b"third")]
            room[0] = 2  # the disk has room again when it is sealed
            lost = serving.app.lost
            serving.app.defects = []
    assert [seen.status for seen in said] == [200, 200, 507]
    assert [seen.body for seen in said[:2]] == [b'{"you": "first"}', b'{"you": "second"}']
    assert "nothing more can be recorded" in said[2].body.decode()
    assert said[2].headers["x-should-retry"] == "false"
    assert len(upstream.got) == 2
    (error,) = lost
    assert isinstance(error, StoreError)
    assert "the disk is full" in error.what
    assert (serving.app.counts.live, serving.app.counts.refused) == (1, 1)
    assert len(recorded(tmp_path)) == 1
