"""An MCP server on this process's stdin and stdout, and one there that hands everything on to a server on HTTP."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from mcp import Client
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from replaylab import __version__
from replaylab.foreign.mcp.server import NAME

_Context = ServerRequestContext[Any]


def serve_stdio(server: Server[Any]) -> None:
    """Serve until stdin ends."""

    async def serve() -> None:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def bridge_stdio(url: str) -> None:
    """Hand on whatever is asked on stdin to the MCP server at that address, until stdin ends."""

    async def serve() -> None:
        async with Client(url) as client:
            server = bridge(client)
            async with stdio_server() as (reading, writing):
                await server.run(reading, writing, server.create_initialization_options())

    anyio.run(serve)


def bridge(client: Client) -> Server[Any]:
    """A server that has what the client's server has."""

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
