from __future__ import annotations

import time
from http.server import BaseHTTPRequestHandler

import httpx2
import pytest

from replaylab.wire.endpoint import network
from tests.wire.server import Step, serving


def drip(head: bytes, piece: bytes) -> Step:
    """Send the beginning of an answer, then a piece again and again until the client hangs up."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(head)
        for _ in range(200):
            handler.wfile.write(piece)
            time.sleep(0.05)

    return step


def kept_open(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")


def clock_ms() -> float:
    return time.monotonic() * 1000


@pytest.mark.parametrize(
    ("head", "piece"),
    [
        (b"HTTP/1.1 200 OK\r\nX-Long: ", b"a"),
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
        (b"HTTP/1.1 200 OK\r\n\r\n{", b" "),
    ],
    ids=["head", "interim answers", "body"],
)
def test_a_timeout_is_for_the_whole_answer_wherever_it_drips(head: bytes, piece: bytes) -> None:
    with serving(drip(head, piece)) as server, httpx2.Client(transport=network(1, clock_ms)) as client:
        begun = time.monotonic()
        with pytest.raises(httpx2.ReadTimeout):
            client.post(server.url, content=b"{}", timeout=0.4)
        assert time.monotonic() - begun < 5


def test_each_request_of_a_kept_connection_has_the_whole_timeout() -> None:
    now = 0.0
    with serving(kept_open) as server, httpx2.Client(transport=network(1, lambda: now)) as client:
        for _ in range(3):
            now += 50_000
            assert client.post(server.url, content=b"{}", timeout=60).status_code == 200
