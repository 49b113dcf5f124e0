"""Runs a published harness that knows nothing of replaylab under `capture`, then offline on another date, and compares.

    python tools/occubench_capture.py CHECKOUT --python PYTHON

CHECKOUT is an unmodified checkout of the OccuBench reference code; nothing of it is kept. PYTHON runs it and has openai
and tqdm (`make clients` makes one: build/clients/openai1/bin/python). The models are built-in programs, no LLMs, behind
`replaylab serve-models`, and in front of them stands a relay that refuses or drops some first tries, so that the SDK
tries again, and gives each vote a seed of its own, so that votes differ. The harness writes today's date into its prompt and asks its votes in parallel and word for word alike.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

REPO = Path(__file__).resolve().parents[1]
TASKS = 10
WORKERS = 8
OTHER_DATE = "2031-02-03 04:05:06"
RULE = """
[[capture.normalise]]
pointer = "/messages/0/content"
pattern = 'actual time: [A-Z][a-z]{5,8}, [A-Z][a-z]{2,8} [0-9]{2}, [0-9]{4}'
"""


class Relay(ThreadingHTTPServer):
    """Hands on to `port`; the first try of about every fifth question is refused or its connection dropped."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.port = port
        self.seen: Counter[str] = Counter()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A dropped connection is meant to be."""


class _Handler(BaseHTTPRequestHandler):
    server: Relay
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        fate = hashlib.sha256(body).digest()[0] % 15
        self.server.seen["requests"] += 1
        if self.headers.get("x-stainless-retry-count", "0") == "0" and fate < 3:
            self.server.seen[("dropped", "refused (429)", "failed (503)")[fate]] += 1
            self._fail(fate)
            return
        upstream = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        upstream.request("POST", self.path, self._sampled(body), {"content-type": "application/json"})
        answer = upstream.getresponse()
        data = answer.read()
        upstream.close()
        self._send(answer.status, data)

    def _sampled(self, body: bytes) -> bytes:
        """The body with a seed of its own each time, so that votes differ as those of a model do."""
        asked = json.loads(body)
        if asked["model"] != "coin":
            return body
        self.server.seen["votes"] += 1
        return json.dumps(asked | {"seed": self.server.seen["votes"]}).encode()

    def _fail(self, fate: int) -> None:
        if fate == 0:
            self.close_connection = True
            self.connection.close()
            return
        self._send((0, 429, 503)[fate], b'{"error": {"message": "later"}}')

    def _send(self, status: int, data: bytes) -> None:
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if status >= 400:
            self.send_header("retry-after-ms", "50")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silence."""


def replaylab(*words: str) -> list[str]:
    return [sys.executable, "-m", "replaylab", *words]


def environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(REPO), **more}


