from __future__ import annotations

import asyncio
import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from pathlib import Path

import httpx2
import openai
import pytest

from replaylab.errors import UsageError
from replaylab.wire.lanes import HEADER, async_lane_client, current_lane, lane, lane_client
from tests.capture.proxying import KEY, Call, both


def echoed(request: httpx2.Request) -> httpx2.Response:
    return httpx2.Response(200, text=request.headers.get(HEADER, "none"))


def test_a_call_says_the_lane_of_its_block_and_the_inner_block_wins() -> None:
    with lane_client(httpx2.MockTransport(echoed)) as client:
        assert client.get("http://x").text == "none"
        with lane("a"):
            assert client.get("http://x").text == "a"
            with lane("a/b"):
                assert client.get("http://x").text == "a/b"
            assert client.get("http://x").text == "a"
        assert client.get("http://x").text == "none"


def test_a_header_that_the_call_sets_wins() -> None:
    with lane_client(httpx2.MockTransport(echoed)) as client, lane("a"):
        assert client.get("http://x", headers={HEADER: "own"}).text == "own"


def test_tasks_and_to_thread_inherit_the_lane() -> None:
    async def main() -> list[str]:
        async with async_lane_client(httpx2.MockTransport(echoed)) as client:

            async def one(name: str) -> str:
                with lane(name):
                    await asyncio.sleep(0.001)
                    return (await client.get("http://x")).text

            found = list(await asyncio.gather(*(one(str(number)) for number in range(5))))
            with lane("outer"):
                task = asyncio.create_task(client.get("http://x"))
                found += [await asyncio.to_thread(current_lane), (await task).text]
            return found

    assert asyncio.run(main()) == ["0", "1", "2", "3", "4", "outer", "outer"]


def test_a_thread_pool_does_not_inherit_the_lane_unless_the_context_is_copied() -> None:
    with ThreadPoolExecutor(1) as pool, lane("a"):
        assert pool.submit(current_lane).result() == ""
        assert pool.submit(copy_context().run, current_lane).result() == "a"


@pytest.mark.parametrize("name", ["", " a", "a\n", "caf\u00e9", "a\x7f"])
def test_what_no_header_can_carry_is_no_lane(name: str) -> None:
    with pytest.raises(UsageError), lane(name):
        pass


def test_votes_in_threads_are_exact_with_lanes_sync_and_async(tmp_path: Path) -> None:
    """kevin1024/vcrpy#849, keploy#2679: identical requests in parallel, each gets its own again."""
    lock, count = threading.Lock(), iter(range(1000))

    def answer(call: Call) -> None:
        with lock:
            number = next(count)
        time.sleep(0.01 * (number % 3))
        choice = {
            "index": 0,
            "message": {"role": "assistant", "content": f"vote {number}"},
            "finish_reason": "stop",
        }
        body = {"id": "c", "created": 1, "model": "m", "object": "chat.completion", "choices": [choice]}
        call.reply(json.dumps(body).encode())

    def use(address: str) -> dict[str, str | None]:
        def vote(name: str) -> str | None:
            with lane(name):
                asked = client.chat.completions.create(model="m", messages=[{"role": "user", "content": "?"}])
            return asked.choices[0].message.content

        async def votes(names: list[str]) -> list[str | None]:
            own = async_lane_client(verify=False)
            async with openai.AsyncOpenAI(base_url=url, api_key=KEY, http_client=own) as other:

                async def one(name: str) -> str | None:
                    with lane(name):
                        chat = other.chat.completions
                        asked = await chat.create(model="m", messages=[{"role": "user", "content": "?"}])
                    return asked.choices[0].message.content

                return list(await asyncio.gather(*map(one, names)))

        url = address + "/openai/v1"
        names = [f"judge-{number}" for number in range(12)]
        others = [f"async-{number}" for number in range(12)]
        with (
            openai.OpenAI(base_url=url, api_key=KEY, http_client=lane_client()) as client,
            ThreadPoolExecutor(6) as pool,
        ):
            found = dict(zip(names, pool.map(vote, names), strict=True))
        return found | dict(zip(others, asyncio.run(votes(others)), strict=True))

    live, played, _ = both(tmp_path, answer, use)
    assert len(set(live.values())) == 24
    assert live == played
