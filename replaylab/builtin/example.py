"""`example`: a simulator for any environment. It reads all it needs from the system prompt and knows no catalogue.

An observation is the tool's example output, with the arguments and the state put in where names and types agree: an
argument for the field of its name, then the fields of the thing in the initial state that the arguments point to. Where
none is pointed to, the digest of the request picks one, so that a load test does not see one answer only. Nothing is
remembered and no rule is kept: it is for foreign harnesses and load tests, not for results.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from replaylab.builtin.actions import SimAction, read_actions
from replaylab.builtin.answer import json_text
from replaylab.builtin.asked import Asked, Refusal
from replaylab.builtin.foreign import foreign_action, foreign_view
from replaylab.roles.parsing import kind_of
from replaylab.roles.shapes import MAX_TEXT
from replaylab.roles.simulator import read_system
from replaylab.schema.base import Json, JsonObject

_BLANK: dict[str, Json] = {"string": "", "number": 0, "boolean": True}


def example(asked: Asked) -> str:
    """The observation of the last action, as canonical JSON. Raises Refusal (400)."""
    view = read_system(asked.system) or foreign_view(asked.system)
    if view is None:
        what = "the system prompt has no sections with the tools and the state of an environment"
        raise Refusal(what, param="messages", fix="Send the prompt that replaylab renders for a simulator.")
    action = foreign_action(asked) or read_actions(asked)[-1]
    tool = _named(view.tools, action.tool)
    if tool is None:
        return json_text({"error": f"unknown tool: {action.tool}"})
    things = list(_things(view.initial_state))
    return json_text(_adapted(_shown(tool), action, _chosen(things, action, int(asked.digest[:8], 16))))


def _named(tools: Sequence[Json], name: str) -> JsonObject | None:
    return next((one for one in tools if isinstance(one, dict) and one.get("name") == name), None)


def _shown(tool: JsonObject) -> Json:
    """The example output; where only its shape is told, the plainest value of that shape; {} without either."""
    if "example_output" in tool:
        return tool["example_output"]
    return _of_shape(tool["returns"]) if "returns" in tool else {}


def _of_shape(shape: Json) -> Json:
    if isinstance(shape, dict):
        return {key: _of_shape(part) for key, part in shape.items() if key != "<key>"}
    if isinstance(shape, list):
        return [_of_shape(part) for part in shape]
    return _BLANK.get(shape)


def _things(value: Json, name: str = "") -> Iterator[JsonObject]:
    """Every object of the state with only its plain fields; one that stands under a key has that as its `""` field."""
    if isinstance(value, dict):
        plain = {key: part for key, part in value.items() if not isinstance(part, (dict, list))}
        if plain:
            yield {"": name} | plain
        for key, part in value.items():
            yield from _things(part, key)
    elif isinstance(value, list):
        for part in value:
            yield from _things(part)


def _chosen(things: list[JsonObject], action: SimAction, draw: int) -> JsonObject:
    """The thing that most arguments are found in; among equals, and where there is none, the draw decides."""
    if not things:
        return {}
    wanted = [
        value for value in action.arguments.values() if isinstance(value, (str, int, float)) and value != ""
    ]
    hits = [sum(value in thing.values() for value in wanted) for thing in things]
    best = [thing for thing, hit in zip(things, hits, strict=True) if hit == max(hits)]
    return best[draw % len(best)]


def _adapted(shown: Json, action: SimAction, thing: JsonObject) -> Json:
    if isinstance(shown, list):
        return [_adapted(item, action, thing) for item in shown[:1]] + shown[1:]
    if not isinstance(shown, dict):
        return shown
    return {key: _field(key, part, action, thing) for key, part in shown.items()}


def _field(key: str, part: Json, action: SimAction, thing: JsonObject) -> Any:
    for source in (action.arguments, thing):
        value = source.get(key)
        if key in source and kind_of(value) == kind_of(part) and not _is_long(value):
            return value
    return _adapted(part, action, thing) if isinstance(part, (dict, list)) else part


def _is_long(value: Json) -> bool:
    """Whether a text is longer than a schema for observations allows."""
    return isinstance(value, str) and len(value) > MAX_TEXT
