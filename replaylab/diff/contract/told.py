"""What a description says of a part of the state, and its sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from replaylab.diff.words.observed import leaves
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.scenario import Environment


def sentences_in(description: str) -> list[str]:
    """The sentences of a description, and their parts; names of fields stand small at their beginning."""
    return [one for one in re.split(r"[.;](?:\s|$)", description) if one.strip()]


def told_of(environment: Environment, part: str) -> str:
    """All that is said of a part of the state. Where that is field by field, each sentence begins with the field."""
    told = environment.state_description.get(part)
    if isinstance(told, dict):
        return " ".join(_by_field(told, environment.initial_state.get(part)))
    return told if isinstance(told, str) else ""


def _by_field(told: JsonObject, held: Json) -> Iterator[str]:
    fields = {key for _, key, _ in leaves(held)}
    for name, text in told.items():
        for one in sentences_in(text) if isinstance(text, str) else ():
            yield f"{name}: {one.strip()}." if name in fields else f"{one.strip()}."
