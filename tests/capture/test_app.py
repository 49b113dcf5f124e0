"""The proxy as its clients see it: what they get live, what is recorded, what they get again."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import brotli
import httpx2
import pytest
import zstandard

from replaylab.capture.routes import Upstream
from replaylab.engine.captured.recorded import Recorded
from replaylab.engine.captured.rules import Rules
from replaylab.schema.interaction import Interaction
from replaylab.store.library import Library
from tests.capture.proxying import KEY, Call, Seen, api, ask, both, proxied

CHAT = "/openai/v1/chat/completions"


def event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


def echo(call: Call) -> None:
    call.reply(b'{"you": %s}' % (call.got.body or b"null"))


def recorded(root: Path, run: str = "r") -> list[Interaction]:
    library = Library(root)
    return [one.row for one in Recorded(library, library.run(run)[1], Rules())]


# ------------------------------------------------------------------------------------------- streams


def test_the_first_piece_of_a_stream_is_not_held_back(tmp_path: Path) -> None:
    """CopilotKit/aimock PR#125, vcrpy#989: a recorder that reads to the end before it hands anything on."""
    go_on = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event("first"))
        assert go_on.wait(10)  # the upstream says nothing more until the client has the first piece
        call.chunk(event("last"))
        call.end()

    with api(answer) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        with httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=10) as response:
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
            time.sleep(0.05)
        call.end()

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT))
    assert live.pieces == played.pieces == parts
    assert (live.status, played.status) == (200, 200)
    assert live.times[-1] - live.times[0] > 0.15
    assert played.times[-1] - played.times[0] < 0.1


def test_the_end_of_an_answer_waits_until_it_is_on_the_disk(tmp_path: Path) -> None:
    """kill -9 after a client has its whole answer loses nothing of it, though the stream's last event is not its end."""
    for path, ending in (("a", b"data: [DONE]\n\n"), ("b", b"event: message_stop\ndata: {}\n\n")):

        def answer(call: Call, ending: bytes = ending) -> None:
            call.stream()
            call.chunk(event("x"))
            call.chunk(ending)
            time.sleep(0.2)
            call.end()

        with api(answer) as upstream:
            base = Upstream.at("openai", upstream.url + "/v1")
            with proxied(tmp_path / path, base) as serving, httpx2.Client(timeout=10) as client:
                with client.stream("POST", serving.address + CHAT, content=b"{}") as response:
                    for piece in response.iter_raw():
                        if piece == ending:
                            held = [
                                one.read_bytes()
                                for one in (tmp_path / path).rglob("journal/*/*")
                                if one.is_file()
                            ]
                            assert any(ending.split()[1] in one for one in held) or any(held)
                            break
        assert recorded(tmp_path / path)[0].final.complete


def test_a_client_that_leaves_at_the_stated_end_has_a_whole_answer(tmp_path: Path) -> None:
    """SDKs stop reading at [DONE], before the connection's own end."""

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event("x"))
        call.chunk(b"data: [DONE]\n\n")
        time.sleep(0.3)
        call.end()

    with api(answer) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        with socket.create_connection(("127.0.0.1", int(serving.address.rsplit(":", 1)[1]))) as client:
            client.sendall(b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}" % CHAT.encode())
            seen = b""
            while b'"x"' not in seen:
                seen += client.recv(4096)
            time.sleep(0.1)
    final = recorded(tmp_path)[0].final
    assert final.complete
    assert final.failure is None


@pytest.mark.parametrize("said", ["data: [DONE] is how it ends", "event: message_stop"])
def test_what_a_model_says_of_ends_is_no_end(tmp_path: Path, said: str) -> None:
    go_on = threading.Event()

    def answer(call: Call) -> None:
        call.stream()
        call.chunk(event(said))
        go_on.wait(10)
        call.chunk(event("more"))
        call.end()

    with (
        api(answer) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
        httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=5) as response,
    ):
        pieces = response.iter_raw()
        assert next(pieces) == event(said)
        go_on.set()
        assert next(pieces) == event("more")


