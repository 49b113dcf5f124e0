"""A network for the HTTP library that reads through an asyncio protocol, without cancel scopes and pauses at each read.

The library's own goes through anyio, which takes as long for a piece of a stream as all the rest of the proxy does.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

# More than this waits in the kernel: a slow client slows its upstream down.
_HIGH = 1 << 18


class Streams(httpcore2.AsyncNetworkBackend):
    """Opens connections in the running loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - the library's interface
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        source = (local_address, 0) if local_address else None
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(timeout):
                transport, protocol = await loop.create_connection(_Reading, host, port, local_addr=source)
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:
            raise httpcore2.ConnectError(str(error)) from error
        for option in socket_options or ():
            transport.get_extra_info("socket").setsockopt(*option)
        return Stream(transport, protocol)

    async def connect_unix_socket(
        self,
        path: str,
        timeout: float | None = None,  # noqa: ASYNC109
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        raise httpcore2.ConnectError("an upstream is asked over TCP")

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Reading(asyncio.Protocol):
    """Keeps what came in until it is read, and what ended it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport | None = None
        self.parts: list[bytes] = []
        self.size = 0
        self.over = False
        self.error: Exception | None = None
        self.waiter: asyncio.Future[None] | None = None
        self.writable = asyncio.Event()
        self.writable.set()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - what create_connection makes
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.parts.append(data)
        self.size += len(data)
        if self.size > _HIGH and self.transport is not None:
            self.transport.pause_reading()
        self.wake()

    def eof_received(self) -> bool:
        self.over = True
        self.wake()
        return False

    def connection_lost(self, exc: Exception | None) -> None:
        self.over, self.error = True, exc
        self.writable.set()
        self.wake()

    def pause_writing(self) -> None:
        self.writable.clear()

    def resume_writing(self) -> None:
        self.writable.set()

    def wake(self) -> None:
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def take(self) -> bytes:
        data = self.parts[0] if len(self.parts) == 1 else b"".join(self.parts)
        self.parts.clear()
        if self.size > _HIGH and self.transport is not None and not self.over:
            self.transport.resume_reading()
        self.size = 0
        return data


class Stream(httpcore2.AsyncNetworkStream):
    """One connection. Read from one task at a time."""

    def __init__(self, transport: asyncio.Transport, protocol: _Reading) -> None:
        self._transport, self._protocol = transport, protocol

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        protocol = self._protocol
        if not protocol.parts and not protocol.over:
            await self._wait(protocol, timeout)
        if protocol.parts:
            return protocol.take()
        if protocol.error is not None:
            raise httpcore2.ReadError(str(protocol.error)) from protocol.error
        return b""

    async def _wait(self, protocol: _Reading, seconds: float | None) -> None:
        loop = asyncio.get_running_loop()
        protocol.waiter = loop.create_future()
        late = loop.call_later(seconds, protocol.wake) if seconds is not None else None
        try:
            await protocol.waiter
        finally:
            protocol.waiter = None
            if late is not None:
                late.cancel()
        if not protocol.parts and not protocol.over:
            raise httpcore2.ReadTimeout("nothing came")

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        if not buffer:
            return
        if self._protocol.over and self._transport.is_closing():
            raise httpcore2.WriteError("the connection is closed")
        self._transport.write(buffer)
        if not self._protocol.writable.is_set():
            try:
                async with asyncio.timeout(timeout):
                    await self._protocol.writable.wait()
            except TimeoutError as error:
                raise httpcore2.WriteTimeout("nothing was taken") from error

    async def aclose(self) -> None:
        # What an upstream still sends is wanted by nobody.
        self._transport.abort()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore2.AsyncNetworkStream:
        loop = asyncio.get_running_loop()
        protocol = _Reading()
        try:
            async with asyncio.timeout(timeout):
                transport = await loop.start_tls(
                    self._transport, protocol, ssl_context, server_hostname=server_hostname
                )
        except TimeoutError as error:
            raise httpcore2.ConnectTimeout(str(error)) from error
        except OSError as error:  # ssl.SSLError is one
            raise httpcore2.ConnectError(str(error)) from error
        if transport is None:
            raise httpcore2.ConnectError("the connection was lost")
        protocol.connection_made(transport)
        return Stream(transport, protocol)

    def get_extra_info(self, info: str) -> Any:
        if info == "is_readable":
            return bool(self._protocol.parts) or self._protocol.over
        names = {
            "ssl_object": "ssl_object",
            "client_addr": "sockname",
            "server_addr": "peername",
            "socket": "socket",
        }
        return self._transport.get_extra_info(names[info]) if info in names else None
