"""The proxy's server: uvicorn on one port, in a thread of its own."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from replaylab.errors import UsageError
from replaylab.wire.offline import is_loopback
from replaylab.wire.serving import QUIET, Serving, bind

Scope = dict[str, Any]
_CONNECTION = "replaylab_connection"
_STOP_S = 5
# Longer than clients keep idle connections, so that none is closed while they send.
_IDLE_S = 300
_HEAD_BYTES = 1 << 20
_SWITCH_S = 0.0005


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
    return bind(host, port, waiting=2048)


class ProxyServer(Serving):
    """Serves an ASGI application in a `with` block. `closing` is awaited at the end, in the server's loop."""

    def __init__(self, app: Any, bound: socket.socket, closing: Callable[[], Any] | None = None) -> None:
        config = uvicorn.Config(
            app,
            interface="asgi3",
            http=_Connection,
            lifespan="off",
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=_IDLE_S,
            timeout_graceful_shutdown=_STOP_S,
            h11_max_incomplete_event_size=_HEAD_BYTES,
            **QUIET,
        )
        super().__init__(config, bound, "replaylab-proxy", closing)

    def _run(self) -> None:
        # A scan for secrets in another thread would keep the interpreter for five milliseconds at a time.
        before = sys.getswitchinterval()
        sys.setswitchinterval(_SWITCH_S)
        try:
            super()._run()
        finally:
            sys.setswitchinterval(before)