# --------------------------------------------------------------------------------- what breaks, and how


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
            with httpx2.stream("POST", serving.address + CHAT, content=b"{}", timeout=10) as response:
                pieces = response.iter_raw()
                first = [next(pieces) for _ in range(3)]
            assert stopped.wait(10)
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
        time.sleep(0.5)
        call.reply(b"{}")

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            with pytest.raises(httpx2.ReadTimeout):
                httpx2.post(serving.address + CHAT, content=b"{}", timeout=0.2)
            assert came.is_set()
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


# ---------------------------------------------------------------------------------- bodies and encodings

ENCODED = {
    "gzip": gzip.compress,
    "br": brotli.compress,
    "zstd": zstandard.ZstdCompressor().compress,
    "deflate": zlib.compress,
}


@pytest.mark.parametrize("name", sorted(ENCODED))
def test_compressed_answers_reach_clients_decoded_live_and_played(tmp_path: Path, name: str) -> None:
    body = json.dumps({"text": "caf\u00e9 " * 50}).encode()
    packed = ENCODED[name](body)
    live, played, upstream = both(
        tmp_path,
        lambda call: call.reply(packed, content_encoding=name, etag="e"),
        lambda address: ask(address, CHAT),
    )
    assert live.body == played.body == body
    assert "content-encoding" not in live.headers
    assert "content-encoding" not in played.headers
    assert upstream.got[0].headers["accept-encoding"] == "identity"


def test_stacked_encodings_and_compressed_streams_are_decoded(tmp_path: Path) -> None:
    squeeze = zlib.compressobj(wbits=31)

    def answer(call: Call) -> None:
        if call.got.path.endswith("stacked"):
            call.reply(gzip.compress(brotli.compress(b'{"deep": 1}')), content_encoding="br, gzip")
            return
        call.stream(content_encoding="gzip")
        for text in ("a", "b"):
            call.chunk(squeeze.compress(event(text)) + squeeze.flush(2))
            time.sleep(0.03)
        call.chunk(squeeze.flush())
        call.end()

    def use(address: str) -> list[Seen]:
        return [ask(address, "/openai/v1/stacked"), ask(address, CHAT)]

    live, played, _ = both(tmp_path, answer, use)
    assert live[0].body == played[0].body == b'{"deep": 1}'
    assert live[1].pieces == played[1].pieces == [event("a"), event("b")]


def test_a_body_that_is_not_what_its_encoding_says_breaks_off(tmp_path: Path) -> None:
    live, played, _ = both(
        tmp_path,
        lambda call: call.reply(b"plain text", content_encoding="gzip"),
        lambda address: ask(address, CHAT),
    )
    assert live.error == played.error == "RemoteProtocolError"
    failure = recorded(tmp_path)[0].final.failure
    assert failure is not None
    assert failure.message == "DecodingError"


@pytest.mark.parametrize("name", sorted(ENCODED))
def test_a_compressed_upload_goes_on_as_it_came_and_is_known_by_what_it_says(
    tmp_path: Path, name: str
) -> None:
    body = b'{"model": "m", "input": "text"}'
    packed = ENCODED[name](body)
    with api(echo) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            ask(serving.address, CHAT, packed, content_encoding=name)
    assert upstream.got[0].body == packed
    assert upstream.got[0].headers["content-encoding"] == name
    with proxied(
        tmp_path, base, mode="offline"
    ) as serving:  # another client compresses otherwise, or not at all
        assert ask(serving.address, CHAT, b'{"input": "text", "model":"m"}').status == 200


def test_an_upload_in_chunks_is_read_whole(tmp_path: Path) -> None:
    def use(address: str) -> Seen:
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=10)
        connection.request(
            "POST",
            CHAT,
            iter([b'{"a": ', b"1}"]),
            encode_chunked=True,
            headers={"transfer-encoding": "chunked", "expect": "100-continue"},
        )
        response = connection.getresponse()
        seen = Seen(response.status, {}, [response.read()])
        connection.close()
        return seen

    live, played, upstream = both(tmp_path, echo, use)
    assert live.outcome == played.outcome == (200, [b'{"you": {"a": 1}}'], "")
    assert upstream.got[0].headers["content-length"] == "8"
    assert "transfer-encoding" not in upstream.got[0].headers


