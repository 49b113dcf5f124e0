"""An agent's conversation as a program reads it: the tools on offer, the instruction, and the steps so far."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.builtin.asked import Asked, Refusal, text_of
from replaylab.canonical import NotIJson, parse_strict
from replaylab.schema.base import Json, JsonObject


class Offered(NamedTuple):
    """A tool that the request offers."""

    name: str
    parameters: JsonObject


class Step(NamedTuple):
    """A call that the agent made and what it was told; `arguments` is None for a text that is no object."""

    tool: str
    arguments: JsonObject | None
    observation: Json


def offered(asked: Asked) -> tuple[Offered, ...]:
    """The tools of the request: those of its tool list, else those that the answer's schema names.

    Raises Refusal (400) when it offers none, for then the request is not one for an agent.
    """
    tools = [Offered(one["name"], _object(one.get("parameters"))) for one in asked.tools] or list(
        _bound(asked)
    )
    if not tools:
        raise Refusal(
            "the request offers no tools",
            param="tools",
            fix="Send `tools`, or a response_format whose schema has one alternative a tool.",
        )
    return tuple(tools)


def _bound(asked: Asked) -> Iterator[Offered]:
    action = _object(_object((asked.bound or {}).get("properties")).get("action"))
    # The last alternative is the final answer: `roles.shapes.action_schema`.
    for alternative in tuple(action.get("anyOf", ()))[:-1]:
        properties = _object(_object(alternative).get("properties"))
        name = _object(properties.get("tool")).get("const")
        if isinstance(name, str):
            yield Offered(name, _object(properties.get("arguments")))


def _object(value: Json) -> JsonObject:
    return value if isinstance(value, dict) else {}


def steps(asked: Asked) -> tuple[Step, ...]:
    """The calls made so far that were answered, in order."""
    return tuple(_native(asked) if asked.tools else _structured(asked))


def _native(asked: Asked) -> Iterator[Step]:
    told: dict[str, str] = {}
    for message in asked.messages:
        if message["role"] == "tool":
            told[str(message.get("tool_call_id"))] = text_of(message)
    for message in asked.messages:
        for call in message.get("tool_calls") or ():
            if str(call.get("id")) in told:
                function = call["function"]
                yield _step(function["name"], function.get("arguments"), told[str(call.get("id"))])


def _structured(asked: Asked) -> Iterator[Step]:
    for said, told in zip(asked.messages, asked.messages[1:], strict=False):
        if said["role"] != "assistant" or told["role"] != "user":
            continue
        action = _object(_object(_parsed(text_of(said))).get("action"))
        tool = action.get("tool")
        heading, colon, observation = text_of(told).partition(": ")
        if isinstance(tool, str) and colon and heading == f"Observation of {tool}":
            arguments = action.get("arguments")
            yield Step(tool, arguments if isinstance(arguments, dict) else None, _parsed(observation))


def _step(tool: str, arguments: Json, observation: str) -> Step:
    parsed = _parsed(arguments) if isinstance(arguments, str) else None
    return Step(tool, parsed if isinstance(parsed, dict) else None, _parsed(observation))


def _parsed(text: str) -> Json:
    """The text as JSON, or as it is when it is none."""
    try:
        return parse_strict(text)
    except NotIJson:
        return text
