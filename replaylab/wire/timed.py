"""A network whose timeout bounds a whole answer, its head included, and not each read of it.

The HTTP library starts its read timeout anew with every byte. So a head that drips, interim answers without end, or
compressed pieces that hold nothing would keep a call waiting for ever, and nobody above sees a piece to count.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore2

from replaylab.wire.ports import Clock


class TimedBackend(httpcore2.NetworkBackend):
    """Opens connections through `inner`, each of which is timed. `clock_ms` is monotonic, in milliseconds."""

    def __init__(self, inner: httpcore2.NetworkBackend, clock_ms: Clock) -> None:
        self._inner, self._clock_ms = inner, clock_ms

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore2.NetworkStream:
        stream = self._inner.connect_tcp(host, port, timeout, local_address, socket_options)
        return TimedStream(stream, self._clock_ms)

    def connect_unix_socket(
        self, path: str, timeout: float | None = None, socket_options: Iterable[Any] | None = None
    ) -> httpcore2.NetworkStream:
        stream = self._inner.connect_unix_socket(path, timeout, socket_options)
        return TimedStream(stream, self._clock_ms)

    def sleep(self, seconds: float) -> None:
        self._inner.sleep(seconds)


class TimedStream(httpcore2.NetworkStream):
    """A connection on which the timeout of a read counts from the last write: that was the end of a request."""

    def __init__(self, inner: httpcore2.NetworkStream, clock_ms: Clock) -> None:
        self._inner, self._clock_ms = inner, clock_ms
        self._asked_ms = clock_ms()

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        if timeout is None:
            return self._inner.read(max_bytes)
        left = timeout - (self._clock_ms() - self._asked_ms) / 1000
        if left <= 0:
            raise httpcore2.ReadTimeout("the whole answer took too long")
        return self._inner.read(max_bytes, left)

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._inner.write(buffer, timeout)
        self._asked_ms = self._clock_ms()

    def close(self) -> None:
        self._inner.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore2.NetworkStream:
        return TimedStream(self._inner.start_tls(ssl_context, server_hostname, timeout), self._clock_ms)

    def get_extra_info(self, info: str) -> Any:
        return self._inner.get_extra_info(info)