def multipart(boundary: str, data: bytes) -> tuple[bytes, str]:
    body = (
        (
            f'--{boundary}\r\ncontent-disposition: form-data; name="model"\r\n\r\nwhisper\r\n--{boundary}\r\n'
            f'content-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'
        ).encode()
        + data
        + f"\r\n--{boundary}--\r\n".encode()
    )
    return body, f"multipart/form-data; boundary={boundary}"


def test_a_binary_upload_is_found_again_whatever_its_boundary(tmp_path: Path) -> None:
    """vcrpy PR#647, vcr/vcr#960, mock-server#965: random boundaries. vcrpy#656, #844: bytes that are no text."""
    sound = bytes(range(256)) * 8

    def use(boundary: str) -> tuple[Seen, bytes]:
        body, kind = multipart(boundary, sound)
        return ask(serving.address, "/openai/v1/audio/transcriptions", body, content_type=kind), body

    with api(lambda call: call.reply(b'{"text": "hm"}')) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            live, body = use("a1b2c3")
    assert upstream.got[0].body == body
    with proxied(tmp_path, base, mode="offline") as serving:
        played, _ = use("----WebKitFormBoundaryXyZ")
        assert played.outcome == live.outcome
        other, kind = multipart("q", sound[:-1] + b"!")
        assert ask(serving.address, "/openai/v1/audio/transcriptions", other, content_type=kind).status == 404


def test_a_binary_answer_is_bytes_from_end_to_end(tmp_path: Path) -> None:
    sound = bytes(range(256)) * 3
    live, played, _ = both(
        tmp_path, lambda call: call.reply(sound, kind="audio/mpeg"), lambda address: ask(address, CHAT)
    )
    assert live.body == played.body == sound
    assert played.headers["content-type"] == "audio/mpeg"


# ------------------------------------------------------------------------------------ methods and paths


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/openai/v1/models"),
        ("GET", "/openai/v1/files/file-1/content?purpose=x&limit=2"),
        ("DELETE", "/openai/v1/files/file-1"),
        ("PUT", "/openai/v1/things"),
        ("PATCH", "/openai/v1/things"),
        ("OPTIONS", "/openai/v1/things"),
        ("GET", "/openai/somewhere/else%2Fnobody:knows"),
        ("GET", "/openai"),
    ],
)
def test_any_method_and_any_path_passes_and_is_recorded(tmp_path: Path, method: str, path: str) -> None:
    def answer(call: Call) -> None:
        call.reply(f"{call.got.method} {call.got.path}".encode(), kind="text/plain")

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, path, None, method))
    behind = path.removeprefix("/openai") or "/"
    assert live.body == f"{method} {behind}".encode()
    assert live.outcome == played.outcome


def test_a_head_request_has_no_body(tmp_path: Path) -> None:
    def answer(call: Call) -> None:
        call.head(200, content_type="application/json", content_length="1234")

    live, played, _ = both(tmp_path, answer, lambda address: ask(address, CHAT, None, "HEAD"))
    assert live.outcome == played.outcome == (200, [], "")
    assert live.headers["content-length"] == "1234"


@pytest.mark.parametrize("status", [204, 304])
def test_an_answer_without_a_body_ends(tmp_path: Path, status: int) -> None:
    live, played, _ = both(tmp_path, lambda call: call.head(status), lambda address: ask(address, CHAT))
    assert live.outcome == played.outcome == (status, [], "")


def test_paths_of_no_upstream_are_refused_with_those_that_are(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, "/v1/chat/completions")
    error = json.loads(seen.body)["error"]
    assert (seen.status, seen.headers["x-should-retry"]) == (404, "false")
    assert "/openai/v1" in error["message"]
    assert upstream.got == []
    assert serving.run is None


