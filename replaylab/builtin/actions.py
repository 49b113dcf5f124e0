"""The history of a simulator's conversation: the actions that it was given."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.builtin.asked import Asked, Refusal, text_of
from replaylab.canonical import NotIJson, parse_strict
from replaylab.roles.prompts import prompt
from replaylab.schema.base import JsonObject


class SimAction(NamedTuple):
    """One action of the agent, as the simulator is told it."""

    tool: str
    arguments: JsonObject


class Past(NamedTuple):
    """An action and what the simulator said right after it, "" where that is still to come."""

    action: SimAction
    said: str


def read_actions(asked: Asked) -> tuple[SimAction, ...]:
    """All actions, the one to be answered last. Corrections after an unusable answer are no actions.

    Raises Refusal (400) for any other message of the user, and when there is no action.
    """
    return tuple(one.action for one in read_history(asked))


def read_history(asked: Asked) -> tuple[Past, ...]:
    """All actions with what was said to each. Raises Refusal like `read_actions`."""
    corrected = prompt("simulator_again").text.partition("{{")[0]
    history: list[Past] = []
    for place, message in enumerate(asked.messages):
        text = text_of(message)
        if message["role"] != "user" or (history and text.startswith(corrected)):
            continue
        after = asked.messages[place + 1 : place + 2]
        said = "".join(text_of(one) for one in after if one["role"] == "assistant")
        history.append(Past(_action(text, f"messages[{place}]"), said))
    if not history:
        raise Refusal("the messages hold no action", param="messages", fix=_FIX)
    return tuple(history)


_FIX = 'Send each action as a user message {"name": tool, "arguments": {...}}.'


def _action(text: str, where: str) -> SimAction:
    try:
        value = parse_strict(text)
    except NotIJson:
        value = None
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        raise Refusal(f"{where} is no action", param=where, fix=_FIX)
    arguments = value.get("arguments", {})
    if not isinstance(arguments, dict):
        raise Refusal(f"{where} has arguments that are not an object", param=where, fix=_FIX)
    return SimAction(value["name"], arguments)
