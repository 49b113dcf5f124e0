"""A proxy over a fresh library, in front of an upstream whose answers a test writes; and what clients of it see."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx2

from replaylab.capture.app import Proxy
from replaylab.capture.asked import Redactors
from replaylab.capture.routes import Routes, Upstream
from replaylab.capture.server import ProxyServer, drop, listen
from replaylab.engine.captured.recorded import Recorded
from replaylab.engine.captured.rules import Rules
from replaylab.engine.captured.session import Mode, Session
from replaylab.engine.seams import real_seams
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.interaction import Interaction
from replaylab.schema.run import Run
from replaylab.store.library import Library
from replaylab.wire.forward import Forward

KEY = "sk-proj-Zx81kfQm3vT7bWn5LrYd0HsJ"
EVENTS = "text/event-stream"
CHAT = "/openai/v1/chat/completions"


@dataclass
class Got:
    """A request as the upstream got it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


class Call:
    """One request at the upstream, and the means to answer it."""

    def __init__(self, handler: BaseHTTPRequestHandler, got: Got) -> None:
        self.handler, self.got = handler, got

    def raw(self, data: bytes) -> None:
        self.handler.wfile.write(data)
        self.handler.wfile.flush()

    def head(self, status: int = 200, **headers: str) -> None:
        lines = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
        self.raw(f"HTTP/1.1 {status} Scripted\r\n{lines}\r\n".encode())

    def reply(self, body: bytes, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.head(status, content_type=kind, content_length=str(len(body)), **headers)
        self.raw(body)

    def stream(self, kind: str = EVENTS, status: int = 200, **headers: str) -> None:
        self.head(status, content_type=kind, transfer_encoding="chunked", **headers)

    def chunk(self, data: bytes) -> None:
        self.raw(b"%x\r\n%s\r\n" % (len(data), data))

    def end(self) -> None:
        self.raw(b"0\r\n\r\n")

    def reset(self) -> None:
        """Break the connection as a crash does."""
        self.handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close()

    def close(self) -> None:
        self.handler.close_connection = True
        self.handler.connection.close()


Answer = Callable[[Call], None]


class FakeApi(ThreadingHTTPServer):
    """Answers as `answer` says; keeps what it got. `hung_up` counts answers whose reader went away."""

    daemon_threads = True
    block_on_close = False
    request_queue_size = 256

    def __init__(self, answer: Answer) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answer = answer
        self.got: list[Got] = []
        self.hung_up = 0
        self.connections = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        super().process_request(request, client_address)

    def handle_error(self, request: Any, client_address: Any) -> None:
        self.hung_up += 1


class _Handler(BaseHTTPRequestHandler):
    server: FakeApi
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def handle_any(self) -> None:
        if self.headers.get("transfer-encoding") == "chunked":
            body = b""
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
        headers = {name.lower(): value for name, value in self.headers.items()}
        got = Got(self.command, self.path, headers, body)
        self.server.got.append(got)
        self.server.answer(Call(self, got))

    do_GET = do_POST = do_HEAD = do_DELETE = do_PUT = do_PATCH = do_OPTIONS = handle_any

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silence."""


@contextmanager
def api(answer: Answer) -> Iterator[FakeApi]:
    server = FakeApi(answer)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.005))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@dataclass
class Serving:
    """A proxy that serves, and after the block what it sealed."""

    app: Proxy
    session: Session
    address: str
    run: Run | None = None
    warnings: Sequence[str] = ()
    unplayed: Sequence[str] = field(default=())


def tapped(app: Any, log: list[tuple[str, list[object]]]) -> Any:
    """The application, with all that it sends of each request kept: the status, and each piece of the body."""

    async def call(scope: Any, receive: Any, send: Any) -> None:
        sent: list[object] = []
        log.append((f"{scope['method']} {scope['path']}", sent))

        async def kept(message: Any) -> None:
            sent.append(message.get("status", message.get("body")))
            await send(message)

        await app(scope, receive, kept)

    return call


@contextmanager
def proxied(
    root: Path,
    *upstreams: Upstream,
    mode: Mode = "record",
    run: str = "r",
    rules: Sequence[NormaliseRule] = (),
    known: Sequence[str] = (),
    tap: list[tuple[str, list[object]]] | None = None,
) -> Iterator[Serving]:
    """Offline the upstreams have no address, and there is nothing that could ask one."""
    if mode == "offline":
        upstreams = tuple(Upstream(one.name, mount=one.mount) for one in upstreams)
    forward = None if mode == "offline" else Forward()
    bound = listen("127.0.0.1", 0)
    session = Session(Library(root), run, mode, real_seams(), rules=Rules(rules))
    app = Proxy(session, Routes(upstreams), Redactors(known), forward, drop)
    server = ProxyServer(app if tap is None else tapped(app, tap), bound, forward.close if forward else None)
    serving = Serving(app, session, server.address)
    try:
        with server:
            yield serving
        serving.unplayed = session.unplayed()
        serving.run = session.seal()
        serving.warnings = session.warnings()
        if app.defects:
            raise app.defects[0]
    finally:
        session.close()


@dataclass
class Seen:
    """What a client saw: the pieces as they came, and the error that ended them."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    pieces: list[bytes] = field(default_factory=list)
    error: str = ""
    times: list[float] = field(default_factory=list)

    @property
    def body(self) -> bytes:
        return b"".join(self.pieces)

    @property
    def outcome(self) -> tuple[int | None, list[bytes], str]:
        """What a replay must repeat."""
        return self.status, self.pieces, self.error


def ask(
    address: str,
    path: str,
    body: bytes | None = b"{}",
    method: str = "POST",
    client: httpx2.Client | None = None,
    **headers: str,
) -> Seen:
    """Ask as a plain client with a key, and watch each piece arrive."""
    seen = Seen()
    fields = {"authorization": f"Bearer {KEY}", "content-type": "application/json", "accept-encoding": "gzip"}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    own = client or httpx2.Client(trust_env=False, verify=False, timeout=60)
    try:
        with own.stream(method, address + path, content=body, headers=fields) as response:
            seen.status = response.status_code
            seen.headers = dict(response.headers)
            for piece in response.iter_raw():
                seen.pieces.append(piece)
                seen.times.append(time.monotonic())
    except httpx2.HTTPError as error:
        seen.error = type(error).__name__
    finally:
        if client is None:
            own.close()
    return seen


def both(
    root: Path,
    answer: Answer,
    use: Callable[[str], Any],
    name: str = "openai",
    mount: str = "/v1",
    rules: Sequence[NormaliseRule] = (),
) -> tuple[Any, Any, FakeApi]:
    """What `use` returns of a proxy's address, live and then offline with the upstream gone."""
    with api(answer) as upstream:
        base = Upstream.at(name, upstream.url + mount, mount)
        with proxied(root, base, rules=rules) as serving:
            live = use(serving.address)
    with proxied(root, base, mode="offline", rules=rules) as serving:
        played = use(serving.address)
    return live, played, upstream


def every_byte(root: Path) -> bytes:
    """All files of a library, names included, with what is compressed in them taken apart."""
    import zstandard

    found = []
    for path in sorted(root.rglob("*")):
        found.append(str(path.relative_to(root)).encode())
        if path.is_file():
            data = path.read_bytes()
            found.append(data)
            if data.startswith(b"\x28\xb5\x2f\xfd"):
                with zstandard.ZstdDecompressor().stream_reader(data, read_across_frames=True) as reader:
                    found.append(reader.read())
    return b"\n".join(found)


def event(text: str) -> bytes:
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": {"content": text}}]}).encode() + b"\n\n"


def echo(call: Call) -> None:
    call.reply(b'{"you": %s}' % (call.got.body or b"null"))


def recorded(root: Path, run: str = "r") -> list[Interaction]:
    library = Library(root)
    return [one.row for one in Recorded(library, library.run(run)[1], Rules())]
