"""Clients that are handed to an agent of the user's own: OpenAI clients whose requests are recorded, live or played.

Unlike a chat they take whatever the agent asks: any path, any body, streams too. Live and played answers reach the
client through the same function, made from the recorded attempt, as in `transport`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from typing import Protocol

import httpx2
import openai

from replaylab.canonical import dumps
from replaylab.cassette.request import Request
from replaylab.errors import CallFailed, ReplaylabError
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Failure
from replaylab.wire.limits import Limiter
from replaylab.wire.ports import Clock, Redacts, Sleep, SlotPort
from replaylab.wire.retry import RetryPolicy, attempts_of
from replaylab.wire.transport import LaneTransport, served

ALIAS = "openai"  # of what is asked this way, wherever it goes
BASE_URL = "http://agent.invalid/v1"  # nothing is ever sent there
CHAT = "/chat/completions"
# Said by the client of itself, or of the way that it takes: none of it is for the server behind.
_OWN_HEADERS = frozenset(
    {
        "host",
        "authorization",
        "api-key",
        "x-api-key",
        "content-length",
        "connection",
        "cookie",
        "accept-encoding",
    }
)
# Only chat completions are read here; of other answers a status below 400 is all that is known.
_OF_SHAPE = frozenset({"bad_shape", "empty_body", "not_json", "error_object"})


class PlacePort(SlotPort, Protocol):
    """The place of one request; `leave` gives it up where nothing was sent."""

    def leave(self) -> None: ...


class CallsPort(Protocol):
    """Where the requests of an agent are recorded. May be used from any number of threads."""

    def begin(self, request: Request) -> PlacePort: ...
    def trip(self, trouble: ReplaylabError) -> BaseException:
        """Tell whoever runs the trial what went wrong; gives what ends the agent."""


@dataclass(frozen=True)
class Upstream:
    """Where a live request goes. `model` replaces the name that the agent gave; "" leaves it."""

    inner: httpx2.BaseTransport
    base_url: str
    api_key: str = field(default="", repr=False)
    model: str = ""
    timeout_s: float = 600.0
    max_attempts: int = 1
    limiter: Limiter | None = None


@dataclass(frozen=True)
class Way:
    """What the clients of one run share. `upstream` gives, for the model that a body names, where it goes.

    It raises ReplaylabError where that is nowhere. `gate` admits the calls that may be in flight.
    """

    upstream: Callable[[str], Upstream]
    redactor: Redacts
    gate: AbstractContextManager[object]
    clock_ms: Clock
    now_s: Clock
    sleep: Sleep
    policy: RetryPolicy = field(default_factory=RetryPolicy)


class HandedTransport(httpx2.BaseTransport):
    """For any number of requests at the same time."""

    def __init__(self, calls: CallsPort, way: Way) -> None:
        self._calls, self._way = calls, way

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve what is recorded, or forward it, record it and serve what was recorded."""
        path = request.url.raw_path.decode("ascii").removeprefix("/v1")
        asked = Request.from_bytes(ALIAS, path, request.read(), request.method)
        place = self._calls.begin(asked)
        if place.recorded is not None:
            return served(place.play().final)
        try:
            attempt = self._live(place, asked, request)
        except ReplaylabError as trouble:
            place.leave()
            raise self._calls.trip(trouble) from trouble
        except BaseException:
            place.leave()
            raise
        return served(attempt)

    def _live(self, place: PlacePort, asked: Request, request: httpx2.Request) -> Attempt:
        way = self._way
        upstream = way.upstream(str(asked.params.get("model", "")))
        transport = LaneTransport(
            upstream.inner, way.redactor, way.clock_ms, deadline_ms=upstream.timeout_s * 1000
        )
        transport.slot = place
        found: Completion | Failure | None = None
        with ExitStack() as admitted:

            def once() -> Attempt:
                nonlocal found
                if upstream.limiter is not None:
                    upstream.limiter.wait(len(request.content) // 4)
                admitted.enter_context(way.gate)
                attempt, found = _exchange(transport, _forwarded(request, asked, upstream), asked.path)
                return attempt

            def sleep(seconds: float) -> None:
                admitted.close()
                way.sleep(seconds)

            policy = RetryPolicy(upstream.max_attempts, way.policy.base_s, way.policy.max_wait_s)
            attempts = attempts_of(once, policy, seed=str(place.path), sleep=sleep, now_s=way.now_s)
            place.commit(attempts, found if isinstance(found, Completion) else None)
        return attempts[-1]


def _exchange(
    transport: LaneTransport, request: httpx2.Request, path: str
) -> tuple[Attempt, Completion | Failure | None]:
    try:
        transport.handle_request(request)
    except httpx2.RequestError:  # captured like any other outcome, and raised again by what serves it
        if transport.captured is None:
            raise
    attempt, found = transport.captured, transport.found
    if attempt is None:
        raise CallFailed("an exchange left nothing that could be recorded", kind="read_error", where=path)
    if path.partition("?")[0] == CHAT or attempt.failure is None or attempt.failure.kind not in _OF_SHAPE:
        return attempt, found
    return attempt.model_copy(update={"failure": None}), None


def _forwarded(request: httpx2.Request, asked: Request, upstream: Upstream) -> httpx2.Request:
    headers = [(name, value) for name, value in request.headers.multi_items() if name not in _OWN_HEADERS]
    if upstream.api_key:
        headers.append(("authorization", f"Bearer {upstream.api_key}"))
    body = request.content
    if upstream.model and asked.raw is None:
        body = dumps(asked.body() | {"model": upstream.model})
    url = upstream.base_url.rstrip("/") + asked.path
    return httpx2.Request(request.method, url, headers=headers, content=body)


class _Read(httpx2.AsyncByteStream):
    """What was read already, piece by piece."""

    def __init__(self, response: httpx2.Response) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._response.iter_raw():
            yield piece


class AsyncHandedTransport(httpx2.AsyncBaseTransport):
    """The same for an asynchronous client: each request waits in a thread."""

    def __init__(self, calls: CallsPort, way: Way) -> None:
        self._inner = HandedTransport(calls, way)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Serve or forward in a thread."""
        await request.aread()
        response = await asyncio.to_thread(self._inner.handle_request, request)
        return httpx2.Response(response.status_code, headers=response.headers, stream=_Read(response))


class Handed:
    """What one agent is handed."""

    def __init__(self, calls: CallsPort, way: Way) -> None:
        self._calls, self._way = calls, way

    def client(self) -> openai.OpenAI:
        """A client whose requests are recorded. It doesn't retry: that is done below it, as attempts of one request."""
        client = openai.OpenAI(
            base_url=BASE_URL,
            api_key="none",
            max_retries=0,
            http_client=httpx2.Client(transport=HandedTransport(self._calls, self._way), trust_env=False),
        )
        client.organization = client.project = None
        return client

    def async_client(self) -> openai.AsyncOpenAI:
        """The same, asynchronous."""
        transport = AsyncHandedTransport(self._calls, self._way)
        client = openai.AsyncOpenAI(
            base_url=BASE_URL,
            api_key="none",
            max_retries=0,
            http_client=httpx2.AsyncClient(transport=transport, trust_env=False),
        )
        client.organization = client.project = None
        return client
