"""Turns what a role asks into a request: messages and tools as given, the rest from the model's settings."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.cassette.request import Request
from replaylab.errors import UsageError
from replaylab.schema.base import JsonObject
from replaylab.schema.model import ModelSettings

_OURS = ("model", "messages", "tools", "stream", "stream_options")


class Asking:
    """Builds the requests of one lane. Equal params are the same object, so that their digest is made once."""

    def __init__(self, settings: ModelSettings) -> None:
        taken = [name for name in _OURS if name in settings.sampling]
        if taken:
            raise UsageError(
                f"the sampling of the model {settings.alias!r} sets {taken[0]!r}",
                fix="that field is made by replaylab; use the settings model and stream",
            )
        self.alias = settings.alias
        self._plain: JsonObject = {"model": settings.model, **settings.sampling}
        if settings.stream:
            self._plain |= {"stream": True, "stream_options": {"include_usage": True}}
        self._extra: JsonObject = {}
        self._params = self._plain

    def request(
        self, messages: Sequence[JsonObject], tools: Sequence[JsonObject], extra: JsonObject | None
    ) -> Request:
        """The request. `extra` holds more fields of the body, such as response_format."""
        if (extra or {}) != self._extra:
            self._extra = dict(extra or {})
            self._params = {**self._plain, **self._extra}
        return Request(self.alias, self._params, messages, tools)
