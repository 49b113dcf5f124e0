from __future__ import annotations

import socket

import pytest

from replaylab.capture.server import ProxyServer, listen
from replaylab.errors import UsageError
from tests.capture.proxying import ask


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "example.com"])
def test_an_address_that_others_reach_is_refused_unless_it_is_wanted(host: str) -> None:
    with pytest.raises(UsageError, match="API keys"):
        listen(host, 0)


def test_a_wanted_public_address_is_taken() -> None:
    with listen("0.0.0.0", 0, public=True) as bound:
        assert bound.getsockname()[0] == "0.0.0.0"


def test_a_port_that_is_taken_is_a_usage_error() -> None:
    with listen("127.0.0.1", 0) as bound, pytest.raises(UsageError, match="another port"):
        listen("127.0.0.1", bound.getsockname()[1])


def test_small_pieces_are_sent_at_once() -> None:
    """Nagle's algorithm held the first token back until the second was there."""
    seen: list[int] = []

    async def app(scope: dict[str, object], receive: object, send: object) -> None:
        connection = scope["state"]["replaylab_connection"]  # type: ignore[index]
        accepted = connection.transport.get_extra_info("socket")
        seen.append(accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        await send({"type": "http.response.start", "status": 204, "headers": []})  # type: ignore[operator]
        await send({"type": "http.response.body"})  # type: ignore[operator]

    with ProxyServer(app, listen("127.0.0.1", 0)) as server:
        assert ask(server.address, "/").status == 204
    assert seen == [1]


def test_what_closes_is_awaited_at_the_end_in_the_servers_loop() -> None:
    closed: list[bool] = []

    async def closing() -> None:
        closed.append(True)

    async def app(scope: object, receive: object, send: object) -> None:
        """Never asked."""

    with ProxyServer(app, listen("127.0.0.1", 0), closing):
        assert not closed
    assert closed == [True]
