"""Servers and exchanges for the tests."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from replaylab.interop.vcr.convert import Converter
from replaylab.interop.vcr.pair import Pair
from replaylab.wire.answer_headers import KeptHeaders

Respond = Callable[[str, bytes], tuple[int, list[tuple[str, str]], bytes]]


def pair(**given: Any) -> Pair:
    """An exchange, with what is given in place of the usual."""
    usual: dict[str, Any] = {
        "method": "POST",
        "uri": "https://api.openai.com/v1/chat/completions",
        "body": b'{"model":"m","messages":[{"role":"user","content":"hi"}]}',
        "asked": {"content-type": ["application/json"]},
        "status": 200,
        "reason": "OK",
        "headers": {"content-type": ["application/json"]},
        "content": b'{"choices":[]}',
    }
    return Pair(**usual | given)


def converter(*secrets: str, keep: tuple[str, ...] = ()) -> Converter:
    return Converter(secrets, KeptHeaders(keep))


class Server:
    """A server on loopback that counts its answers, so that no two are equal. `asked` is what came."""

    def __init__(self, respond: Respond | None = None) -> None:
        self.asked: list[tuple[str, bytes, dict[str, str]]] = []
        numbers = itertools.count()
        server = self

        def usual(path: str, body: bytes) -> tuple[int, list[tuple[str, str]], bytes]:
            return (
                200,
                [("content-type", "application/json")],
                b'{"n":%d,"got":%d}' % (next(numbers), len(body)),
            )

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                server.asked.append((self.path, body, dict(self.headers)))
                status, headers, content = (respond or usual)(self.path, body)
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            do_GET = do_POST  # noqa: N815 - the library calls it so

            def log_message(self, *args: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@contextmanager
def server(respond: Respond | None = None) -> Iterator[Server]:
    found = Server(respond)
    try:
        yield found
    finally:
        found.stop()
