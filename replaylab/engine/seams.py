"""The one place where the engine's clock and sleep come from; whoever calls the engine hands them in."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True)
class Seams:
    """`now` gives UTC as ISO 8601 with milliseconds; `elapsed_ms` a monotonic clock; `sleep` takes seconds."""

    now: Callable[[], str]
    elapsed_ms: Callable[[], float]
    sleep: Callable[[float], None]


def real_seams() -> Seams:
    """The clock of this machine."""
    return Seams(
        now=lambda: datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z",
        elapsed_ms=lambda: time.monotonic() * 1000,
        sleep=time.sleep,
    )
