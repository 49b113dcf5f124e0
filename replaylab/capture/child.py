"""Runs somebody's program, and ends as it ended: signals go on to it, and its exit code comes back."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import FrameType

from replaylab.errors import UsageError

_PASSED_ON = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
_NOT_FOUND, _NOT_EXECUTABLE = 127, 126


def run_child(command: Sequence[str], env: Mapping[str, str]) -> int:
    """The exit code, as a shell gives it: 128 + n for a program that signal n ended.

    Ctrl-C in a terminal reaches the program by itself, since it is in the foreground too; it decides what to make of it.
    """
    try:
        process = subprocess.Popen(list(command), env=dict(env))
    except FileNotFoundError as error:
        raise UsageError(
            f"there is no program {command[0]!r}",
            fix="name it as in a shell; a shell's own syntax needs sh -c '…'",
        ) from error
    except OSError as error:
        raise UsageError(f"can't run {command[0]!r}: {error.strerror}") from error
    with _passing_on(process):
        code = process.wait()
    return 128 - code if code < 0 else code


@contextmanager
def _passing_on(process: subprocess.Popen[bytes]) -> Iterator[None]:
    """Meanwhile hand signals on to the process."""

    def hand_on(number: int, frame: FrameType | None) -> None:
        # From a terminal it has the signal already; most programs take a second one for impatience.
        if not (number in {signal.SIGINT, signal.SIGQUIT} and _foreground()):
            process.send_signal(number)

    before = {number: signal.signal(number, hand_on) for number in _PASSED_ON}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
