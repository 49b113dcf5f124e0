"""The proxy's server: uvicorn on one port, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from replaylab.errors import UsageError
from replaylab.wire.offline import is_loopback

Scope = dict[str, Any]
_CONNECTION = "replaylab_connection"
_STOP_S = 5
# Longer than clients keep idle connections, so that none is closed while they send.
_IDLE_S = 300
_HEAD_BYTES = 1 << 20


class _Connection(H11Protocol):
    """Known to the requests on it, because a recorded answer may be that the connection breaks."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.app_state = {**self.app_state, _CONNECTION: self}


def drop(scope: Scope) -> None:
    """Close the connection of a request. What was sent so far still arrives."""
    connection: _Connection = scope["state"][_CONNECTION]
    connection.transport.close()


def listen(host: str, port: int, *, public: bool = False) -> socket.socket:
    """A socket that listens. Raises UsageError for an address that other machines reach, unless `public`."""
    if not (public or is_loopback(host)):
        raise UsageError(
            f"{host} can be reached from other machines, and so could be the API keys that pass through",
            fix="take 127.0.0.1, or allow it (`--public`)",
        )
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio turns Nagle's algorithm off only then, and with it a token waits for the next one.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(2048)
    except (OSError, OverflowError) as error:
        bound.close()
        raise UsageError(
            f"can't listen on {host} port {port}: {error}", fix="take another port, or 0 for a free one"
        ) from error
    return bound


class ProxyServer:
    """Serves an ASGI application in a `with` block. `closing` is awaited at the end, in the server's loop."""

    def __init__(self, app: Any, bound: socket.socket, closing: Callable[[], Any] | None = None) -> None:
        config = uvicorn.Config(
            app,
            interface="asgi3",
            http=_Connection,
            ws="none",
            lifespan="off",
            loop="asyncio",
            log_config=None,
            log_level=60,  # above all levels: what goes wrong is told by the command
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=_STOP_S,
            h11_max_incomplete_event_size=_HEAD_BYTES,
        )
        self._server = uvicorn.Server(config)
        self._bound, self._closing = bound, closing
        host, port = bound.getsockname()[:2]
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._thread = threading.Thread(target=self._run, name="replaylab-proxy", daemon=True)

    def _run(self) -> None:
        async def serve() -> None:
            try:
                await self._server.serve(sockets=[self._bound])
            finally:
                if self._closing is not None:
                    await self._closing()

        with asyncio.Runner() as runner:
            runner.run(serve())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take no more requests, and give those in flight a few seconds."""
        self._server.should_exit = True
        self._thread.join()
        self._bound.close()
