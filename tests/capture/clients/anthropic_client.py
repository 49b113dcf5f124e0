"""Uses the anthropic package in all the usual ways; prints what it got. Its address is ANTHROPIC_BASE_URL."""

import asyncio
import json

import anthropic

TOOLS = [{"name": "look", "input_schema": {"type": "object", "properties": {}}}]


def say(text):
    return {"model": "claude-x", "max_tokens": 99, "messages": [{"role": "user", "content": text}]}


def shown(value):
    return json.loads(value.model_dump_json())


def sync():
    client = anthropic.Anthropic()
    yield shown(client.messages.create(**say("one")))
    yield shown(client.messages.create(**say("tools"), tools=TOOLS))
    yield [shown(part) for part in client.messages.create(**say("two"), stream=True)]
    with client.messages.stream(**say("three"), tools=TOOLS) as stream:
        yield list(stream.text_stream)
        yield shown(stream.get_final_message())
    yield shown(client.messages.count_tokens(model="claude-x", messages=say("x")["messages"]))


async def parallel():
    async with anthropic.AsyncAnthropic() as client:

        async def streamed(number):
            async with client.messages.stream(**say(f"n {number}")) as stream:
                return [part async for part in stream.text_stream]

        found = [shown(await client.messages.create(**say("four"), tools=TOOLS))]
        return found + await asyncio.gather(*(streamed(number) for number in range(8)))


print(json.dumps([*sync(), *asyncio.run(parallel())]))
