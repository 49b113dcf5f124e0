"""Lanes for one's own OpenAI client behind the proxy: which stream of questions a call belongs to.

    with lane("task-7/judge-2"):
        client.chat.completions.create(…)

A client that says its lane is held to it: its n-th question gets the n-th recorded answer, however many threads ask at
the same time. The client needs an HTTP client of `lane_client` or `async_lane_client`, which put the lane into the header
`X-Replaylab-Lane`; the proxy takes it out again. A header that a call sets by itself wins:

    client.chat.completions.create(…, extra_headers={"X-Replaylab-Lane": "task-7/judge-2"})

The lane is a context variable. It reaches tasks that `asyncio` starts and `asyncio.to_thread`. It does not reach the
threads of a `ThreadPoolExecutor`: say the lane inside the function that runs there.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import httpx2

from replaylab.errors import UsageError

HEADER = "X-Replaylab-Lane"
_lane: ContextVar[str] = ContextVar("replaylab_lane", default="")


@contextmanager
def lane(name: str) -> Iterator[None]:
    """Within the block all calls of this thread or task belong to the lane `name`. An inner block wins."""
    if not name or name != name.strip() or not (name.isascii() and name.isprintable()):
        raise UsageError(
            f"no name for a lane: {name!r}",
            fix="printable ASCII without space around it: it becomes a header",
        )
    token = _lane.set(name)
    try:
        yield
    finally:
        _lane.reset(token)


def current_lane() -> str:
    """The lane of this thread or task, "" for none."""
    return _lane.get()


class SyncLanes(httpx2.BaseTransport):
    """A transport that says the lane, over another one."""

    def __init__(self, inner: httpx2.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        _mark(request)
        return self._inner.handle_request(request)

    def close(self) -> None:
        self._inner.close()


class AsyncLanes(httpx2.AsyncBaseTransport):
    """The same for an asynchronous client."""

    def __init__(self, inner: httpx2.AsyncBaseTransport) -> None:
        self._inner = inner

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        _mark(request)
        return await self._inner.handle_async_request(request)

    async def aclose(self) -> None:
        await self._inner.aclose()


def lane_client(inner: httpx2.BaseTransport | None = None, **options: Any) -> httpx2.Client:
    """An HTTP client for `openai.OpenAI(http_client=…)`. `options` are those of `httpx2.Client`."""
    return httpx2.Client(transport=SyncLanes(inner or httpx2.HTTPTransport()), **options)


def async_lane_client(inner: httpx2.AsyncBaseTransport | None = None, **options: Any) -> httpx2.AsyncClient:
    """An HTTP client for `openai.AsyncOpenAI(http_client=…)`. `options` are those of `httpx2.AsyncClient`."""
    return httpx2.AsyncClient(transport=AsyncLanes(inner or httpx2.AsyncHTTPTransport()), **options)


def _mark(request: httpx2.Request) -> None:
    if (name := _lane.get()) and HEADER not in request.headers:
        request.headers[HEADER] = name
