"""Runs somebody's program, and ends as it ended: signals go on to it, and its exit code comes back."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import IO

from replaylab.errors import UsageError

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_FROM_KEYBOARD = frozenset({signal.SIGINT, signal.SIGQUIT})


def run_child(command: Sequence[str], env: Mapping[str, str], out: IO[bytes] | int | None = None) -> int:
    """The exit code, as a shell gives it: 128 + n for a program that signal n ended. `out` is its stdout, None ours.

    Call it from the main thread: signals are handled there.
    """
    with _passing_on() as children:
        try:
            process = subprocess.Popen(list(command), env=dict(env), stdout=out)
        except FileNotFoundError as error:
            fix = "name it as in a shell; for a shell's own syntax: sh -c '…'"
            raise UsageError(f"there is no program {command[0]!r}", fix=fix) from error
        except OSError as error:
            raise UsageError(f"can't run {command[0]!r}: {error.strerror}") from error
        children.start(process)
        code = process.wait()
    return 128 - code if code < 0 else code


class _Child:
    """The process that signals go to, and those that came before there was one."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._early: list[int] = []

    def start(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        for number in self._early:
            process.send_signal(number)

    def hand_on(self, number: int, frame: FrameType | None) -> None:
        if self._process is None:
            self._early.append(number)
        # From a keyboard it has the signal already; many programs take a second one for impatience.
        elif not (number in _FROM_KEYBOARD and _in_foreground()):
            self._process.send_signal(number)


@contextmanager
def _passing_on() -> Iterator[_Child]:
    child = _Child()
    before = {number: signal.signal(number, child.hand_on) for number in _PASSED_ON}
    try:
        yield child
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _in_foreground() -> bool:
    """Whether a terminal's keyboard sends its signals to this process, and so to its children."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        try:
            return os.tcgetpgrp(stream.fileno()) == os.getpgrp()
        except (OSError, ValueError, AttributeError):
            continue
    return False
