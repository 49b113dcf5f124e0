"""Uses the openai package, of any series, in all the usual ways; prints what it got. Its address is OPENAI_BASE_URL."""

import asyncio
import io
import json

import openai

TOOLS = [
    {"type": "function", "function": {"name": "look", "parameters": {"type": "object", "properties": {}}}}
]


def say(text):
    return {"model": "m-1", "messages": [{"role": "user", "content": text}]}


def shown(value):
    return json.loads(value.model_dump_json())


def sync():
    client = openai.OpenAI()
    chat = client.chat.completions
    yield shown(chat.create(**say("one")))
    raw = chat.with_raw_response.create(**say("raw"))
    yield [
        raw.status_code,
        raw.headers["content-type"],
        raw.text if isinstance(raw.text, str) else raw.text(),
    ]
    yield [shown(part) for part in chat.create(**say("two"), stream=True)]
    yield shown(chat.create(**say("tools"), tools=TOOLS))
    yield [shown(part) for part in chat.create(**say("tools"), tools=TOOLS, stream=True)]
    yield shown(chat.create(**say("again")))
    with chat.with_streaming_response.create(**say("bytes"), stream=True) as response:
        yield [piece.decode() for piece in response.iter_bytes()]
    yield shown(client.responses.create(model="m-1", input="three"))
    yield [shown(part) for part in client.responses.create(model="m-1", input="four", stream=True)]
    yield shown(client.embeddings.create(model="e", input="five"))
    yield [shown(model) for model in client.models.list()]
    yield shown(client.files.create(file=("a.bin", io.BytesIO(bytes(range(256)))), purpose="batch"))


async def parallel():
    async with openai.AsyncOpenAI() as client:
        chat = client.chat.completions

        async def streamed(number):
            return [shown(part) async for part in await chat.create(**say(f"n {number}"), stream=True)]

        async def voted():
            return shown(await chat.create(**say("vote")))

        found = [shown(await chat.create(**say("six"), tools=TOOLS))]
        found += await asyncio.gather(*(streamed(number) for number in range(8)))
        votes = await asyncio.gather(*(voted() for _ in range(3)))
        return [*found, sorted(votes, key=str)]


print(json.dumps([openai.VERSION.split(".")[0], *sync(), *asyncio.run(parallel())]))
