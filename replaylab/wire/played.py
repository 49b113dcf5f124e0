"""A chat over recorded lanes, without the SDK or an HTTP client: the fast way to replay."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.errors import OfflineError
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion
from replaylab.schema.model import ModelSettings
from replaylab.wire.asking import Asking
from replaylab.wire.completion import read_answer
from replaylab.wire.ports import LanePort


class PlayedChat:
    """Answers from the lane alone."""

    def __init__(self, lane: LanePort, settings: ModelSettings) -> None:
        self._lane, self._asking = lane, Asking(settings)

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        """The recorded answer. Raises CallFailed where a failure is recorded, OfflineError where nothing is."""
        slot = self._lane.begin(self._asking.request(messages, tools, extra))
        if slot.recorded is None:
            raise OfflineError(
                "nothing is recorded for this call, and there is no network offline",
                where=str(slot.path),
                fix="record it first: run the same command without --offline",
            )
        return read_answer(slot.play().final, str(slot.path))
