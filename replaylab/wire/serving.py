"""An HTTP server of this process: a socket that listens, and uvicorn on it in a thread of its own."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

import uvicorn

from replaylab.errors import UsageError

# Of uvicorn's own settings, what all servers here have in common. `log_level` is above all levels: what goes wrong is told
# by the command.
QUIET: dict[str, Any] = {
    "ws": "none",
    "loop": "asyncio",
    "log_config": None,
    "log_level": 60,
    "access_log": False,
}


def bind(host: str, port: int, *, waiting: int) -> socket.socket:
    """A socket that listens; port 0 is a free one, `waiting` connections may wait. Raises UsageError where it can't."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # The protocol is named: asyncio turns Nagle's algorithm off only then, and with it a token waits for the next one.
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
        bound.listen(waiting)
    except (OSError, OverflowError) as error:
        bound.close()
        raise UsageError(
            f"can't listen on {host} port {port}: {error}", fix="take another port, or 0 for a free one"
        ) from error
    return bound


class Serving:
    """Serves in a `with` block; `address` is what clients are given. `closing` is awaited at the end, in its loop."""

    def __init__(
        self,
        config: uvicorn.Config,
        bound: socket.socket,
        name: str,
        closing: Callable[[], Any] | None = None,
    ) -> None:
        self._server, self._bound, self._closing = uvicorn.Server(config), bound, closing
        host, port = bound.getsockname()[:2]
        self.address = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        try:
            await self._server.serve(sockets=[self._bound])
        finally:
            if self._closing is not None:
                await self._closing()

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
