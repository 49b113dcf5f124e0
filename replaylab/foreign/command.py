"""A program as the agent: what it prints on stdout is its final answer, once it has ended with 0.

It is told by environment variables where the environment's tools and its LLMs are (the `doors`), and on stdin what to do.
It runs in a process group of its own, which ends with the trial.
"""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO, cast

from replaylab.errors import UsageError
from replaylab.foreign.chat import Assigned, Doors
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.session import Session

GRACE_S = 3.0
MAX_ANSWER = 1 << 20
TAIL = 2000  # bytes of stderr that are kept for when it fails


class CommandAgent:
    """Starts a program at its trial, in `folder`. `env` is what it inherits; `told` gets what it said when it failed."""

    repeats = True

    def __init__(
        self,
        words: Sequence[str],
        folder: Path,
        env: Mapping[str, str],
        doors: Doors,
        told: Callable[[str], None],
    ) -> None:
        self._words, self._folder, self._env = list(words), folder, env
        self._doors, self._told = doors, told

    def __call__(self, assigned: Assigned, session: Session, calls: OwnCalls) -> CommandRun:
        """Start it. Raises UsageError where there is no such program."""
        doors = self._doors(assigned, session, calls)
        env = {**self._env, **doors.__enter__()}
        try:
            process = subprocess.Popen(
                self._words,
                cwd=self._folder,
                env=env,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            doors.__exit__(None, None, None)
            raise UsageError(
                f"the agent's program {self._words[0]!r} can't be run: {error.strerror}",
                fix="name it as in a shell; for a shell's own syntax: command:sh -c '…'",
            ) from error
        return CommandRun(process, assigned, session, doors, self._told)


class CommandRun:
    """The program at work."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        assigned: Assigned,
        session: Session,
        doors: AbstractContextManager[Mapping[str, str]],
        told: Callable[[str], None],
    ) -> None:
        self._process, self._session, self._doors, self._told = process, session, doors, told
        self._answer, self._errors = bytearray(), bytearray()
        prompt = f"{assigned.system}\n\n{assigned.instruction}\n".encode()
        pipes = cast("tuple[IO[bytes], ...]", (process.stdin, process.stdout, process.stderr))
        self._pipes = [
            threading.Thread(target=_feed, args=(pipes[0], prompt), daemon=True),
            threading.Thread(target=_drain, args=(pipes[1], self._answer, MAX_ANSWER), daemon=True),
            threading.Thread(target=_drain, args=(pipes[2], self._errors, None), daemon=True),
        ]
        self._waiter = threading.Thread(target=self._wait, name="replaylab-agent", daemon=True)
        for thread in (*self._pipes, self._waiter):
            thread.start()

    def _wait(self) -> None:
        code = self._process.wait()
        # Its children may hold the pipes open; what it printed itself is there by then.
        for pipe in self._pipes:
            pipe.join(GRACE_S)
        errors = self._errors.decode("utf-8", "replace").strip()
        if code:
            why = f"it was ended by signal {-code}" if code < 0 else f"it ended with exit code {code}"
            if not self._session.over:
                self._told(f"the agent failed: {why}" + (f"\n{errors}" if errors else ""))
            self._session.fail("agent_crashed", why)
        elif len(self._answer) > MAX_ANSWER:
            self._session.fail("agent_crashed", f"it printed more than {MAX_ANSWER >> 20} MiB")
        else:
            self._session.conclude(self._answer.decode("utf-8", "replace").strip())

    def stop(self) -> None:
        """End it with all that it started, and close the doors."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self._process.pid, number)
            except ProcessLookupError:
                break
            self._waiter.join(GRACE_S)
        self._waiter.join()
        self._doors.__exit__(None, None, None)


def _feed(pipe: IO[bytes], data: bytes) -> None:
    try:
        with pipe:
            pipe.write(data)
    except BrokenPipeError:  # it does not read what it is told there
        return


def _drain(pipe: IO[bytes], into: bytearray, limit: int | None) -> None:
    """Read to the end. Beyond `limit` a byte more is kept, to know it by; without one only the tail is."""
    with pipe:
        while piece := pipe.read1(1 << 16):  # type: ignore[attr-defined]
            if limit is None:
                into += piece
                del into[:-TAIL]
            else:
                into += piece[: max(0, limit + 1 - len(into))]
