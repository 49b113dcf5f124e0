"""Uses the google-genai package in all the usual ways; prints what it got. Its address is GOOGLE_GEMINI_BASE_URL."""

import asyncio
import json

from google import genai
from google.genai import types

LOOK = types.FunctionDeclaration(name="look", description="looks", parameters=types.Schema(type="OBJECT"))
TOOLS = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[LOOK])])
MODEL = "gemini-x"


def shown(value):
    return json.loads(value.model_dump_json(exclude={"sdk_http_response"}))


def sync(client):
    yield shown(client.models.generate_content(model=MODEL, contents="one"))
    yield shown(client.models.generate_content(model=MODEL, contents="tools", config=TOOLS))
    yield [shown(part) for part in client.models.generate_content_stream(model=MODEL, contents="two")]
    parts = client.models.generate_content_stream(model=MODEL, contents="three", config=TOOLS)
    yield [shown(part) for part in parts]
    yield shown(client.models.embed_content(model="e", contents="four"))
    yield [shown(model) for model in client.models.list()]


async def parallel(client):
    async def streamed(number):
        stream = await client.aio.models.generate_content_stream(model=MODEL, contents=f"n {number}")
        return [shown(part) async for part in stream]

    found = [shown(await client.aio.models.generate_content(model=MODEL, contents="five", config=TOOLS))]
    return found + await asyncio.gather(*(streamed(number) for number in range(8)))


def main():
    client = genai.Client()
    print(json.dumps([*sync(client), *asyncio.run(parallel(client))]))


main()
