"""A trial that is played by an MCP client."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from replaylab.cassette.codec import Cassette
from replaylab.foreign.desk import Desk
from tests.foreign.playing import Stage, sealed


@contextmanager
def seated() -> Iterator[tuple[Desk, Future[Cassette]]]:
    """A desk with a trial at it, and the cassette that comes of it. A trial that is left open ends as an error."""
    desk = Desk()
    with ThreadPoolExecutor(1) as trials:
        trial = trials.submit(sealed, Stage(lambda: None, start=desk))
        assert desk.seated(10) is not None
        try:
            yield desk, trial
        finally:
            desk.leave()
