"""What the wire needs from its neighbours: a lane that gives slots, a redactor, clocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from replaylab.cassette.request import Request
from replaylab.schema.base import Json
from replaylab.schema.callpath import CallPath
from replaylab.schema.completion import Completion
from replaylab.schema.interaction import Attempt, Interaction

Clock = Callable[[], float]
Sleep = Callable[[float], None]


class SlotPort(Protocol):
    """The place of one interaction. `recorded` is its answer where one is recorded already."""

    @property
    def path(self) -> CallPath: ...
    @property
    def recorded(self) -> Interaction | None: ...
    def elapsed_ms(self) -> float: ...
    def commit(self, attempts: Sequence[Attempt], completion: Completion | None) -> Interaction: ...
    def play(self) -> Interaction: ...


class LanePort(Protocol):
    """The strictly ordered interactions of one concurrent stream. Used from one thread at a time."""

    def begin(self, request: Request) -> SlotPort: ...


class Redacts(Protocol):
    """Takes secrets out of what was received. `stream` scans the pieces as a whole and keeps their number."""

    def body(self, data: bytes) -> bytes: ...
    def value(self, value: Json) -> Json: ...
    def stream(self, chunks: Sequence[bytes]) -> Sequence[bytes]: ...
    def headers(self, headers: Iterable[tuple[str, str]]) -> dict[str, str]: ...
