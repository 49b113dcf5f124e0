"""A loopback HTTP server for the built-in models: any program that speaks to the OpenAI API can be pointed at it."""

from __future__ import annotations

import hmac
import ipaddress
import sys
import threading
from collections.abc import Iterable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from socketserver import TCPServer
from types import TracebackType
from typing import Any, Self

from replaylab.builtin.asked import Refusal
from replaylab.builtin.responder import Responder, Response, refused
from replaylab.errors import UsageError

MAX_BODY = 32 * 1024 * 1024
IDLE_S = 60


class ModelServer(ThreadingHTTPServer):
    """The server, bound and not yet answering. `answered` counts the requests that got an answer of any kind."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(
        self,
        responder: Responder,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        api_key: str = "",
        delay_ms: float = 0,
        public: bool = False,
    ) -> None:
        """Port 0 takes a free one. With `api_key` every request has to carry it; `delay_ms` passes before an answer.

        Raises UsageError for an address that other machines reach, unless `public`, and for one that can't be bound.
        """
        if not (public or _is_loopback(host)):
            raise UsageError(
                f"{host} can be reached from other machines",
                fix="take 127.0.0.1, or allow it (`--public`)",
            )
        self.responder, self.api_key, self.delay_s = responder, api_key, delay_ms / 1000
        self.answered = 0
        self.stopping = threading.Event()
        self._count = threading.Lock()
        self._thread: threading.Thread | None = None
        self.address_family = AF_INET6 if ":" in host else AF_INET
        try:
            super().__init__((host, port), _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(
                f"can't listen on {host} port {port}: {error}", fix="take another port, or 0 for a free one"
            ) from error

    def server_bind(self) -> None:
        # HTTPServer would ask the name service for the machine's name.
        TCPServer.server_bind(self)
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    @property
    def base_url(self) -> str:
        """What a client takes as its base URL."""
        host = f"[{self.server_name}]" if ":" in self.server_name else self.server_name
        return f"http://{host}:{self.server_port}/v1"

    def count(self) -> None:
        """One more request was answered."""
        with self._count:
            self.answered += 1

    def run(self) -> None:
        """Answer requests until `stop` is called from another thread, or until an exception such as Ctrl-C."""
        try:
            self.serve_forever(poll_interval=0.1)
        finally:
            self.stopping.set()
            self.server_close()

    def __enter__(self) -> Self:
        """Answer requests in a thread until the end of the block."""
        self._thread = threading.Thread(target=self.run, name="serve-models", daemon=True)
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """Take no more requests. Those that wait for their delay are answered at once."""
        self.shutdown()
        if self._thread is not None:
            self._thread.join()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no news; everything else is a defect and is shown."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


def serve(
    responder: Responder,
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    api_key: str = "",
    delay_ms: float = 0,
    public: bool = False,
) -> ModelServer:
    """A server to use in a `with` block, or to `run`. See `ModelServer`."""
    return ModelServer(responder, host, port, api_key=api_key, delay_ms=delay_ms, public=public)


class _Handler(BaseHTTPRequestHandler):
    server: ModelServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "replaylab", ""
    timeout = IDLE_S
    # Headers and body are two packets; without this the second waits for the first to be acknowledged.
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        self._answer(b"")

    def do_POST(self) -> None:
        body = self._body()
        if isinstance(body, Refusal):
            self.close_connection = True  # what follows in the connection may be the unread body
            self._send(refused(body))
        else:
            self._answer(body)

    def _body(self) -> bytes | Refusal:
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            return Refusal("the request says no length", status=411, fix="Send a Content-Length.")
        if len(length) > 12 or int(length) > MAX_BODY:
            return Refusal(f"the body is longer than {MAX_BODY} bytes", status=413, code="body_too_long")
        body = self.rfile.read(int(length))
        return body if len(body) == int(length) else Refusal("the body ends early")

    def _answer(self, body: bytes) -> None:
        if not self._allowed():
            what = "the API key is missing or wrong"
            self._send(refused(Refusal(what, status=401, code="invalid_api_key")))
            return
        response = self.server.responder.respond(self.path, body, self.command)
        if self.server.delay_s:
            self.server.stopping.wait(self.server.delay_s)
        self._send(response)

    def _allowed(self) -> bool:
        if not self.server.api_key:
            return True
        given = self.headers.get("authorization", "").encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, f"Bearer {self.server.api_key}".encode())

    def _send(self, response: Response) -> None:
        status, headers, pieces = response
        self.server.count()
        streamed = headers["content-type"].startswith("text/event-stream")
        body = b"" if streamed else b"".join(pieces)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if streamed:
            self.send_header("transfer-encoding", "chunked")
        else:
            self.send_header("content-length", str(len(body)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if streamed:
            self._send_pieces(pieces)
        else:
            self.wfile.write(body)

    def _send_pieces(self, pieces: Iterable[bytes]) -> None:
        for piece in pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 (as in the base class)
        """Nothing: requests are counted."""


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