def test_websockets_are_refused_clearly(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, "/openai/v1/realtime?model=m", None, "GET", connection="Upgrade",
                   upgrade="websocket", sec_websocket_key="x", sec_websocket_version="13")  # fmt: skip
    assert seen.status == 501
    assert "websockets are not recorded" in json.loads(seen.body)["error"]["message"]
    assert upstream.got == []


# --------------------------------------------------------------------------------------------- headers


def test_the_key_passes_through_and_our_own_headers_do_not(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, CHAT, x_replaylab_lane="left", openai_beta="assistants=v2")
    headers = upstream.got[0].headers
    assert headers["authorization"] == f"Bearer {KEY}"
    assert headers["openai-beta"] == "assistants=v2"
    assert headers["host"] == upstream.url.removeprefix("http://")
    assert not [name for name in headers if name.startswith("x-replaylab")]
    assert seen.headers["x-replaylab-callpath"] == recorded(tmp_path)[0].path
    assert "/left@" in recorded(tmp_path)[0].path


def test_headers_of_one_connection_go_no_further(tmp_path: Path) -> None:
    def answer(call: Call) -> None:
        call.reply(b"{}", connection="keep-alive", proxy_authenticate="Basic", set_cookie="a=1")

    with api(answer) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, CHAT, connection="x-private", x_private="1", te="trailers")
    assert not {"x-private", "te"} & set(upstream.got[0].headers)
    assert "proxy-authenticate" not in seen.headers
    assert seen.headers["set-cookie"] == "a=1"


