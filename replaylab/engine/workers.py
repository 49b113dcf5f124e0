"""Threads: trials side by side, and the votes of one trial side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar

from replaylab.engine.gate import Stopped
from replaylab.errors import LimitReached, ReplaylabError

Item = TypeVar("Item")
LOOK_UP_S = 0.5


def at_once(thunks: Iterable[Callable[[], object]]) -> None:
    """Run thunks side by side; when all are done, raise the gravest failure, the first in their order among equals."""
    failures: dict[int, BaseException] = {}

    def run(number: int, thunk: Callable[[], object]) -> None:
        try:
            thunk()
        except BaseException as failure:  # noqa: BLE001 - handed to the caller below
            failures[number] = failure

    threads = [threading.Thread(target=run, args=pair, daemon=True) for pair in enumerate(thunks)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise max((failures[number] for number in sorted(failures)), key=gravity)


def gravity(failure: BaseException) -> int:
    """Which of several failures to report: a stop follows from another one, and a limit is what the user wanted."""
    if isinstance(failure, Stopped):
        return 0
    if isinstance(failure, LimitReached):
        return 1
    return 2 if isinstance(failure, ReplaylabError) else 3


def run_all(
    items: Iterator[Item],
    work: Callable[[Item], None],
    jobs: int,
    stop: Callable[[ReplaylabError | None], None],
) -> tuple[bool, ReplaylabError | None]:
    """Work through items with threads. Returns (interrupted, the gravest failure that stopped it).

    There are twice as many threads as `jobs`, since `jobs` bounds the calls in flight (the gate sees to it) and a
    trial spends most of its time between two calls of its own chain: with as many threads as calls, the last trials
    would run alone while the other places stand empty.

    After Ctrl-C it waits for what is in flight. A second one raises KeyboardInterrupt at once.
    """
    pool = _Pool(items, work, stop, 1 if jobs == 1 else 2 * jobs)
    interrupted = False
    try:
        pool.start()
        pool.wait()
    except KeyboardInterrupt:
        interrupted = True
        pool.halt(None)
        pool.start()
        pool.wait()
    if pool.failure is None or isinstance(pool.failure, ReplaylabError):
        return interrupted, pool.failure
    raise pool.failure


class _Pool(Generic[Item]):
    def __init__(
        self,
        items: Iterator[Item],
        work: Callable[[Item], None],
        stop: Callable[[ReplaylabError | None], None],
        size: int,
    ) -> None:
        self.items, self.work, self.stop = items, work, stop
        self.lock = threading.Lock()
        self.ended = threading.Event()
        self.failure: BaseException | None = None
        self.halted = False
        self._running = size
        self._threads = [threading.Thread(target=self._loop, daemon=True) for _ in range(size)]

    def start(self) -> None:
        """Start the threads that aren't yet: an interrupt may have come in between."""
        for thread in self._threads:
            if thread.ident is None:
                thread.start()

    def wait(self) -> None:
        """Until all threads have ended; may be interrupted and called again.

        Not Thread.join: after an interrupted one, Python takes a thread that still runs for dead (bpo-46726). And it
        looks up now and then, since a signal that the system hands to another thread does not end a wait.
        """
        while not self.ended.wait(LOOK_UP_S):
            pass

    def halt(self, why: ReplaylabError | None) -> None:
        with self.lock:
            self.halted = True
        self.stop(why)

    def _loop(self) -> None:
        try:
            while (item := self._next()) is not None:
                self._work(item)
        finally:
            with self.lock:
                self._running -= 1
                if not self._running:
                    self.ended.set()

    def _next(self) -> Item | None:
        with self.lock:
            return None if self.halted else next(self.items, None)

    def _work(self, item: Item) -> None:
        try:
            self.work(item)
        except BaseException as failure:  # noqa: BLE001 - run_all hands it to its caller
            with self.lock:
                if self.failure is None or gravity(failure) > gravity(self.failure):
                    self.failure = failure
            self.halt(failure if isinstance(failure, ReplaylabError) else None)
