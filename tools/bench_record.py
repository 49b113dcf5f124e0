"""Recording 40 trials of 16 steps against a server that answers in 200 ms, 32 calls at a time; writes reports/.

The ideal schedule knows no CPU time: with L calls one after the other in a trial and C calls in all, it takes
max(L, ceil(C / 32)) answers of 200 ms.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing.connection import Connection
from pathlib import Path

from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.record import Recording
from replaylab.engine.seams import real_seams
from replaylab.store.library import Library
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint, network
from replaylab.wire.redact import Redactor
from tools.bench_parts import plan, respond, settings, write

STEPS, TRIALS, JOBS, VOTES, DELAY_S = 16, 40, 32, 3, 0.2


def serve(pipe: Connection, delay_s: float) -> None:
    """The server's process: a thread a connection, `delay_s` from the arrival of a request to its answer."""
    answer = respond(STEPS)
    seen = {"calls": 0, "now": 0, "most": 0}
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            due = time.monotonic() + delay_s
            body = self.rfile.read(int(self.headers["Content-Length"]))
            with lock:
                seen["calls"] += 1
                seen["now"] += 1
                seen["most"] = max(seen["most"], seen["now"])
            status, headers, pieces = answer(self.path, body)
            data = b"".join(pieces)
            time.sleep(max(0.0, due - time.monotonic()))
            with lock:
                seen["now"] -= 1
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Silence."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128

    server = Server(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    pipe.send(server.server_address[1])
    pipe.recv()
    pipe.send(seen)


def record(port: int, folder: Path, trials: int, jobs: int) -> float:
    """Wall seconds for recording the run."""
    spec, planned = plan(trials, VOTES)
    gate = Gate(jobs)

    def clock_ms() -> float:
        return time.monotonic() * 1000

    outside = Outside(network(jobs, clock_ms), Redactor(), gate, clock_ms, time.time, time.sleep)
    endpoints = {one.alias: Endpoint(one, f"http://127.0.0.1:{port}/v1") for one in settings()}
    chats = Chats(endpoints, outside)
    recording = Recording(
        Library(folder),
        Order("bench", spec, planned, jobs=jobs),
        open_chat=chats.open,
        gate=gate,
        seams=real_seams(),
    )
    begun = time.perf_counter()
    recorded = recording.run()
    wall = time.perf_counter() - begun
    if recorded.new != trials or gate.totals.failed:
        raise SystemExit(f"{recorded.new} of {trials} trials recorded, {gate.totals.failed} failed calls")
    return wall


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="smaller, to see that it runs; writes no report")
    parser.add_argument("--repeats", type=int, default=3)
    given = parser.parse_args()
    trials, jobs, delay = (6, 4, 0.02) if given.quick else (TRIALS, JOBS, DELAY_S)
    ours, theirs = multiprocessing.get_context("spawn").Pipe()
    process = multiprocessing.get_context("spawn").Process(target=serve, args=(theirs, delay), daemon=True)
    process.start()
    port = ours.recv()
    walls = []
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory() as name:
            walls.append(record(port, Path(name) / "library", trials, jobs))
    ours.send("stop")
    seen = ours.recv()
    process.join(5)
    chain, calls = 2 * STEPS + 1 + 1, trials * (2 * STEPS + 1 + VOTES)
    ideal = max(chain, -(-calls // jobs)) * delay
    wall = sorted(walls)[len(walls) // 2]
    rows: list[list[object]] = [
        ["trials x steps, votes", f"{trials} x {STEPS}, {VOTES}"],
        ["calls", calls],
        ["calls in flight at most, as the server saw it", f"{seen['most']} of {jobs}"],
        ["ideal schedule, s", f"{ideal:.2f}"],
        ["measured, s (median, wall)", f"{wall:.2f}"],
        ["measured / ideal (wanted: at most 1.15)", f"{wall / ideal:.3f}"],
    ]
    numbers = {
        "trials": trials,
        "jobs": jobs,
        "calls": calls,
        "ideal_s": ideal,
        "walls_s": walls,
        "ratio": wall / ideal,
    }
    how = "`python -m tools.bench_record` writes this page. The server is another process of this machine."
    write(
        "bench_record",
        "Recording beside the ideal schedule",
        how,
        [("Makespan", ("what", "value"), rows)],
        numbers,
        whole=not given.quick,
    )
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