def test_connections_are_kept_on_both_sides(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        port = int(serving.address.rsplit(":", 1)[1])
        with socket.create_connection(("127.0.0.1", port), timeout=10) as client:
            for number in range(5):
                body = b'{"n": %d}' % number
                client.sendall(
                    b"POST %s HTTP/1.1\r\nhost: x\r\ncontent-length: %d\r\n\r\n%s"
                    % (CHAT.encode(), len(body), body)
                )
                seen = b""
                while b'{"n": %d}}' % number not in seen:
                    seen += client.recv(4096)
    assert upstream.connections == 1
    assert len(recorded(tmp_path)) == 5


# --------------------------------------------------------------------------------------- in parallel


def test_a_hundred_streams_at_once_keep_to_themselves(tmp_path: Path) -> None:
    together = threading.Barrier(100)

    def answer(call: Call) -> None:
        number = json.loads(call.got.body)["n"]
        call.stream()
        call.chunk(event(f"{number} begins"))
        together.wait(30)  # all are open before any ends
        call.chunk(event(f"{number} ends"))
        call.end()

    def use(address: str) -> list[Seen]:
        with ThreadPoolExecutor(100) as pool, httpx2.Client(timeout=60, limits=httpx2.Limits()) as client:
            return list(pool.map(lambda n: ask(address, CHAT, b'{"n": %d}' % n, client=client), range(100)))

    live, played, _ = both(tmp_path, answer, use)
    assert [one.pieces for one in live] == [[event(f"{n} begins"), event(f"{n} ends")] for n in range(100)]
    assert [one.outcome for one in live] == [one.outcome for one in played]


def test_identical_requests_at_once_each_get_one_of_the_answers_and_a_warning(tmp_path: Path) -> None:
    """wiremock#456, hoverfly PR#771: three votes, and one answer given out three times."""
    count = iter(range(100))
    together = threading.Barrier(3)

    def answer(call: Call) -> None:
        number = next(count)
        together.wait(10)
        call.reply(b'{"vote": %d}' % number)

    def use(address: str) -> list[bytes]:
        with ThreadPoolExecutor(3) as pool:
            return [seen.body for seen in pool.map(lambda _: ask(address, CHAT), range(3))]

    with api(answer) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            live = use(serving.address)
    with proxied(tmp_path, base, mode="offline") as serving:
        played = use(serving.address)
        fourth = ask(serving.address, CHAT)
    assert sorted(live) == sorted(played) == [b'{"vote": 0}', b'{"vote": 1}', b'{"vote": 2}']
    assert any("3 identical requests" in line for line in serving.warnings)
    error = json.loads(fourth.body)["error"]
    assert error["code"] == "asked_more_often"  # vcrpy#516, #533: "0 different matchers"
    assert "3" in error["message"]
    assert "4th" in error["message"]


# -------------------------------------------------------------------------------------------- misses


def test_a_miss_is_final_and_says_what_comes_nearest(tmp_path: Path) -> None:
    """mitmproxy#2076, inspect_ai#1529: a miss that nobody can understand. multicloudj#547: one that goes live."""
    question = {"model": "m", "messages": [{"role": "user", "content": "today is Monday"}]}
    with api(echo) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            ask(serving.address, CHAT, json.dumps(question).encode())
        asked = len(upstream.got)
        question["messages"] = [{"role": "user", "content": "today is Friday"}]
        with proxied(tmp_path, base, mode="offline") as serving:
            seen = ask(serving.address, CHAT, json.dumps(question).encode())
        assert len(upstream.got) == asked
    error = json.loads(seen.body)["error"]
    assert (seen.status, seen.headers["x-should-retry"]) == (404, "false")
    assert (error["type"], error["code"]) == ("replaylab_miss", "no_such_request")
    assert error["nearest"] == recorded(tmp_path)[0].path
    assert error["pointer"] == "/messages/0/content"
    assert ("Monday" in error["expected"], "Friday" in error["observed"]) == (True, True)
    assert list(serving.unplayed) == [recorded(tmp_path)[0].path]


def test_offline_there_is_nothing_that_could_ask(tmp_path: Path) -> None:
    """kiwicom/pytest-recording#150: a guard that did nothing. Here there is no upstream client at all."""
    with api(echo) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            ask(serving.address, CHAT)
        with proxied(tmp_path, base, mode="offline") as serving:
            assert serving.app.forward is None
            assert all(one.base is None for one in serving.app.routes.upstreams.values())
            ask(serving.address, CHAT, b'{"other": 1}')
    assert len(upstream.got) == 1


def test_nothing_asked_leaves_no_empty_recording(tmp_path: Path) -> None:
    """docker-agent#4250: an empty cassette, which the next replay takes for one."""
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        pass
    assert serving.run is None
    assert not list(tmp_path.rglob("*.cassette"))


def test_extending_plays_what_is_there_and_asks_for_the_rest(tmp_path: Path) -> None:
    """vcrpy#842, #245: an answer that was recorded in this session is never played to it."""
    count = iter(range(100))
    with api(lambda call: call.reply(b'{"n": %d}' % next(count))) as upstream:
        base = Upstream.at("openai", upstream.url + "/v1")
        with proxied(tmp_path, base) as serving:
            assert ask(serving.address, CHAT).body == b'{"n": 0}'
        with proxied(tmp_path, base, mode="extend") as serving:
            bodies = [ask(serving.address, CHAT).body for _ in range(3)]
    assert bodies == [b'{"n": 0}', b'{"n": 1}', b'{"n": 2}']


def test_a_lane_is_exact(tmp_path: Path) -> None:
    count = iter(range(100))

    def use(address: str) -> list[bytes]:
        lanes = ("a", "b", "a", "b")
        return [ask(address, CHAT, x_replaylab_lane=lane).body for lane in lanes]

    live, played, _ = both(tmp_path, lambda call: call.reply(b'{"n": %d}' % next(count)), use)
    assert live == played
    with proxied(tmp_path, Upstream("openai", mount="/v1"), mode="offline") as serving:
        assert ask(serving.address, CHAT, x_replaylab_lane="b").body == live[1]
        wrong = ask(serving.address, CHAT, b'{"other": 1}', x_replaylab_lane="a")
    assert json.loads(wrong.body)["error"]["code"] == "out_of_order"


def test_a_lane_that_is_no_name_is_the_clients_mistake(tmp_path: Path) -> None:
    with api(echo) as upstream, proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving:
        seen = ask(serving.address, CHAT, x_replaylab_lane="x" * 5000)
        assert seen.status in (200, 400)
