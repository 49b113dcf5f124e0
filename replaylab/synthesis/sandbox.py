"""Running a proposed twin: in a process of its own, with limits on time and memory, and without files, network or children.

What a model proposes is code that nobody has read. It is run only where the user said so, and even then it can do nothing
but compute: the child loads what a twin may import, shuts every door, and only then executes the code. On Linux the
kernel shuts them (a seccomp filter that lets a handful of system calls through); Python's audit hooks do it everywhere,
and alone where there is no such filter, which `Ran.guard` says.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from replaylab.canonical import NotIJson, parse_strict
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment, PlannedCall

MAX_OUTPUT = 8 << 20
_START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from replaylab.synthesis import sandboxed; sandboxed.main()"
)


@dataclass(frozen=True)
class Limits:
    """Seconds of processor time and on the wall, and MiB of memory beyond what Python itself takes."""

    cpu_s: int = 5
    wall_s: float = 20
    memory_mb: int = 256


@dataclass(frozen=True)
class Ran:
    """What came of it. `why` is "" where the code ran; `ways` are the observations of each row of calls.

    `guard` is `kernel` or `hooks`, "" where the child died before it said so.
    """

    why: str
    ways: tuple[tuple[Json, ...], ...] = ()
    guard: str = ""


def run_twin(
    code: str,
    environment: Environment,
    ways: Sequence[Sequence[PlannedCall]],
    limits: Limits = Limits(),
) -> Ran:
    """Execute the code and make each row of calls on a new twin. Never raises for what the code does."""
    order = {
        "code": code,
        "environment": environment.model_dump(mode="json"),
        "ways": [[[call.tool, call.arguments] for call in way] for way in ways],
        "cpu_s": limits.cpu_s,
        "memory_mb": limits.memory_mb,
    }
    root = str(Path(__file__).resolve().parents[2])
    child = subprocess.Popen(
        [sys.executable, "-I", "-B", "-c", _START, root],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={"OPENBLAS_NUM_THREADS": "1"},
        start_new_session=True,
    )
    return _spoken(child, json.dumps(order).encode(), limits)


def _spoken(child: subprocess.Popen[bytes], order: bytes, limits: Limits) -> Ran:
    """What the child says within its time; it is killed in any case, and no more is read than is due."""
    said: list[bytes] = []

    def listen(pipe: IO[bytes]) -> None:
        said.append(pipe.read(MAX_OUTPUT + 1))

    if child.stdin is None or child.stdout is None:
        raise ValueError("a child without pipes")
    listener = threading.Thread(target=listen, args=(child.stdout,), daemon=True)
    listener.start()
    with suppress(OSError):  # it may have died before it had read its order
        child.stdin.write(order)
        child.stdin.close()
    listener.join(limits.wall_s)
    late = listener.is_alive()
    child.kill()
    code = child.wait()
    listener.join()
    child.stdout.close()
    return Ran(f"it took longer than {limits.wall_s:g} seconds") if late else _read(said[0], code, limits)


def _read(out: bytes, code: int, limits: Limits) -> Ran:
    if len(out) > MAX_OUTPUT:
        return Ran("it said more than can be read")
    if not out.strip():
        if code in (-signal.SIGXCPU, -signal.SIGKILL):  # we kill it only after it has ended or is late
            return Ran(f"it took more than {limits.cpu_s} seconds of processor time")
        return Ran(f"it ended without an answer (exit code {code})")
    try:
        said: JsonObject = parse_strict(out)
        return Ran(str(said["why"]), tuple(tuple(way) for way in said["ways"]), str(said["guard"]))
    except (NotIJson, KeyError, TypeError):
        return Ran("what it said can't be read")
