"""An MCP server on this process's stdin and stdout, and one there that hands everything on to a server on HTTP."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager, suppress
from typing import Any, BinaryIO, cast

import anyio
import mcp_types as types
from mcp import Client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage

from replaylab import __version__
from replaylab.foreign.mcp.lines import mended, refusal
from replaylab.foreign.mcp.log import report_in_lines
from replaylab.foreign.mcp.server import NAME

_Context = ServerRequestContext[Any]


def serve_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends."""
    anyio.run(_serve, server)


def bridge_stdio(url: str) -> None:
    """Hand on whatever is asked on stdin to the MCP server at that address, until stdin ends."""

    async def serve() -> None:
        async with Client(url) as client:
            await _serve(bridge(client))

    anyio.run(serve)


async def _serve(server: Server[Any]) -> None:
    with _stdin() as stdin:
        messages = _Messages(stdin)
        async with stdio_server(stdin=cast("anyio.AsyncFile[str]", messages)) as (reading, writing):
            messages.answers = writing
            await server.run(reading, writing, server.create_initialization_options())


class _Messages:
    """The lines of stdin that are messages. The others are answered on `answers` as they come."""

    def __init__(self, stdin: BinaryIO) -> None:
        self._lines = anyio.wrap_file(stdin)
        self.answers: Any = None

    async def __aiter__(self) -> AsyncIterator[str]:
        async for data in self._lines:
            line = mended(data.decode("utf-8", "replace"))
            refused = refusal(line)
            if refused is None:
                yield line
            else:
                with suppress(anyio.ClosedResourceError, anyio.BrokenResourceError):
                    await self.answers.send(SessionMessage(refused))


@contextmanager
def _stdin() -> Iterator[BinaryIO]:
    """Stdin under a descriptor of its own. A child that reads stdin meanwhile finds its end, and takes no message."""
    own, nothing = os.dup(sys.stdin.fileno()), os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, sys.stdin.fileno())
    os.close(nothing)
    try:
        yield os.fdopen(own, "rb", closefd=False)  # a thread may still wait on it after the end
    finally:
        os.dup2(own, sys.stdin.fileno())


def bridge(client: Client) -> Server[Any]:
    """A server that has what the client's server has."""
    report_in_lines()

    async def list_tools(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        return await client.list_tools()

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await client.call_tool(params.name, params.arguments or {})

    async def list_prompts(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return await client.list_prompts()

    async def get_prompt(context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await client.get_prompt(params.name, params.arguments)

    return Server(
        NAME,
        version=__version__,
        instructions=client.instructions,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )
