"""What the proxy costs: added latency to the first token, and replayed requests a second; writes reports/.

Upstream, proxy and client are three processes of this machine. Streams are in flight all the time, each client on a
connection of its own: first token after 100 ms, then 20 pieces at 20 a second. Asked directly and through the proxy in
turns; what is compared are medians.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from replaylab.capture.app import Proxy
from replaylab.capture.asked import Redactors
from replaylab.capture.routes import Routes, Upstream
from replaylab.capture.server import ProxyServer, drop, listen
from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.session import Mode, Session
from replaylab.engine.seams import real_seams
from replaylab.schema.interaction import Attempt
from replaylab.store.library import Library
from replaylab.wire.forward import Forward
from replaylab.wire.redact import Redactor
from tools.bench_parts import write

FIRST_S, GAP_S, PIECES = 0.1, 0.05, 20
KEY = b"Bearer sk-proj-Zx81kfQm3vT7bWn5LrYd0HsJ"
PIECE = b'data: {"id":"c","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"word "}}]}\n\n'
END = b"data: [DONE]\n\n"
ANSWER = json.dumps(
    {"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "word " * 200}}]}
)
PATH = "/v1/chat/completions"


def question(number: int) -> bytes:
    """A request body of some 4 KB."""
    text = f"question {number} " + "with the words of a system prompt " * 110
    return json.dumps(
        {"model": "m", "stream": True, "messages": [{"role": "user", "content": text}]}
    ).encode()


# ------------------------------------------------------------------------------------- the three processes


async def _upstream(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(head.partition(b"content-length:")[2].partition(b"\r\n")[0]))
            await asyncio.sleep(FIRST_S)
            writer.write(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
            )
            for piece in [PIECE] * PIECES:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                await asyncio.sleep(GAP_S)
            writer.write(b"%x\r\n%s\r\n0\r\n\r\n" % (len(END), END))
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


def upstream_process(pipe: Connection) -> None:
    """Serves until it is ended."""

    async def serve() -> None:
        server = await asyncio.start_server(_upstream, "127.0.0.1", 0, backlog=512)
        pipe.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(serve())


def proxy_process(pipe: Connection, folder: str, upstream: int) -> None:
    """A proxy that records, or, without an upstream, one that plays: a new session whenever it is asked for one."""
    root = Path(folder)
    base = (
        Upstream.at("openai", f"http://127.0.0.1:{upstream}/v1")
        if upstream
        else Upstream("openai", mount="/v1")
    )
    mode: Mode = "record" if upstream else "offline"
    forward = Forward() if upstream else None
    session = Session(Library(root), "bench", mode, real_seams())
    app = Proxy(session, Routes([base]), Redactors(), forward, drop)
    with ProxyServer(app, listen("127.0.0.1", 0), forward.close if forward else None) as server:
        pipe.send(int(server.address.rsplit(":", 1)[1]))
        while (asked := pipe.recv()) != "stop":
            if asked == "again":
                session.close()
                begun = time.perf_counter()
                session = app.session = Session(Library(root), "bench", "offline", real_seams())
                pipe.send(time.perf_counter() - begun)
            else:
                used = resource.getrusage(resource.RUSAGE_SELF)
                pipe.send(used.ru_utime + used.ru_stime)
    session.seal()
    if app.defects or app.counts.missed or app.counts.broken:
        raise SystemExit(f"{app.counts}, {app.defects}")


@contextmanager
def process(target: Any, *more: Any) -> Iterator[tuple[Connection, int]]:
    """A process of its own; its pipe, and the port that it serves at."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    child = context.Process(target=target, args=(theirs, *more), daemon=True)
    child.start()
    try:
        yield ours, ours.recv()
    finally:
        if target is proxy_process:
            ours.send("stop")
            child.join(60)
            if child.exitcode:
                raise SystemExit("the proxy failed")
        child.terminate()
        child.join()


# --------------------------------------------------------------------------------------------- the client


def request(path: str, body: bytes) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n"
    return head.encode() + b"authorization: " + KEY + b"\r\n\r\n" + body


async def stream(port: int, path: str, rounds: int, delay: float) -> list[float]:
    """The seconds to the first token, of several streams one after the other."""
    await asyncio.sleep(delay)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    found = []
    for number in range(rounds):
        data = request(path, question(number))
        begun = time.perf_counter()
        writer.write(data)
        await reader.readuntil(b"data: ")
        found.append(time.perf_counter() - begun)
        await reader.readuntil(b"\r\n0\r\n\r\n")
    writer.close()
    return found


async def first_tokens(port: int, path: str, streams: int, rounds: int) -> float:
    """The median milliseconds to the first token, with so many streams in flight."""
    spread = FIRST_S + GAP_S * PIECES
    waves = await asyncio.gather(
        *(stream(port, path, rounds, spread * number / streams) for number in range(streams))
    )
    return statistics.median(one for wave in waves for one in wave) * 1000


async def plays(port: int, path: str, numbers: list[int], connections: int) -> float:
    """The seconds until all questions are answered, over so many connections."""
    waiting = iter(numbers)

    async def one() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for number in waiting:
            writer.write(request(path, question(number)))
            head = await reader.readuntil(b"\r\n\r\n")
            if not head.startswith(b"HTTP/1.1 200"):
                raise SystemExit(f"not replayed: {head!r}")
            await reader.readexactly(int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0]))
        writer.close()

    begun = time.perf_counter()
    await asyncio.gather(*(one() for _ in range(connections)))
    return time.perf_counter() - begun


# ------------------------------------------------------------------------------------------ what is measured


def used(pipe: Connection) -> float:
    """The seconds of CPU that the proxy's process has used."""
    pipe.send("cpu")
    seconds: float = pipe.recv()
    return seconds


def latency(streams: int, repeats: int, rounds: int) -> dict[str, float]:
    """Medians of the repeats, direct and through a proxy that records, measured in turns."""
    direct, through = [], []
    cpu = 0.0
    with (
        tempfile.TemporaryDirectory() as name,
        process(upstream_process) as (_, upstream),
        process(proxy_process, name, upstream) as (pipe, port),
    ):
        asyncio.run(first_tokens(port, "/openai" + PATH, min(streams, 5), 1))  # warm
        for _ in range(repeats):
            direct.append(asyncio.run(first_tokens(upstream, PATH, streams, rounds)))
            begun = used(pipe)
            through.append(asyncio.run(first_tokens(port, "/openai" + PATH, streams, rounds)))
            cpu += used(pipe) - begun
    return {
        "streams": streams,
        "direct_ms": round(statistics.median(direct), 2),
        "proxy_ms": round(statistics.median(through), 2),
        "added_ms": round(statistics.median(through) - statistics.median(direct), 2),
        "proxy_cpu_ms_a_stream": round(1000 * cpu / (streams * rounds * repeats), 2),
    }


def recorded(root: Path, size: int) -> None:
    """A recording of so many exchanges."""
    session, redactor = Session(Library(root), "bench", "record", real_seams()), Redactor()
    for number in range(size):
        asked = Exchange.of(
            "openai", "POST", PATH, question(number), redactor, content_type="application/json"
        )
        attempt = Attempt(status=200, headers={"content-type": "application/json"}, text=ANSWER, latency_ms=1)
        session.begin(asked).commit(attempt)
    session.seal()


def replaying(size: int, repeats: int, sessions: int, connections: int = 8) -> dict[str, float]:
    """Replayed requests a second. A recording gives each answer once, so a small one is opened again and again."""
    rates, opened, cpu = [], [], 0.0
    with tempfile.TemporaryDirectory() as name:
        recorded(Path(name), size)
        with process(proxy_process, name, 0) as (pipe, port):
            for _ in range(repeats):
                seconds = 0.0
                for _ in range(sessions):
                    pipe.send("again")
                    opened.append(pipe.recv())
                    begun = used(pipe)
                    seconds += asyncio.run(plays(port, "/openai" + PATH, list(range(size)), connections))
                    cpu += used(pipe) - begun
                rates.append(sessions * size / seconds)
    return {
        "interactions": size,
        "requests_a_second": round(statistics.median(rates), 1),
        "open_ms": round(statistics.median(opened) * 1000, 1),
        "proxy_cpu_ms_a_request": round(1000 * cpu / (repeats * sessions * size), 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller, to see that it runs; writes no report")
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args()
    busy = os.getloadavg()[0]
    repeats = 1 if given.quick else given.repeats
    latencies = [latency(1, repeats, 3 if given.quick else 10), latency(50, repeats, 1 if given.quick else 4)]
    sizes = ((10, 5), (300, 1)) if given.quick else ((10, 60), (10_000, 1))
    rates = [replaying(size, repeats, sessions) for size, sessions in sizes]
    how = (
        "`python -m tools.bench_proxy` writes this page. Upstream, proxy and client are three processes of this machine; "
        f"requests have some 4 KB, medians of {repeats}. Other work of the machine counts in: {os.cpu_count()} cores, load "
        f"{busy:.1f} before and {os.getloadavg()[0]:.1f} after."
    )
    tables: list[tuple[str, tuple[str, ...], list[list[object]]]] = [
        (
            "Time to the first token (wanted: less than 5 ms added)",
            (
                "streams in flight",
                "direct, ms",
                "through the proxy, ms",
                "added, ms",
                "CPU of the proxy a stream, ms",
            ),
            [list(one.values()) for one in latencies],
        ),
        (
            "Replay through the proxy (wanted: at least 500 a second, whatever the size)",
            (
                "interactions recorded",
                "requests a second",
                "opening the recording, ms",
                "CPU of the proxy a request, ms",
            ),
            [list(one.values()) for one in rates],
        ),
    ]
    write(
        "bench_proxy",
        "What the proxy costs",
        how,
        tables,
        {"latency": latencies, "replay": rates},
        whole=not given.quick,
    )


if __name__ == "__main__":
    main()
