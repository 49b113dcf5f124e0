"""The header line of a cassette. Its parts are read once for many cassettes: all trials of a task have the same ones.

A part is known by its bytes as they are written again, so two headers share one only where they say the same.
"""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter, ValidationError

from replaylab.canonical import dumps
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.cassette import Engine, Header, Prompt, ScenarioFacts
from replaylab.schema.fault import FaultPlan
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task

MOST = 16 << 20  # bytes of JSON whose values are kept; the published study has a third of that

_PARTS: dict[str, TypeAdapter[Any]] = {
    "environment": TypeAdapter(Environment),
    "task": TypeAdapter(Task),
    "prompts": TypeAdapter(dict[str, Prompt]),
    "players": TypeAdapter(dict[str, ModelSettings]),
    "faults": TypeAdapter(FaultPlan),
    "scenario": TypeAdapter(ScenarioFacts),
    "engine": TypeAdapter(Engine),
}


class Headings:
    """Reads headers. What they share is one object, which nobody changes: schema values are frozen."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._held = most, 0
        self._known: dict[tuple[str, bytes], Any] = {}

    def read(self, fields: JsonObject) -> Header:
        """The header of these fields. Raises pydantic's ValidationError, which names the place from the header down."""
        shared = {}
        for name in _PARTS.keys() & fields.keys():
            try:
                shared[name] = self._part(name, fields[name])
            except (ValidationError, TypeError):  # read as a whole it fails too, and says where
                return Header.model_validate(fields)
        return Header.model_validate({**fields, **shared})

    def _part(self, name: str, value: Json) -> Any:
        key = (name, dumps(value))
        known = self._known.get(key)
        if known is None:
            known = _PARTS[name].validate_python(value)
            self._held += len(key[1])
            if self._held > self._most:
                self._known.clear()
                self._held = len(key[1])
            self._known[key] = known
        return known
