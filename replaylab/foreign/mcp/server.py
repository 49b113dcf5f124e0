"""An MCP server that offers the tools of the trial at a desk.

A tool returns the text that any agent sees, also where it reports an error: what an agent is told must not depend on how
it is connected. Calls that can't be made (an unknown tool, no JSON) are answered by the engine like everyone's.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import anyio
import anyio.to_thread
import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server

from replaylab import __version__
from replaylab.canonical import NotIJson, canonical, loads
from replaylab.foreign.chat import Assigned
from replaylab.foreign.desk import Desk, Said
from replaylab.foreign.mcp.log import report_in_lines
from replaylab.schema.base import JsonObject

NAME = "replaylab"
SUBMIT = "submit_answer"
PROMPT = "task"
WAIT_S = 30.0
_Context = ServerRequestContext[Any]


def submit_tool(tools: list[str]) -> str:
    """The name of the tool that takes the final answer: one that no tool of the environment has."""
    name = SUBMIT
    while name in tools:
        name += "_"
    return name


def tool_server(desk: Desk, *, submit: bool) -> Server[Any]:
    """`submit` offers a tool that takes the final answer, for agents that have no other way to give one."""
    report_in_lines()
    # First come, first served: a client that writes and then reads without waiting means that order. Each call is done in
    # a thread, and threads begin in any order.
    turn = anyio.Lock()

    async def seated() -> Assigned:
        found = await anyio.to_thread.run_sync(desk.seated, WAIT_S, abandon_on_cancel=True)
        return found or Assigned(instruction="", system="")

    async def list_tools(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        assigned = await seated()
        tools = [_tool(one["function"]) for one in assigned.tools]
        if submit:
            tools.append(_submit(submit_tool([one.name for one in tools])))
        return types.ListToolsResult(tools=tools)

    async def call_tool(context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        async with turn:
            assigned = await seated()
            names = [str(one["function"]["name"]) for one in assigned.tools]
            if submit and params.name == submit_tool(names):
                ask: Callable[[], Said] = partial(_submitted, desk, params.arguments or {})
            else:
                ask = partial(desk.call, params.name, _text(params.arguments or {}))
            return _result(await anyio.to_thread.run_sync(ask, abandon_on_cancel=True))

    async def list_prompts(
        context: _Context, params: types.PaginatedRequestParams | None
    ) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[types.Prompt(name=PROMPT, description="What is to be done.")])

    async def get_prompt(context: _Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        text = told(await seated(), submit=submit)
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    assigned = desk.seated()
    return Server(
        NAME,
        version=__version__,
        instructions=told(assigned, submit=submit) if assigned else None,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def told(assigned: Assigned, *, submit: bool) -> str:
    """The task as one text."""
    names = [str(one["function"]["name"]) for one in assigned.tools]
    end = f"\n\nGive your final answer with the tool {submit_tool(names)}." if submit else ""
    return f"{assigned.system}\n\n{assigned.instruction}{end}"


def _tool(function: JsonObject) -> types.Tool:
    schema = {"type": "object", **function["parameters"]}  # clients insist on the type
    return types.Tool(name=function["name"], description=function["description"], input_schema=schema)


def _submit(name: str) -> types.Tool:
    answer = {"type": "string", "description": "What you answer to the task, complete."}
    schema = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    return types.Tool(name=name, description="Give the final answer. It ends the trial.", input_schema=schema)


def _submitted(desk: Desk, arguments: JsonObject) -> Said:
    answer = arguments.get("answer")
    if not isinstance(answer, str):
        return Said("No answer was given: the argument `answer` must be a text.", refused=True)
    return desk.submit(answer)


def _text(arguments: JsonObject) -> str:
    try:
        return canonical(arguments).decode("utf-8")
    except NotIJson:  # the engine says what is wrong with it
        return json.dumps(arguments)


def _result(said: Said) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=said.text)]
    value = None if said.refused or not said.text.startswith("{") else loads(said.text)
    return types.CallToolResult(content=content, structured_content=value, is_error=said.refused)
