"""What recording and playing captured exchanges costs, without any network, by the size of the recording.

    python -m tools.bench_capture_core [SIZE]...

Each size is recorded into a new library, then played; one line a size. Requests are conversations of ten turns.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.miss import MissError
from replaylab.engine.captured.rules import Rules
from replaylab.engine.captured.session import Session
from replaylab.engine.seams import real_seams
from replaylab.schema.capture import NormaliseRule
from replaylab.schema.interaction import Attempt
from replaylab.store.library import Library

SIZES = (10, 1_000, 10_000)
TURNS = 10
SYSTEM = "You are a helpful agent. " * 40


def exchange(number: int) -> Exchange:
    """The n-th request: a turn of a conversation that has all turns before it."""
    talk, turn = divmod(number, TURNS)
    said = [{"role": "system", "content": SYSTEM}]
    said += [
        {"role": "user", "content": f"conversation {talk}, step {step}: " + "words " * 40}
        for step in range(turn + 1)
    ]
    return Exchange(
        "openai", "POST", "/v1/chat/completions", json.dumps({"model": "m", "messages": said}).encode()
    )


def answer(number: int) -> Attempt:
    """Its answer, of some 2 KB."""
    body = {"model": "m", "n": number, "choices": [{"message": {"content": f"{number} " * 400}}]}
    return Attempt(
        status=200, headers={"content-type": "application/json"}, text=json.dumps(body), latency_ms=1.0
    )


def timed(work: Callable[[], object]) -> float:
    """Milliseconds."""
    started = time.perf_counter()
    work()
    return (time.perf_counter() - started) * 1000


def measure(size: int) -> None:
    """Record, open and play so many; print what it took."""
    with tempfile.TemporaryDirectory() as folder:
        library = Library(Path(folder) / "library")
        asked = [exchange(number) for number in range(size)]
        session = Session(library, "bench", "record", real_seams())
        begins, commits = [], []
        for number, one in enumerate(asked):
            started = time.perf_counter()
            place = session.begin(one)
            begun = time.perf_counter()
            place.commit(answer(number))
            begins.append((begun - started) * 1000)
            commits.append((time.perf_counter() - begun) * 1000)
        sealing = timed(session.seal)
        opening = timed(lambda: Session(library, "bench", "offline", real_seams()))
        rules = Rules([NormaliseRule(pattern=r"\d{4}-\d\d-\d\d"), NormaliseRule(pointer="/metadata")])
        with_rules = timed(lambda: Session(library, "bench", "offline", real_seams(), rules=rules))
        again = Session(library, "bench", "offline", real_seams())
        plays = []
        for number, one in enumerate(asked):
            started = time.perf_counter()
            place = again.begin(one)
            plays.append((time.perf_counter() - started) * 1000)
            if place.recorded is None or place.recorded.text != answer(number).text:
                raise SystemExit(f"question {number} was not played as recorded")
        unknown = [exchange(size * TURNS + number) for number in range(20)]
        misses = [timed(partial(missed, again, one)) for one in unknown]
        stored = sum(path.stat().st_size for path in library.root.rglob("*.cassette"))
        print(
            f"{size:>7,}  begin {statistics.median(begins):6.3f} ms  commit {statistics.median(commits):6.3f} ms"
            f" (p99 {sorted(commits)[int(len(commits) * 0.99)]:6.2f})  seal {sealing:8.1f} ms  open {opening:8.1f} ms"
            f"  with rules {with_rules:8.1f} ms  play {statistics.median(plays):6.3f} ms"
            f"  first miss {misses[0]:7.1f} ms  a miss {statistics.median(misses[1:]):6.2f} ms  {stored / size:8.0f} bytes each"
        )


def missed(session: Session, one: Exchange) -> None:
    """Ask for what is not recorded."""
    try:
        session.begin(one)
    except MissError:
        return
    raise SystemExit("it was answered")


if __name__ == "__main__":
    for wanted in [int(word) for word in sys.argv[1:]] or SIZES:
        measure(wanted)
