"""The MCP server on loopback HTTP, asked by the official client."""

from __future__ import annotations

import asyncio
import http.client

import pytest
from mcp import Client

from replaylab.errors import UsageError
from replaylab.foreign.mcp.http import HttpServer, listen
from replaylab.foreign.mcp.server import tool_server
from tests.foreign.mcp.serving import seated
from tests.foreign.playing import answered


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_a_client_plays_a_trial_over_http(era: str) -> None:
    async def plays(url: str) -> None:
        async with Client(url, mode=era) as client:
            await client.call_tool("list_places", {})
            await client.call_tool("submit_answer", {"answer": "done"})

    with (
        seated() as (desk, trial),
        HttpServer(tool_server(desk, submit=True), listen("127.0.0.1", 0)) as server,
    ):
        asyncio.run(plays(server.url))
        assert answered(trial.result(30).lanes["agent"]) == [[("list_places", "{}")], "done"]


def test_a_page_of_another_site_is_refused() -> None:
    with seated() as (desk, _), HttpServer(tool_server(desk, submit=True), listen("127.0.0.1", 0)) as server:
        address = server.url.removeprefix("http://").partition("/")[0]
        for headers in ({"host": "evil.example"}, {"origin": "http://evil.example"}):
            connection = http.client.HTTPConnection(address, timeout=60)
            connection.request("POST", "/mcp", b"{}", {"content-type": "application/json", **headers})
            assert connection.getresponse().status in (403, 421)
            connection.close()


def test_it_listens_on_loopback_only() -> None:
    with pytest.raises(UsageError, match="other machines"):
        listen("0.0.0.0", 0)


def test_a_port_that_is_taken_is_said() -> None:
    bound = listen("127.0.0.1", 0)
    try:
        with pytest.raises(UsageError, match="can't listen"):
            listen("127.0.0.1", bound.getsockname()[1])
    finally:
        bound.close()
