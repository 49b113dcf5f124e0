"""Own agents as users write them, for tests of the commands: the text of a module, and of a program."""

from __future__ import annotations

from pathlib import Path

# Asks the model in MODEL what to do, and does it.
MODULE = """
import json
import os


def act(task, tools, call):
    client = task.client()
    messages = [{"role": "system", "content": task.system}, {"role": "user", "content": task.instruction}]
    while True:
        said = client.chat.completions.create(model="scripted:careful", messages=messages, tools=tools)
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return message.content
        for one in message.tool_calls:
            seen = call(one.function.name, one.function.arguments)
            messages.append({"role": "tool", "tool_call_id": one.id, "content": json.dumps(seen)})


def over_http(task, tools, call):
    import openai

    with openai.OpenAI(base_url=task.base_url, api_key="none") as client:
        task.client = lambda: client
        return act(task, tools, call)


def fails(task, tools, call):
    call("list_places")
    raise RuntimeError("it went wrong")


def random(task, tools, call):
    return os.urandom(8).hex()
"""

PROGRAM = """
import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from openai import AsyncOpenAI


async def main():
    told = json.load(open(os.environ["REPLAYLAB_TASK"]))
    server = os.environ["REPLAYLAB_MCP_URL"]
    if "--stdio" in sys.argv:
        started = json.load(open(os.environ["REPLAYLAB_MCP_CONFIG"]))["mcpServers"]["replaylab"]
        server = StdioServerParameters(command=started["command"], args=started["args"], env=started.get("env"))
    messages = [{"role": "system", "content": told["system"]}, {"role": "user", "content": told["instruction"]}]
    llm = AsyncOpenAI()
    async with Client(server) as environment:
        offered = [
            {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.input_schema}}
            for t in (await environment.list_tools()).tools
        ]
        while True:
            said = await llm.chat.completions.create(model="scripted:careful", messages=messages, tools=offered)
            message = said.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                print(message.content)
                return
            for one in message.tool_calls:
                seen = await environment.call_tool(one.function.name, json.loads(one.function.arguments))
                messages.append({"role": "tool", "tool_call_id": one.id, "content": seen.content[0].text})


asyncio.run(main())
"""


def write(folder: Path) -> None:
    """Both, under names that no other module has."""
    (folder / "own_agent_in_test.py").write_text(MODULE)
    (folder / "own_program.py").write_text(PROGRAM)
