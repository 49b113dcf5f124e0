"""The bridge from stdin and stdout to HTTP: the official client starts it as a program."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from mcp import Client, StdioServerParameters

from replaylab.foreign.mcp.http import HttpServer, listen
from replaylab.foreign.mcp.server import tool_server
from replaylab.foreign.mcp.stdio import bridge
from tests.foreign.mcp.serving import seated
from tests.foreign.playing import answered

REPO = Path(__file__).resolve().parents[3]


def test_a_client_that_can_only_start_programs_plays_a_trial() -> None:
    async def plays(url: str) -> None:
        args = ["-m", "replaylab", "env", "stdio", url]
        program = StdioServerParameters(command=sys.executable, args=args, env={"PYTHONPATH": str(REPO)})
        async with Client(program) as client:
            assert "submit_answer" in [one.name for one in (await client.list_tools()).tools]
            seen = await client.call_tool("list_places", {})
            assert seen.content[0].text.startswith('{"places"')  # type: ignore[union-attr]
            await client.call_tool("submit_answer", {"answer": "done"})

    with (
        seated() as (desk, trial),
        HttpServer(tool_server(desk, submit=True), listen("127.0.0.1", 0)) as server,
    ):
        asyncio.run(plays(server.url))
        assert answered(trial.result(30).lanes["agent"]) == [[("list_places", "{}")], "done"]


def test_the_bridge_hands_on_all_that_the_server_has() -> None:
    async def same() -> None:
        async with Client(tool_server(desk, submit=True)) as there, Client(bridge(there)) as here:
            assert (await here.list_tools()).tools == (await there.list_tools()).tools
            assert (await here.list_prompts()).prompts == (await there.list_prompts()).prompts
            assert (await here.get_prompt("task")).messages == (await there.get_prompt("task")).messages
            assert here.instructions == there.instructions

    with seated() as (desk, _):
        asyncio.run(same())
