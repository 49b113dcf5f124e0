"""An MCP server on HTTP, on loopback, in a thread of its own."""

from __future__ import annotations

import socket
from typing import Any

import uvicorn
from mcp.server.lowlevel import Server

from replaylab.errors import UsageError
from replaylab.wire.offline import is_loopback
from replaylab.wire.serving import QUIET, Serving, bind

PATH = "/mcp"
STOP_S = 2


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 is a free one. Raises UsageError for an address that other machines reach."""
    if not is_loopback(host):
        raise UsageError(f"{host} can be reached from other machines", fix="take 127.0.0.1")
    return bind(host, port, waiting=128)


class HttpServer(Serving):
    """Serves in a `with` block; `url` is what a client is given."""

    def __init__(self, server: Server[Any], bound: socket.socket) -> None:
        app = server.streamable_http_app(streamable_http_path=PATH, json_response=True)
        config = uvicorn.Config(app, http="h11", timeout_graceful_shutdown=STOP_S, **QUIET)
        super().__init__(config, bound, "replaylab-mcp")
        self.url = self.address + PATH
