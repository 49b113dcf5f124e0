"""The proxy as its clients see it: bodies, methods, paths, headers, many at once."""

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
from replaylab.wire.redact import Redactor
from tests.capture.proxying import CHAT, KEY, Call, Seen, api, ask, both, echo, event, proxied, recorded

# -------------------------------------------------------------------------------- bodies and encodings

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
def test_a_compressed_answer_that_ends_early_is_no_whole_answer(tmp_path: Path, name: str) -> None:
    packed = ENCODED[name](bytes(range(256)) * 40)[:-6]
    live, played, _ = both(
        tmp_path, lambda call: call.reply(packed, content_encoding=name), lambda address: ask(address, CHAT)
    )
    assert live.error == played.error == "RemoteProtocolError"
    assert live.body == played.body
    assert not recorded(tmp_path)[0].final.complete


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
        connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
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


# ----------------------------------------------------------------------------------- methods and paths


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
        with socket.create_connection(("127.0.0.1", port), timeout=60) as client:
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


# ----------------------------------------------------------------------------------------- in parallel


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


@pytest.mark.parametrize("path", ["/../admin/keys", "/v1/%2e%2e/%2e%2e/admin", "/v1/./models"])
def test_a_path_that_leaves_its_upstream_is_refused(tmp_path: Path, path: str) -> None:
    with (
        api(echo) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/tenant/v1")) as serving,
    ):
        host, port = serving.address.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as line:
            line.sendall(f"GET /openai{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".encode())
            said = b"".join(iter(lambda: line.recv(1 << 16), b""))
        assert said.startswith(b"HTTP/1.1 400 ")
        assert b"the path has a part . or .." in said
        assert upstream.got == []


def test_a_large_body_holds_up_nobody_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The scan of a long conversation for secrets takes its time; meanwhile others ask and are answered."""
    scanned, go_on = threading.Event(), threading.Event()
    scan = Redactor.body

    def slow(self: Redactor, data: bytes) -> bytes:
        if len(data) > 100_000:
            scanned.set()
            assert go_on.wait(10)
        return scan(self, data)

    monkeypatch.setattr(Redactor, "body", slow)
    with (
        api(echo) as upstream,
        proxied(tmp_path, Upstream.at("openai", upstream.url + "/v1")) as serving,
        ThreadPoolExecutor(1) as pool,
    ):
        large = pool.submit(ask, serving.address, CHAT, b'"%s"' % (b"long " * 30_000))
        try:
            assert scanned.wait(10)
            assert ask(serving.address, CHAT, b'"short"').body == b'{"you": "short"}'
        finally:
            go_on.set()
        assert large.result().status == 200
