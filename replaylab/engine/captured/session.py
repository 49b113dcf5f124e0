"""A session: one recording, or one replay, of what strangers ask.

    record     everything goes live; at the end there is a new run object
    offline    only what is recorded is answered; the rest is a MissError
    extend     recorded answers first; what is new goes live and is added. What was recorded in this session is never
               played to it

A client that names its lane is held to it: its n-th question must be the n-th recorded. Without a lane a request is found
by its content: asked for the k-th time it gets the k-th recorded answer. Places are taken when a request starts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from replaylab.engine.captured.exchange import Exchange
from replaylab.engine.captured.miss import Miss
from replaylab.engine.captured.rules import Rules
from replaylab.engine.seams import Seams
from replaylab.schema.capture import CaptureFacts
from replaylab.schema.cassette import Evidence
from replaylab.schema.interaction import Attempt
from replaylab.schema.run import Run
from replaylab.store.library import Library

Mode = Literal["record", "offline", "extend"]


class Place:
    """The place of one attempt, taken when the request started.

    `path` is its CallPath. `recorded` is the attempt to serve (its `retry-after` is one millisecond); None: go live, and
    commit what came. `started_ms` is when it began, on the recording's clock.
    """

    path: str
    recorded: Attempt | None
    started_ms: float

    def elapsed_ms(self) -> float:
        """Milliseconds since this place was taken."""
        raise NotImplementedError

    def commit(self, attempt: Attempt) -> None:
        """Record what came, an answer or a failure; it is journaled when this returns. Commit before the client has the
        end of its answer. `started_ms` is filled in where it is 0. A place that is never committed is not recorded.
        """
        raise NotImplementedError


class Session:
    """One run of a library, recorded or played. Thread-safe; one a run and process: `record` and `extend` hold its lock.

    Opening seals what a killed recording of that run left behind. `evidence` is `imported` where exchanges come from
    another tool's file.
    """

    def __init__(
        self,
        library: Library,
        run_name: str,
        mode: Mode,
        seams: Seams,
        *,
        rules: Rules | None = None,
        facts: CaptureFacts | None = None,
        evidence: Evidence = "recorded",
    ) -> None:
        raise NotImplementedError

    def begin(self, asked: Exchange) -> Place:
        """Take the place, now. Raises MissError where nothing that may be played is recorded and nobody may be asked."""
        raise NotImplementedError

    @property
    def misses(self) -> Sequence[Miss]:
        """What was asked and not answered, in order."""
        raise NotImplementedError

    def unplayed(self) -> Sequence[str]:
        """The CallPaths of recorded interactions that nobody asked for."""
        raise NotImplementedError

    def warnings(self) -> Sequence[str]:
        """What a user should know: answers that may have changed places, what a killed recording left behind."""
        raise NotImplementedError

    def seal(self) -> tuple[str, Run] | None:
        """End the session: seal what was recorded; the run id and the run. None when nothing was recorded: no empty
        cassette and no run. Calling it again gives the same answer.
        """
        raise NotImplementedError

    def close(self) -> None:
        """End without sealing: what is journaled stays for the next session of that run. After `seal` it does nothing."""
        raise NotImplementedError
