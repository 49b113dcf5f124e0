"""One server in a thread: it answers, ends when told, and says why it can't listen."""

from __future__ import annotations

import urllib.error
import urllib.request
from typing import Any

import pytest
import uvicorn

from replaylab.errors import UsageError
from replaylab.wire.serving import QUIET, Serving, bind


async def hello(scope: Any, receive: Any, send: Any) -> None:
    await receive()
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


def test_it_answers_inside_the_block_alone_and_closes_what_it_was_given_in_its_own_loop() -> None:
    closed: list[str] = []

    async def closing() -> None:
        closed.append("closed")

    config = uvicorn.Config(hello, interface="asgi3", lifespan="off", timeout_graceful_shutdown=1, **QUIET)
    with Serving(config, bind("127.0.0.1", 0, waiting=8), "test", closing) as server:
        with urllib.request.urlopen(server.address) as answer:
            assert answer.read() == b"hello"
        assert closed == []
    assert closed == ["closed"]
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(server.address)


def test_a_taken_port_is_a_usage_error_that_names_it() -> None:
    bound = bind("127.0.0.1", 0, waiting=1)
    port = bound.getsockname()[1]
    with pytest.raises(UsageError, match=f"port {port}"):
        bind("127.0.0.1", port, waiting=1)
    bound.close()
    with pytest.raises(UsageError, match="can't listen"):
        bind("127.0.0.1", 65_536, waiting=1)
