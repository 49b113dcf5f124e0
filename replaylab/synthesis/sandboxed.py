"""The child of `sandbox`: loads what a twin may use, shuts every door, executes the code, and says what came of it."""

from __future__ import annotations

import ctypes
import io
import json
import math
import os
import resource
import struct
import sys
from collections.abc import Callable
from typing import Any

from replaylab.catalogue.twin import ToolTwin
from replaylab.schema.base import JsonObject
from replaylab.schema.scenario import Environment

# Loaded before the doors are shut, so that importing them opens no file.
MODULES = (
    "bisect",
    "collections",
    "collections.abc",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "statistics",
    "string",
    "textwrap",
    "typing",
)
# What the code of `datetime` itself imports when it reads and writes dates.
_BENEATH = ("_strptime", "time")
ALLOWED = frozenset((*MODULES, *_BENEATH, "__future__", "replaylab.catalogue.twin", "replaylab.schema.base"))
_EVENTS = (
    "open",
    "os.",
    "socket.",
    "subprocess.",
    "ctypes.",
    "shutil.",
    "pty.",
    "mmap.",
    "fcntl.",
    "winreg.",
    "cpython.",
)

# What computing needs: memory, the clock, signals of its own, and the pipe that is open already. No `open`, no `stat` of a
# path, no `socket`, no `clone`, no `execve`. Numbers by machine: see the kernel's unistd.h.
_CALLS = {
    "x86_64": (
        0xC000003E,
        (
            0,
            1,
            3,
            5,
            8,
            9,
            10,
            11,
            12,
            13,
            14,
            15,
            20,
            24,
            25,
            28,
            39,
            60,
            96,
            98,
            131,
            186,
            201,
            202,
            219,
            228,
            231,
            318,
        ),
    ),
    "aarch64": (
        0xC00000B7,
        (
            57,
            62,
            63,
            64,
            66,
            80,
            93,
            94,
            98,
            113,
            124,
            128,
            132,
            134,
            135,
            139,
            165,
            169,
            172,
            178,
            214,
            215,
            216,
            222,
            226,
            233,
            278,
        ),
    ),
}
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # the latter: errno EPERM
_NO_NEW_PRIVILEGES, _SECCOMP, _FILTER = 38, 22, 2


def main() -> None:
    """Read the order from stdin, write the answer to stdout."""
    order: JsonObject = json.load(sys.stdin)
    environment = Environment.model_validate(order["environment"])
    for name in (*MODULES, *_BENEATH):
        __import__(name)
    ToolTwin(environment).call(environment.tools[0].name, {"no": "such"})  # loads what checks arguments
    answer = os.dup(1)
    sys.stdout = sys.stderr = io.StringIO()
    guard = _shut(int(order["cpu_s"]), int(order["memory_mb"]))
    said = {"guard": guard, **_said(order, environment)}
    data = json.dumps(said).encode()
    while data:
        data = data[os.write(answer, data) :]
    os._exit(0)


def _said(order: JsonObject, environment: Environment) -> JsonObject:
    try:
        return {"why": "", "ways": _played(order, environment)}
    except MemoryError:
        return {"why": "it wanted more memory than it may have", "ways": []}
    except BaseException as error:  # noqa: BLE001 - whatever the code raises is what there is to say
        return {"why": f"{type(error).__name__}: {error}"[:500], "ways": []}


def _played(order: JsonObject, environment: Environment) -> list[list[Any]]:
    space: dict[str, Any] = {"__name__": "proposed_twin", "__builtins__": _builtins()}
    exec(compile(order["code"], "proposed_twin.py", "exec"), space)  # noqa: S102 - this is what all the rest is for
    kind = space.get("Twin")
    if not (isinstance(kind, type) and issubclass(kind, ToolTwin)):
        raise TypeError("the code defines no class Twin that derives from ToolTwin")
    played = []
    for way in order["ways"]:
        twin = kind(environment)
        played.append([twin.call(tool, arguments) for tool, arguments in way])
    json.dumps(played)
    return played


def _builtins() -> dict[str, Any]:
    """The builtins without those that open something, and with an import that knows a few names."""
    import builtins  # noqa: PLC0415 - the real ones stay out of the module's own namespace

    real: Callable[..., Any] = builtins.__import__

    def guarded(name: str, *rest: Any, **more: Any) -> Any:
        if name not in ALLOWED:
            raise ImportError(f"a twin may not import {name}")
        return real(name, *rest, **more)

    kept = {
        name: value for name, value in vars(builtins).items() if name not in ("open", "input", "breakpoint")
    }
    return kept | {"__import__": guarded}


def _shut(cpu_s: int, memory_mb: int) -> str:
    """Limits first, then the kernel's filter, then Python's hooks; says what guards."""
    used, spent = _memory(), resource.getrusage(resource.RUSAGE_SELF)
    limits = [
        (resource.RLIMIT_CPU, cpu_s + math.ceil(spent.ru_utime + spent.ru_stime)),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, used + (memory_mb << 20)),
    ]
    for kind, most in limits:
        resource.setrlimit(kind, (most, most))
    guard = "kernel" if _filtered() else "hooks"
    sys.addaudithook(_hook)
    return guard


def _memory() -> int:
    """The address space of this process, in bytes; half a GiB where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123
            return int(file.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 512 << 20


def _filtered() -> bool:
    """Whether the kernel now refuses every system call but a few."""
    machine = os.uname().machine
    if not sys.platform.startswith("linux") or machine not in _CALLS:
        return False
    arch, calls = _CALLS[machine]
    rows = [(0x20, 0, 0, 4), (0x15, 1, 0, arch), (0x06, 0, 0, _REFUSE), (0x20, 0, 0, 0)]
    rows += [(0x15, len(calls) - place, 0, number) for place, number in enumerate(calls)]
    rows += [(0x06, 0, 0, _REFUSE), (0x06, 0, 0, _ALLOW)]
    code = b"".join(struct.pack("HBBI", *row) for row in rows)
    space = ctypes.create_string_buffer(code, len(code))
    program = struct.pack("HxxxxxxP", len(rows), ctypes.addressof(space))
    libc = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(program, len(program))
    if libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        return False
    return bool(libc.prctl(_SECCOMP, _FILTER, ctypes.c_void_p(ctypes.addressof(held)), 0, 0) == 0)


def _hook(event: str, args: tuple[Any, ...]) -> None:
    """Refuses what touches anything outside this process."""
    if (
        event == "import"
        and args
        and str(args[0]) not in sys.modules
        and str(args[0]).partition(".")[0] not in _ROOTS
    ):
        raise ImportError(f"a twin may not import {args[0]}")
    if event.startswith(_EVENTS):
        raise PermissionError(f"a twin may not do this: {event}")


_ROOTS = frozenset(name.partition(".")[0] for name in MODULES)
