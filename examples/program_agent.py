"""An agent that is a program: tools over MCP, an LLM behind OPENAI_BASE_URL, and the answer on stdout."""

import asyncio
import json
import os
import sys

from mcp import Client
from openai import AsyncOpenAI


async def main():
    messages = [{"role": "user", "content": sys.stdin.read()}]
    llm = AsyncOpenAI()
    async with Client(os.environ["REPLAYLAB_MCP_URL"]) as environment:
        tools = [
            {"name": one.name, "description": one.description, "parameters": one.input_schema}
            for one in (await environment.list_tools()).tools
        ]
        offered = [{"type": "function", "function": one} for one in tools]
        while True:
            said = await llm.chat.completions.create(
                model="scripted:explorer", messages=messages, tools=offered
            )
            message = said.choices[0].message
            messages.append(message.model_dump(exclude_none=True))
            if not message.tool_calls:
                print(message.content)
                return
            for one in message.tool_calls:
                seen = await environment.call_tool(one.function.name, json.loads(one.function.arguments))
                content = seen.content[0].text
                messages.append({"role": "tool", "tool_call_id": one.id, "content": content})


asyncio.run(main())
