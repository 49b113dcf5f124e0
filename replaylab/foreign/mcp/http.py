"""An MCP server on HTTP, on loopback, in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from types import TracebackType
from typing import Any, Self

import uvicorn
from mcp.server.lowlevel import Server

from replaylab.errors import UsageError
from replaylab.wire.offline import is_loopback

PATH = "/mcp"
STOP_S = 2


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is a free one. Raises UsageError for an address that other machines reach."""
    if not is_loopback(host):
        raise UsageError(f"{host} can be reached from other machines", fix="take 127.0.0.1")
    bound = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(128)
    except (OSError, OverflowError) as error:
        bound.close()
        raise UsageError(
            f"can't listen on {host} port {port}: {error}", fix="take another port, or 0 for a free one"
        ) from error
    return bound


class HttpServer:
    """Serves in a `with` block; `url` is what a client is given."""

    def __init__(self, server: Server[Any], bound: socket.socket) -> None:
        config = uvicorn.Config(
            server.streamable_http_app(streamable_http_path=PATH, json_response=True),
            http="h11",
            ws="none",
            loop="asyncio",
            log_config=None,
            log_level=60,  # above all levels: what goes wrong is told by the command
            access_log=False,
            timeout_graceful_shutdown=STOP_S,
        )
        self._server, self._bound = uvicorn.Server(config), bound
        host, port = bound.getsockname()[:2]
        self.url = f"http://[{host}]:{port}{PATH}" if ":" in host else f"http://{host}:{port}{PATH}"
        self._thread = threading.Thread(target=self._run, name="replaylab-mcp", daemon=True)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._server.serve(sockets=[self._bound]))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take no more requests, and give those in flight a moment."""
        self._server.should_exit = True
        self._thread.join()
        self._bound.close()
