"""Work on many objects in several processes, in order, and ended cleanly by Ctrl-C."""

from __future__ import annotations

import contextlib
import gc
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, Self, TypeVar

from replaylab.errors import StoreError

Item = TypeVar("Item")
Result = TypeVar("Result")


def in_processes(
    work: Callable[[Item], Result], items: Sequence[Item], jobs: int, *, at_once: int = 1
) -> Iterator[Result]:
    """`work(item)` for each item, in the order of `items`; `at_once` are handed to a process at a time.

    `work` is a function that another process can import, or a `partial` of one. What it raises is raised here, and
    what was not begun then is not begun any more. Ctrl-C reaches this process alone: the others finish what they have
    in hand and end, without a word. They also end when this process is killed. Raises StoreError where one of them is.
    """
    # spawn, since a fork would copy the locks of threads that a caller of this package may have
    pool = ProcessPoolExecutor(
        min(jobs, len(items)), multiprocessing.get_context("spawn"), initializer=_end_with_parent
    )
    try:
        with _unsignalled():  # a process inherits what is blocked
            parts = [
                pool.submit(_all, work, items[start : start + at_once])
                for start in range(0, len(items), at_once)
            ]
        yield from _taken(parts)
    except BrokenProcessPool as error:
        raise _killed() from error
    finally:
        pool.shutdown(cancel_futures=True)


class Beside:
    """One process beside this one, for work that takes and gives little: a context, whose end is that of the process.

    It starts with the first work and behaves as those of `in_processes` do.
    """

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def ask(self, work: Callable[..., Result], *given: Any) -> Callable[[], Result]:
        """Begin `work(*given)` there, and return what waits for its value. What it raises is raised by that.

        `work` is a function that another process can import.
        """
        if self._pool is None:
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(1, context, initializer=_end_with_parent)
        with _unsignalled():
            asked = self._pool.submit(work, *given)

        def wait() -> Result:
            try:
                return asked.result()
            except BrokenProcessPool as error:
                raise _killed() from error

        return wait


def _killed() -> StoreError:
    return StoreError(
        "a process of this command was killed, perhaps because memory ran out",
        fix="run the command again with --jobs 1",
    )


def _end_with_parent() -> None:
    """Watch the process that hands out the work: when it is killed nobody tells the others, and they wait for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_wait_for, args=(parent,), daemon=True).start()


def _wait_for(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    os._exit(1)


def _taken(parts: list[Future[list[Result]]]) -> Iterator[Result]:
    parts.reverse()
    while parts:
        yield from parts.pop().result()  # popped, so that no result is held longer than it is needed


def _all(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    with uncollected():
        return [work(item) for item in items]


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage in cycles meanwhile: among many objects that stay, that takes a third of the time.

    Reading makes no cycles but those of exceptions; what is freed without cycles is freed all the same.
    """
    before = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if before:
            gc.enable()


@contextlib.contextmanager
def _unsignalled() -> Iterator[None]:
    """Hold SIGINT back; whoever is started meanwhile never gets it."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
