"""Prompts of other harnesses for a simulator, as far as they say what is needed under the names that the field uses.

{{initial_state}}: {…}            the state; also doubly braced, as templates write it
{action_set_definitions}: {…}     the tools, by name or as a list, with example outputs
<agent_action>{"name": …, "arguments": …}</agent_action>     the action, in the last message of the user
"""

from __future__ import annotations

import json
import re
from typing import Any

from replaylab.builtin.actions import SimAction
from replaylab.builtin.asked import Asked
from replaylab.canonical import NotIJson, parse_strict
from replaylab.roles.simulator import SystemView
from replaylab.schema.base import Json, JsonObject

_STATE, _TOOLS, _FIELDS = "initial_state", "action_set_definitions", "state_descriptions"
_ACTION = re.compile(r"<agent_action>\s*(\{.*?\})\s*</agent_action>", re.DOTALL)
_DECODER = json.JSONDecoder(strict=False)


def foreign_view(system: str) -> SystemView | None:
    """The tools and the state that a prompt tells of; None when it tells of no tools."""
    tools = _tools(_labelled(system, _TOOLS))
    if not tools:
        return None
    state, fields = _labelled(system, _STATE), _labelled(system, _FIELDS)
    return SystemView(
        tools, state if isinstance(state, dict) else {}, fields if isinstance(fields, dict) else {}
    )


def foreign_action(asked: Asked) -> SimAction | None:
    """The action that the last message of the user is about; None when it holds none in this form."""
    found = _ACTION.search(next(iter(reversed(asked.texts("user"))), ""))
    value = _json(found[1]) if found else None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return None
    arguments = value.get("arguments")
    if isinstance(arguments, str):  # as the API of tool calls has them
        arguments = _json(arguments)
    return SimAction(value["name"], arguments if isinstance(arguments, dict) else {})


def _json(text: str) -> Json:
    try:
        return parse_strict(text)
    except NotIJson:
        return None


def _labelled(text: str, label: str) -> Any:
    """The JSON value behind the last such label, None when there is none."""
    for found in reversed(list(re.finditer(r"\{{1,2}" + label + r"\}{1,2}:\s*", text))):
        rest = text[found.end() :]
        for reading in (rest, rest.replace("{{", "{").replace("}}", "}")):
            try:
                value, _ = _DECODER.raw_decode(reading)
            except (ValueError, RecursionError):
                continue
            return value
    return None


def _tools(value: Any) -> list[Json]:
    if isinstance(value, dict):
        value = [{"name": name, **tool} for name, tool in value.items() if isinstance(tool, dict)]
    named = value if isinstance(value, list) else []
    tools: list[JsonObject] = [one for one in named if isinstance(one, dict) and "name" in one]
    return list(tools)
