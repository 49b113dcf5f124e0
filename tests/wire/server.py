"""A loopback server that misbehaves as scripted, and what a chat over it needs: clocks that no one waits for."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2

from replaylab.cassette.tape import Lane, Tape
from replaylab.schema.callpath import Condition, TrialKey
from replaylab.schema.cassette import Blob
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.wire.client import LaneChat, Outside
from replaylab.wire.endpoint import Endpoint, network
from replaylab.wire.limits import Limiter

Step = Callable[[BaseHTTPRequestHandler], None]
KEY = TrialKey(Condition("m", "m", "m", "E0"), "task", 0)
ANSWER = {
    "id": "c1",
    "model": "m-1",
    "choices": [{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 11, "completion_tokens": 2},
}


def raw(data: bytes) -> Step:
    """Write these bytes as the whole response and close."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(data)
        handler.close_connection = True

    return step


def reply(
    body: Any = ANSWER,
    status: int = 200,
    kind: str = "application/json",
    length: int | None = None,
    **headers: str,
) -> Step:
    """Answer with a body: bytes as they are, anything else as JSON. `length` may lie."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    fields = {
        "Content-Type": kind,
        "Content-Length": str(len(data) if length is None else length),
        "Connection": "close",
    }
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return raw(f"HTTP/1.1 {status} Scripted\r\n{head}\r\n".encode() + data)


def stream(*pieces: bytes, end: bool = True) -> Step:
    """Send server-sent events in HTTP chunks; without `end` the connection closes before the last chunk."""
    head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n"
    head += b"\r\n"
    chunks = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    return raw(head + chunks + (b"0\r\n\r\n" if end else b""))


def reset(before: bytes = b"") -> Step:
    """Send some bytes, then reset the connection."""

    def step(handler: BaseHTTPRequestHandler) -> None:
        handler.wfile.write(before)
        handler.wfile.flush()
        handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        handler.connection.close()
        handler.close_connection = True

    return step


def silent(handler: BaseHTTPRequestHandler) -> None:
    """Never answer: wait until the client hangs up."""
    handler.connection.recv(1)
    handler.close_connection = True


def event(value: Any) -> bytes:
    """One server-sent event."""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"data: {text}\n\n".encode()


def delta(finish: str | None = None, **fields: Any) -> dict[str, Any]:
    """A chunk of a streamed answer."""
    return {"id": "c1", "model": "m-1", "choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


class Server(ThreadingHTTPServer):
    """Plays `script` in order, the last step again and again; keeps each request's headers and body."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, script: Sequence[Step]) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[tuple[str, dict[str, str], bytes]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is meant to."""


class Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        with self.server.lock:
            self.server.requests.append((self.path, headers, body))
            script = self.server.script
            step = script.pop(0) if len(script) > 1 else script[0]
        step(self)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Silence."""


@contextmanager
def serving(*script: Step) -> Iterator[Server]:
    server = Server(script)
    thread = threading.Thread(target=lambda: server.serve_forever(poll_interval=0.005))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Clock:
    """Milliseconds that pass only when somebody sleeps."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.slept.append(seconds)
            self.now += seconds * 1000


class Plain:
    """A redactor that knows one secret."""

    kept = ("content-type", "retry-after", "retry-after-ms", "x-request-id")

    def body(self, data: bytes) -> bytes:
        return data.replace(b"s3cret-s3cret", b"*REDACTED*")

    def value(self, value: Any) -> Any:
        text = json.dumps(value)
        return json.loads(text.replace("s3cret-s3cret", "*REDACTED*")) if "s3cret-s3cret" in text else value

    def stream(self, chunks: Sequence[bytes]) -> Sequence[bytes]:
        return [self.body(chunk) for chunk in chunks]

    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]:
        return {name.lower(): value for name, value in headers if name.lower() in self.kept}


@dataclass(frozen=True)
class Options:
    """How a bench is set up."""

    offline: bool = False
    network: bool = True
    recorded: Sequence[Interaction] = ()
    blob: Callable[[str], Blob] | None = None
    gate: AbstractContextManager[object] = field(default_factory=nullcontext)
    attempts: int = 4
    stream: bool = False
    key: str = "k-123"
    key_env: str = "M_KEY"
    timeout_s: float = 5.0
    sampling: dict[str, Any] = field(default_factory=dict)


class Bench:
    """A chat over one lane of a fresh tape; afterwards its interactions, to be played again."""

    def __init__(self, url: str = "http://127.0.0.1:1/v1", **options: Any) -> None:
        chosen = Options(**options)
        self.clock = Clock()
        self.settings = ModelSettings(
            alias="m", model="vendor/m", stream=chosen.stream, sampling=chosen.sampling
        )
        self.tape = Tape(
            KEY,
            elapsed_ms=self.clock,
            recorded={"agent": list(chosen.recorded)},
            closed=lambda lane: chosen.offline,
            blob=chosen.blob,
        )
        live = chosen.network and not chosen.offline
        self.inner: httpx2.BaseTransport | None = (
            network(4, lambda: time.monotonic() * 1000) if live else None
        )
        self.endpoint = Endpoint(
            self.settings,
            url,
            chosen.key,
            chosen.key_env,
            timeout_s=chosen.timeout_s,
            max_attempts=chosen.attempts,
        )
        self.limiter = Limiter(self.clock, self.clock.sleep)
        self.outside = Outside(
            self.inner, Plain(), chosen.gate, self.clock, lambda: 1_000_000_000.0, self.clock.sleep
        )

    @property
    def lane(self) -> Lane:
        return self.tape.lane("agent")

    @property
    def interactions(self) -> list[Interaction]:
        return self.tape.lanes.get("agent", [])

    def __enter__(self) -> LaneChat:
        return LaneChat(self.lane, self.settings, self.endpoint, self.limiter, self.outside)

    def __exit__(self, *_: object) -> None:
        if self.inner is not None:
            self.inner.close()