@contextmanager
def models() -> Iterator[int]:
    """The port of `replaylab serve-models`."""
    process = subprocess.Popen(
        replaylab("serve-models", "--port", "0"), env=environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        line = process.stdout.readline() if process.stdout else ""
        yield int(line.rsplit(":", 1)[1].partition("/")[0])
    finally:
        process.terminate()
        process.communicate()


@contextmanager
def relayed(port: int) -> Iterator[Relay]:
    relay = Relay(port)
    thread = threading.Thread(target=relay.serve_forever)
    thread.start()
    try:
        yield relay
    finally:
        relay.shutdown()
        relay.server_close()
        thread.join()


def harness(python: str, data: Path, results: Path, tasks: Sequence[int]) -> list[str]:
    """The harness's own command line."""
    return [
        python, "-m", "occubench.evaluate", "--agent-model", "scripted:explorer", "--world-model", "example",
        "--verifier-model", "coin", "--max-workers", str(WORKERS), "--output-dir", str(results), "--run-name", "r",
        "--eval-data", str(data / "eval_benchmark_solvable.jsonl"),
        "--scenario-pool", str(data / "task_scenario_all_pool.jsonl"),
        "--config-dir", str(data / "world_model_configs"), "--debug", "--task-ids", *map(str, tasks),
    ]  # fmt: skip


def rows_of(results: Path) -> list[dict[str, Any]]:
    text = (results / "r" / "results.jsonl").read_text(encoding="utf-8")
    return sorted(map(json.loads, text.splitlines()), key=lambda row: row["task_id"])


def votes_of(results: Path) -> Counter[str]:
    """The votes of all tasks, as a set in which each may stand several times."""
    text = (results / "r" / "debug.log").read_text(encoding="utf-8")
    return Counter(line.partition("correct=")[2] for line in text.splitlines() if "Vote " in line)


def capture(
    work: Path, checkout: Path, command: list[str], *how: str, shift: bool, **more: str
) -> dict[str, Any]:
    """One run under `capture`, and the document that it prints. Ends this program where it fails."""
    if shift:
        command = ["faketime", OTHER_DATE, *command]
    line = replaylab(
        "--config", str(work / "replaylab.toml"), "capture", "--json", "--run", "occubench", *how, "--"
    )
    env = environment(**more)
    ended = subprocess.run(
        [*line, *command], cwd=checkout, env=env, stdout=subprocess.PIPE, text=True, check=False, timeout=1800
    )
    document: dict[str, Any] = json.loads(ended.stdout)
    if ended.returncode or not document["ok"]:
        raise SystemExit(f"capture {' '.join(how)} ended with {ended.returncode}: {ended.stdout[:2000]}")
    return document


def prove(checkout: Path, python: str, data: Path, work: Path) -> dict[str, Any]:
    """Record, replay on another date, compare."""
    lines = (data / "eval_benchmark_solvable.jsonl").read_text(encoding="utf-8").splitlines()
    tasks = [json.loads(line)["task_id"] for line in lines[:: len(lines) // TASKS]][:TASKS]
    (work / "replaylab.toml").write_text(RULE, encoding="utf-8")
    key = "sk-proj-0Zb7xQ2mYt91KdLw83VnHs5R"
    with models() as port, relayed(port) as relay:
        address = f"http://127.0.0.1:{relay.server_address[1]}/v1"
        command = harness(python, data, work / "live", tasks)
        more = {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": key}
        recorded = capture(work, checkout, command, shift=False, **more)
        seen = dict(relay.seen)
    for name in ("OPENAI_BASE_URL", "OPENAI_API_KEY"):
        os.environ.pop(name, None)
    command = harness(python, data, work / "again", tasks)
    played = capture(work, checkout, command, "--offline", shift=True)
    live, again = rows_of(work / "live"), rows_of(work / "again")
    found = {
        "tasks": len(live),
        "rows equal": live == again,
        "votes equal as sets": votes_of(work / "live") == votes_of(work / "again"),
        "votes": sum(votes_of(work / "live").values()),
        "relay": seen,
        "recorded": recorded["requests"],
        "played": played["requests"],
        "misses": played["missed"],
        "unplayed": played["unplayed"],
        "warnings": len(played["warnings"]),
        "tasks whose votes differ": sum("identical requests" in one for one in played["warnings"]),
    }
    whole = len(live) == TASKS and found["rows equal"] and found["votes equal as sets"]
    tried_again = sum(count for name, count in seen.items() if name not in {"requests", "votes"})
    return {**found, "ok": bool(whole and tried_again and found["votes"] == 3 * TASKS)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("checkout", type=Path, help="an unmodified checkout of the harness")
    parser.add_argument("--python", default=sys.executable, help="what runs it; it has openai and tqdm")
    parser.add_argument("--data", type=Path, help="the folder with its data; default: data/ of the checkout")
    given = parser.parse_args()
    if shutil.which("faketime") is None:
        raise SystemExit("faketime is not installed; on Debian: apt-get install faketime")
    checkout = given.checkout.resolve()
    with tempfile.TemporaryDirectory() as name:
        data = (given.data or checkout / "data").resolve()
        found = prove(checkout, str(Path(given.python).absolute()), data, Path(name))
    print(json.dumps(found, indent=2))
    sys.exit(not found["ok"])


if __name__ == "__main__":
    main()
