"""Threads: trials side by side, and the votes of one trial side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from replaylab.engine.gate import Stopped
from replaylab.errors import ReplaylabError

Item = TypeVar("Item")


def at_once(thunks: Iterable[Callable[[], object]]) -> None:
    """Run thunks side by side; when all are done, raise the first failure in their order."""
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
        raise failures[min(failures)]


def run_all(
    items: Iterator[Item],
    work: Callable[[Item], None],
    jobs: int,
    stop: Callable[[ReplaylabError | None], None],
) -> tuple[bool, ReplaylabError | None]:
    """Work through items with threads. Returns (interrupted, the first failure that stopped it).

    There are twice as many threads as `jobs`, since `jobs` bounds the calls in flight (the gate sees to it) and a
    trial spends most of its time between two calls of its own chain: with as many threads as calls, the last trials
    would run alone while the other places stand empty.
    """
    pool = _Pool(items, work, stop)
    threads = [threading.Thread(target=pool.loop, daemon=True) for _ in range(1 if jobs == 1 else 2 * jobs)]
    for thread in threads:
        thread.start()
    interrupted = False
    while any(thread.is_alive() for thread in threads):
        try:
            for thread in threads:
                thread.join()
        except KeyboardInterrupt:
            if interrupted:
                raise  # the second Ctrl-C does not wait; what is journaled is kept all the same
            interrupted = True
            pool.halt(None)
    if pool.bug is not None:
        raise pool.bug
    return interrupted, pool.failure


class _Pool:
    def __init__(
        self,
        items: Iterator[Item],
        work: Callable[[Item], None],
        stop: Callable[[ReplaylabError | None], None],
    ) -> None:
        self.items, self.work, self.stop = items, work, stop
        self.lock = threading.Lock()
        self.failure: ReplaylabError | None = None
        self.bug: BaseException | None = None
        self.halted = False

    def halt(self, why: ReplaylabError | None) -> None:
        with self.lock:
            self.halted = True
        self.stop(why)

    def loop(self) -> None:
        while True:
            with self.lock:
                item = None if self.halted else next(self.items, None)
            if item is None:
                return
            try:
                self.work(item)
            except ReplaylabError as failure:
                with self.lock:
                    if self.failure is None or isinstance(self.failure, Stopped):
                        self.failure = failure
                self.halt(failure)
            except BaseException as bug:  # noqa: BLE001 - raised again by run_all in the caller's thread
                with self.lock:
                    self.bug = self.bug or bug
                self.halt(None)
