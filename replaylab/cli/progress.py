"""How far a long command is: a bar on a terminal, a line now and then elsewhere; always on stderr."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from decimal import Decimal
from types import TracebackType
from typing import IO, TYPE_CHECKING, Self

from replaylab.cli.output import counted, visible

if TYPE_CHECKING:
    from rich.progress import Progress as Bar
    from rich.progress import TaskID

LINE_EVERY_S = 5.0
UNKNOWN = "cost unknown"


class Progress:
    """Shows trials, calls, tokens, cost so far and time left. `update` may be called from any thread.

    `unpriced` is said in place of a cost that is None.

    Trials that were done when it started (a resumed run) don't count for the speed, hence not for the time left.
    """

    def __init__(
        self,
        label: str,
        *,
        unit: str = "trials",
        unpriced: str = UNKNOWN,
        err: IO[str] | None = None,
        terminal: bool | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._label, self._unit, self._err, self._clock = label, unit, err or sys.stderr, clock
        self._unpriced = unpriced
        self._terminal = self._err.isatty() if terminal is None else terminal
        self._lock = threading.Lock()
        self._begun: tuple[float, int] | None = None
        self._printed = ""
        self._printed_at = float("-inf")
        self._last = ""
        self._bar: tuple[Bar, TaskID] | None = None

    def update(self, done: int, planned: int, calls: int | None, tokens: int, cost: Decimal | None) -> None:
        """Takes the newest counts. `calls` is None where none are made; `cost` is in dollars, None when unknown."""
        with self._lock:
            now = self._clock()
            begun, done_before = self._begun = self._begun or (now, done)
            fresh = done - done_before
            left = (now - begun) / fresh * (planned - done) if fresh > 0 else None
            self._last = line(
                self._label,
                done,
                planned,
                unit=self._unit,
                used="" if calls is None else used(calls, tokens, cost, self._unpriced),
                left_s=left,
            )
            if self._terminal:
                self._draw(done, planned)
            elif now - self._printed_at >= LINE_EVERY_S:
                self._print(now)

    def update_counts(self, done: int, planned: int) -> None:
        """Takes the newest counts of work that calls no model."""
        self.update(done, planned, None, 0, None)

    def say(self, text: str) -> None:
        """Writes a message to stderr without tearing the bar."""
        with self._lock:
            if self._bar is None:
                self._err.write(visible(text) + "\n")
                self._err.flush()
            else:
                self._bar[0].console.print(visible(text), markup=False, highlight=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            if self._bar is not None:
                self._bar[0].stop()
            elif self._last != self._printed:
                self._print(self._clock())

    def _print(self, now: float) -> None:
        if self._last:
            self._err.write(self._last + "\n")
            self._err.flush()
        self._printed, self._printed_at = self._last, now

    def _draw(self, done: int, planned: int) -> None:
        if self._bar is None:
            from rich.console import Console
            from rich.progress import BarColumn, TextColumn
            from rich.progress import Progress as RichProgress

            console = Console(file=self._err, force_terminal=True, highlight=False)
            words = TextColumn("{task.description}", markup=False)
            bar = RichProgress(
                BarColumn(bar_width=20), words, console=console, redirect_stdout=False, redirect_stderr=False
            )
            bar.start()
            self._bar = bar, bar.add_task("")
        bar, task = self._bar
        bar.update(task, completed=done, total=planned, description=self._last)


def line(
    label: str, done: int, planned: int, *, unit: str = "trials", used: str = "", left_s: float | None = None
) -> str:
    """One line of progress; `left_s` is in seconds, None while nothing is known."""
    left = "" if left_s is None or done >= planned else f", {span(left_s)} left"
    return f"{label}: {done}/{planned} {unit}{f', {used}' if used else ''}{left}"


def used(calls: int, tokens: int, cost: Decimal | None, unpriced: str = UNKNOWN) -> str:
    """What was used so far. `tokens` is the sum of both kinds; `unpriced` is said for a cost of None."""
    return f"{counted(calls, 'call')}, {tokens:,} tokens, {money(cost, unpriced)}"


def money(cost: Decimal | None, unpriced: str = UNKNOWN) -> str:
    """US dollars; None is unknown, shown as `unpriced` and never as zero."""
    if cost is None:
        return unpriced
    return "$0" if not cost else f"${cost:.4f}" if cost < 1 else f"${cost:.2f}"


def span(seconds: float) -> str:
    """A duration for people: `42 s`, `3 min 05 s`, `2 h 07 min`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
