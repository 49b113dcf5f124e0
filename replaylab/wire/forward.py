"""Asks an upstream on behalf of somebody else: bytes as they are, pieces as they come, nothing followed or remembered.

It is the transport alone, without the HTTP library's client: that one keeps cookies, follows redirects, and reads the
environment, none of which a proxy may do.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence

import httpx2

from replaylab.errors import UsageError
from replaylab.schema.interaction import Failure
from replaylab.wire.streams import Streams
from replaylab.wire.transport import failure_of

Headers = Sequence[tuple[bytes, bytes]]
_CONNECT_S = 15.0
_IDLE, _IDLE_S = 100, 5.0  # connections that wait for the next call, and for how long


class Broke(Exception):
    """The upstream gave no answer, or not all of it."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


class Base:
    """An address to ask, taken apart once. Raises UsageError when it is none."""

    def __init__(self, text: str) -> None:
        try:
            self._url = httpx2.URL(text)
            self._url.host.encode("idna")
        except (httpx2.InvalidURL, UnicodeError):
            self._url = httpx2.URL("")
        port, host = self._url.port or 80, self._url.host
        if self._url.scheme not in {"http", "https"} or not host or "%" in host or not 0 < port < 65536:
            # The message says nothing of the text: it may hold a password.
            raise UsageError(
                "an upstream's base_url is no web address", fix="give it as http://… or https://…"
            )
        self.scheme, self.host = self._url.scheme, host
        self.path = self._url.raw_path.partition(b"?")[0].decode("ascii").rstrip("/")
        self.origin = f"{self.scheme}://{self._url.netloc.decode('ascii')}"

    def at(self, target: bytes) -> httpx2.URL:
        """The same host with another path and query, byte for byte."""
        return self._url.copy_with(raw_path=target)


class Answer:
    """An upstream's answer whose head is there. Read `pieces` once, then `close`."""

    def __init__(self, response: httpx2.Response, give_back: Callable[[], Awaitable[None]]) -> None:
        self.status, self.headers = response.status_code, response.headers.raw
        self._response, self._give_back = response, give_back

    async def pieces(self) -> AsyncIterator[bytes]:
        """The body as it comes in, encoded as it was sent. Raises Broke where it breaks."""
        try:
            async for piece in self._stream:
                yield piece
        except httpx2.RequestError as error:
            raise Broke(failure_of(error, begun=True)) from error

    @property
    def _stream(self) -> httpx2.AsyncByteStream:
        stream = self._response.stream
        assert isinstance(stream, httpx2.AsyncByteStream)  # noqa: S101 - what an asynchronous transport returns
        return stream

    async def close(self) -> None:
        """Let go of the connection; one in the middle of an answer is closed, so that the upstream stops."""
        await self._stream.aclose()
        await self._give_back()


class Forward:
    """Asks upstreams. `proxy_for` names the HTTP proxy for (scheme, host), None for none.

    Each call in flight has a transport of one connection. The library's own pool looks at all its connections, each with a
    system call, whenever a request begins or ends, which with fifty streams costs more than all the rest.
    """

    def __init__(self, proxy_for: Callable[[str, str], str | None] = lambda scheme, host: None) -> None:
        self._proxy_for = proxy_for
        self._idle: dict[str, list[httpx2.AsyncHTTPTransport]] = {}
        self._tls: ssl.SSLContext | None = None
        self._network = Streams()

    async def ask(
        self, method: str, base: Base, target: bytes, headers: Headers, body: bytes, timeout_s: float
    ) -> Answer:
        """The head of the answer. `timeout_s` bounds each silence. Raises Broke when none came."""
        timeouts = {
            "connect": min(_CONNECT_S, timeout_s), "read": timeout_s, "write": timeout_s, "pool": timeout_s,
        }  # fmt: skip
        idle = self._idle.setdefault(base.origin, [])
        transport = idle.pop() if idle else self._transport(base)

        async def give_back() -> None:
            if len(idle) < _IDLE:
                idle.append(transport)
            else:
                await transport.aclose()

        try:
            request = httpx2.Request(
                method,
                base.at(target),
                headers=list(headers),
                content=body or None,
                extensions={"timeout": timeouts},
            )
            return Answer(await transport.handle_async_request(request), give_back)
        except BaseException as error:
            await transport.aclose()
            if isinstance(error, httpx2.InvalidURL):
                raise Broke(Failure(kind="refused", message="InvalidURL")) from error
            if isinstance(error, httpx2.RequestError):
                raise Broke(failure_of(error, begun=False)) from error
            raise

    def _transport(self, base: Base) -> httpx2.AsyncHTTPTransport:
        proxy = self._proxy_for(base.scheme, base.host)
        if self._tls is None and (proxy or base.scheme == "https"):
            self._tls = httpx2.create_ssl_context(trust_env=False)
        limits = httpx2.Limits(max_connections=1, max_keepalive_connections=1, keepalive_expiry=_IDLE_S)
        # Reading the certificates takes longer than a call; nothing asks for them over plain HTTP.
        transport = httpx2.AsyncHTTPTransport(
            verify=self._tls or False, limits=limits, proxy=proxy, trust_env=False
        )
        transport._pool._network_backend = self._network  # noqa: SLF001 - there is no public way to give it
        return transport

    async def close(self) -> None:
        """Close all connections that wait for another call."""
        for idle in self._idle.values():
            while idle:
                await idle.pop().aclose()
