"""The proxy itself, as an ASGI application: finds the upstream, takes the place, and plays or asks.

Live, a client gets each piece when it comes in. What is recorded is on the disk before the client has the end: the last
piece waits for it. A client that hangs up stops its upstream too: nobody wants the rest, it would be paid for, and a
recording of it would say that somebody read it. What had come is recorded as incomplete.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from replaylab.capture import served
from replaylab.capture.asked import Asked, Redactors, secrets_of
from replaylab.capture.live import Live
from replaylab.capture.routes import Routes, Upstream, climbs
from replaylab.capture.served import Receive, Send
from replaylab.engine.captured.exchange import MAX_BODY, Exchange
from replaylab.engine.captured.miss import MissError
from replaylab.engine.captured.session import Place
from replaylab.engine.gate import Stopped
from replaylab.errors import ReplaylabError, StoreError, UsageError
from replaylab.wire.forward import Forward
from replaylab.wire.redact import Redactor

Scope = dict[str, Any]
# A retry waits so long for the failed attempt before it to be on the disk.
_SETTLE_S = 5.0
# A scan of so many bytes for secrets takes long enough to hold up other streams.
_LARGE = 1 << 16


@dataclass
class Counts:
    """What the proxy did: requests answered live, played, missed, refused, and those that broke or were left."""

    live: int = 0
    played: int = 0
    missed: int = 0
    refused: int = 0
    broken: int = 0


class Places(Protocol):
    """Who gives places: a session, or the trial of an agent of the user's own."""

    def begin(self, asked: Exchange) -> Place: ...


@dataclass
class Proxy:
    """`forward` is None offline: there is nothing that could ask. `drop` cuts a request's connection, given its scope.

    `defects` are errors that no client can be blamed for, such as a disk that is full; the first of them ends a command. From
    an answer that could not be recorded on nothing more is asked: it would be paid for and lost.
    """

    session: Places
    routes: Routes
    redactors: Redactors
    forward: Forward | None
    drop: Callable[[Scope], None]
    counts: Counts = field(default_factory=Counts)
    defects: list[Exception] = field(default_factory=list)
    _settling: set[asyncio.Task[bool]] = field(default_factory=set)
    _failed: ReplaylabError | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        try:
            await self._answer(scope, receive, send)
        except Exception as error:  # noqa: BLE001 - kept for the command, and the client must not wait for ever
            self.defects.append(error)
            await self._broken(scope, receive)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw_path: str = scope["raw_path"].decode("ascii")
        found = self.routes.find(raw_path)
        if found is None or any(name == b"upgrade" for name, _ in scope["headers"]):
            self.counts.refused += 1
            await self._refuse(send, raw_path, upgrade=found is not None)
            return
        if climbs(found[1]):
            self.counts.refused += 1
            fix = "ask for the path itself"
            await served.refuse(send, 400, "the path has a part . or ..", "bad_path", fix)
            return
        body = await _body(receive)
        if body is None:
            return  # the client left before it had asked
        if len(body) > MAX_BODY:
            self.counts.refused += 1
            await served.refuse(send, 413, f"the body is larger than {MAX_BODY >> 20} MiB", "body_too_long")
            return
        query: str = scope["query_string"].decode("ascii")
        upstream, path = found
        asked = Asked(scope["method"], f"{path}?{query}" if query else path, scope["headers"], body)
        redactor = self.redactors.knowing(secrets_of(asked.headers, query, body))
        try:
            place = await self._place(upstream, asked, redactor)
        except MissError as error:
            self.counts.missed += 1
            await served.miss(send, error.miss)
            return
        except (UsageError, Stopped) as error:
            self.counts.refused += 1
            await served.refuse(send, 400, error.what, "bad_request", error.fix)
            return
        if place.recorded is not None:
            self.counts.played += 1
            if not await served.recorded(send, place.recorded, place.path, head=asked.method == "HEAD"):
                await self._broken(scope, receive)
        elif why := self.unrecorded:
            self.counts.refused += 1
            message = f"nothing more can be recorded: {why.what}"
            await served.refuse(send, 507, message, "not_recorded", why.fix)
        elif not await self._ask(Live(place, redactor, asked, upstream), receive, send):
            await self._broken(scope, receive)

    @property
    def lost(self) -> list[StoreError]:
        """Why answers could not be recorded, one for each."""
        return [error for error in self.defects if isinstance(error, StoreError)]

    @property
    def unrecorded(self) -> ReplaylabError | None:
        """Why nothing more is asked."""
        return next(iter(self.lost), self._failed)

    async def _place(self, upstream: Upstream, asked: Asked, redactor: Redactor) -> Place:
        """The place, taken as requests come in. What an SDK tries again comes after the attempt that failed."""
        large = len(asked.body) > _LARGE
        if large:
            exchange = await asyncio.to_thread(asked.exchange, upstream.name, redactor)
        else:
            exchange = asked.exchange(upstream.name, redactor)
        if exchange.retry and self._settling:
            await asyncio.wait(tuple(self._settling), timeout=_SETTLE_S)
        if large:
            return await asyncio.to_thread(self.session.begin, exchange)
        return self.session.begin(exchange)

    async def _ask(self, live: Live, receive: Receive, send: Send) -> bool:
        """Ask the upstream while the client is there. False when the answer broke off."""
        if self.forward is None or live.upstream.base is None:
            raise ReplaylabError(
                "a request without a recording, and nothing to ask", where=str(live.place.path)
            )
        self.counts.live += 1
        work = asyncio.create_task(live.run(self.forward, send))
        gone = asyncio.create_task(_gone(receive))
        try:
            await asyncio.wait((work, gone), return_when=asyncio.FIRST_COMPLETED)
        finally:
            gone.cancel()
            if not work.done():
                live.client_gone()
                self._settling.add(work)
                work.add_done_callback(self._settling.discard)
                await asyncio.wait((work,))
        whole = work.result()
        self.counts.broken += not whole
        if live.lost is not None:
            self.counts.live -= 1
            self.defects.append(live.lost)
            self._failed = self._failed or ReplaylabError(f"{type(live.lost).__name__}: {live.lost}")
        return whole

    async def _broken(self, scope: Scope, receive: Receive) -> None:
        """Cut the connection and wait until it is, so that the server adds nothing to what was sent."""
        self.drop(scope)
        await _gone(receive)

    async def _refuse(self, send: Send, path: str, *, upgrade: bool) -> None:
        if upgrade:
            fix = "use the API's HTTP endpoints"
            await served.refuse(send, 501, "websockets are not recorded", "upgrade", fix)
            return
        names = ", ".join(f"/{name}{one.mount}" for name, one in sorted(self.routes.upstreams.items()))
        fix = f"take one of these as base URL: {names}; more come from [capture.upstreams.NAME] in replaylab.toml"
        await served.refuse(send, 404, f"no upstream is known for the path {path[:200]}", "unknown_path", fix)


async def _body(receive: Receive) -> bytes | None:
    """The body of a request; None when the client left in the middle. Cut off above the limit."""
    parts, size = [], 0
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        if part := message.get("body", b""):
            parts.append(part)
            size += len(part)
        if not message.get("more_body") or size > MAX_BODY:
            return b"".join(parts)


async def _gone(receive: Receive) -> None:
    """Return when the client hung up or has its whole answer."""
    while (await receive())["type"] != "http.disconnect":
        pass
