"""Replay speed, ours beside vcrpy, in one process run; writes reports/bench_replay.{md,json}.

Times are CPU time, medians of five, except where a column says wall: this machine may be busy with something else.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import zstandard
from vcr.cassette import Cassette as VcrCassette
from vcr.matchers import method, raw_body, uri
from vcr.record_mode import RecordMode
from vcr.request import Request
from vcr.serialize import serialize
from vcr.serializers import yamlserializer

from replaylab.canonical import digest
from replaylab.cassette.codec import Cassette, order_lines, pack
from replaylab.cassette.tape import Tape
from replaylab.engine.replay import replay_run
from replaylab.schema.cassette import key_of
from replaylab.schema.interaction import Attempt
from replaylab.wire.completion import read_answer
from replaylab.wire.played import PlayedChat
from tools.bench_parts import FILLER, Table, median_of, record, settings, write

SIZES = (100, 1000, 5000)
PROMPT = FILLER * 4  # 8 KB


def messages(number: int) -> list[dict[str, str]]:
    return [{"role": "user", "content": f"{number}: {PROMPT}"}]


def answer(number: int) -> str:
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": f"{number}: {FILLER}"},
        "finish_reason": "stop",
    }
    return json.dumps({"id": "x", "model": "m", "choices": [choice]})


def our_cassette(size: int, template: Cassette) -> bytes:
    """One lane of `size` interactions of 8 KB requests and 2 KB responses."""
    header, agent = template.header, settings()[0]
    tape = Tape(key_of(header), elapsed_ms=lambda: 0.0)
    lane = tape.lane("agent")
    for number in range(size):
        request = PlayedChat(lane, agent)._asking.request(messages(number), (), None)  # noqa: SLF001
        attempt = Attempt(status=200, headers={"content-type": "application/json"}, text=answer(number))
        lane.begin(request).commit([attempt], read_answer(attempt))
    blobs = tape.pool.blobs
    counts = {"header": 1, "blob": len(blobs), "interaction": size, "label": 0}
    none = digest(None)
    seal = {
        "counts": counts,
        "lanes": {},
        "termination": "answered",
        "verdict": "none",
        "trajectory_digest": none,
    }
    seal |= {"verdict_digest": none, "outcome": none, "sealed": ""}
    return pack(order_lines(header, blobs, tape.lanes, []), seal)


def load_ours(data: bytes) -> Cassette:
    cassette = Cassette(data, where="bench")
    if not cassette.lanes:
        raise SystemExit("nothing was loaded")
    return cassette


def our_calls(cassette: Cassette, at: int, calls: int) -> float:
    """CPU ms a call, over `calls` calls that end at place `at`."""
    tape = Tape(
        key_of(cassette.header),
        elapsed_ms=lambda: 0.0,
        recorded=cassette.lanes,
        blob=cassette.blob,
        closed=lambda lane: True,
    )
    chat = PlayedChat(tape.lane("agent"), settings()[0])
    for number in range(at - calls):
        chat.ask(messages(number))
    asked = [messages(number) for number in range(at - calls, at)]
    begun = time.process_time()
    for one in asked:
        chat.ask(one)
    return (time.process_time() - begun) * 1000 / calls


def vcr_file(path: Path, size: int) -> None:
    requests = [
        Request("POST", "http://x.invalid/v1/chat/completions", vcr_body(number), {})
        for number in range(size)
    ]
    responses = [
        {"status": {"code": 200, "message": "OK"}, "headers": {}, "body": {"string": answer(number)}}
        for number in range(size)
    ]
    path.write_text(
        serialize({"requests": requests, "responses": responses}, yamlserializer), encoding="utf-8"
    )


def vcr_body(number: int) -> str:
    return json.dumps({"model": "m", "messages": messages(number)})


def vcr_load(path: Path) -> Any:
    return VcrCassette.load(path=str(path), match_on=(method, uri, raw_body), record_mode=RecordMode.NONE)


def vcr_calls(cassette: Any, at: int, calls: int) -> float:
    asked = [
        Request("POST", "http://x.invalid/v1/chat/completions", vcr_body(n), {})
        for n in range(at - calls, at)
    ]
    begun = time.process_time()
    for one in asked:
        cassette.play_response(one)
    return (time.process_time() - begun) * 1000 / calls


def cpu_ms(work: Callable[[], object]) -> float:
    begun = time.process_time()
    work()
    return (time.process_time() - begun) * 1000


def memory_mb(work: Callable[[], object]) -> float:
    tracemalloc.start()
    kept = work()
    size = tracemalloc.get_traced_memory()[0] / 1e6
    tracemalloc.stop()
    del kept
    return size


def side_by_side(folder: Path, template: Cassette, sizes: tuple[int, ...]) -> list[dict[str, Any]]:
    return [one_size(folder / f"{size}.yaml", template, size) for size in sizes]


def one_size(path: Path, template: Cassette, size: int) -> dict[str, Any]:
    data = our_cassette(size, template)
    vcr_file(path, size)
    ours = load_ours(data)
    places = {"first": 20, "middle": size // 2 + 10, "last": size}
    row: dict[str, Any] = {
        "n": size,
        "ours_disk_kb": len(data) / 1000,
        "vcr_disk_kb": path.stat().st_size / 1000,
        "ours_load_ms": median_of(5, lambda: cpu_ms(lambda: load_ours(data))),
        "ours_memory_mb": memory_mb(lambda: load_ours(data)),
        "vcr_load_ms": cpu_ms(lambda: vcr_load(path)),
        "vcr_memory_mb": memory_mb(lambda: vcr_load(path)),
    }
    for name, at in places.items():
        row[f"ours_{name}_ms"] = median_of(5, partial(our_calls, ours, at, 20))
        row[f"vcr_{name}_ms"] = vcr_calls(vcr_load(path), at, 5)
    return row


def unpacked(root: Path, steps: int) -> int:
    library = record(root, steps, 1)
    (name,) = library.objects("cassette")
    return len(zstandard.ZstdDecompressor().decompress(library.get(name, "cassette")))


def throughput(root: Path, trials: int, jobs: int) -> dict[str, float]:
    library = record(root, 16, trials)
    _, run = library.run("bench")
    walls, count = [], 0
    for _ in range(5):
        begun = time.perf_counter()
        result = replay_run(library, run, jobs=jobs)
        walls.append(time.perf_counter() - begun)
        if result.findings:
            raise SystemExit(f"the replay diverged: {result.findings[0]}")
        count = result.interactions
    cpu = cpu_ms(lambda: replay_run(library, run, jobs=1))
    return {
        "trials": trials,
        "interactions": count,
        "jobs": jobs,
        "wall_s": sorted(walls)[2],
        "per_second_wall": count / sorted(walls)[2],
        "cpu_ms_an_interaction": cpu / count,
    }


def load_of(template: Cassette, size: int) -> float:
    data = our_cassette(size, template)
    return median_of(5, lambda: cpu_ms(lambda: load_ours(data)))


HOW = (
    "`make bench` writes this page. Requests have 8 KB, responses 2 KB. Calls are measured over 20 (vcrpy: 5) at the "
    "first, middle and last places of one lane. CPU time, medians of five, unless a column says wall. vcrpy is driven "
    "without patching, one of its Cassette objects for the lane, matching on method, URI and raw body."
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--quick", action="store_true", help="smaller sizes, to see that it runs; writes no report"
    )
    quick = parser.parse_args().quick
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        seed = record(folder / "seed", 2, 1)
        (first,) = seed.objects("cassette")
        template = Cassette(seed.get(first, "cassette"), where="seed")
        rows = side_by_side(folder, template, (50, 100) if quick else SIZES)
        loading = {str(size): load_of(template, size) for size in ((50,) if quick else (500, 5000))}
        short, long = unpacked(folder / "short", 16), unpacked(folder / "long", 64)
        speed = throughput(folder / "speed", 6 if quick else 200, 2)
    growth = long / short
    flat = rows[-1]["ours_last_ms"] / rows[0]["ours_last_ms"]
    columns = ("N", "first ms", "middle ms", "last ms", "load ms", "disk KB", "memory MB")
    tables: list[Table] = []
    for who, title in (
        ("ours", "replaylab, CPU ms a replayed call"),
        ("vcr", "vcrpy, CPU ms a replayed call"),
    ):
        shown = [
            [row["n"], *(f"{row[f'{who}_{place}_ms']:.3f}" for place in ("first", "middle", "last")),
             f"{row[f'{who}_load_ms']:.1f}", f"{row[f'{who}_disk_kb']:.0f}", f"{row[f'{who}_memory_mb']:.1f}"]
            for row in rows
        ]  # fmt: skip
        tables.append((title, columns, shown))
    wanted = [
        ["last call, largest N against smallest", "at most 1.2", f"{flat:.2f}"],
        ["a call, ms", "under 1", f"{max(row['ours_last_ms'] for row in rows):.3f}"],
        *([f"loading {size} interactions, ms", "under 50" if size == "500" else "under 600", f"{ms:.1f}"]
          for size, ms in loading.items()),
        ["unpacked size, 64 steps against 16", "at most 4.4", f"{growth:.2f}"],
        [f"replay --jobs 2, {speed['interactions']} interactions of 16-step trials, a second (wall)", "at least 1000",
         f"{speed['per_second_wall']:.0f}"],
        ["engine and comparison, CPU ms an interaction", "", f"{speed['cpu_ms_an_interaction']:.3f}"],
    ]  # fmt: skip
    tables.append(("Wanted and measured", ("what", "wanted", "measured"), wanted))
    numbers = {
        "side_by_side": rows,
        "loading_ms": loading,
        "growth": growth,
        "flat": flat,
        "throughput": speed,
    }
    write("bench_replay", "Replay speed", HOW, tables, numbers, whole=not quick)


if __name__ == "__main__":
    main()
