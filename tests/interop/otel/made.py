"""Traces made up for tests: a weather agent, in each of the namings that are read."""

from __future__ import annotations

import json
from typing import Any

ARGUMENTS = {"city": "Oslo"}
WEATHER = {"sky": "clear"}
TOOL = {
    "type": "function",
    "name": "weather",
    "description": "Says the weather.",
    "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
}


def value(given: Any) -> dict[str, Any]:
    """A value as OTLP spells it."""
    if isinstance(given, bool):
        return {"boolValue": given}
    if isinstance(given, int):
        return {"intValue": str(given)}
    if isinstance(given, float):
        return {"doubleValue": given}
    if isinstance(given, list):
        return {"arrayValue": {"values": [value(one) for one in given]}}
    if isinstance(given, dict):
        return {"kvlistValue": {"values": attributes(given)}}
    return {"stringValue": given}


def attributes(given: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"key": key, "value": value(one)} for key, one in given.items()]


def span(number: int, said: dict[str, Any], trace: str = "t1", **more: Any) -> dict[str, Any]:
    start = 1_760_000_000_000_000_000 + number * 1_000_000_000
    return {
        "traceId": trace,
        "spanId": f"s{trace}{number}",
        "name": "span",
        "startTimeUnixNano": str(start),
        "endTimeUnixNano": str(start + 250_000_000),
        "attributes": attributes(said),
    } | more


def document(*spans: dict[str, Any]) -> dict[str, Any]:
    resource = {"attributes": attributes({"service.name": "forecaster"})}
    return {
        "resourceSpans": [
            {"resource": resource, "scopeSpans": [{"scope": {"name": "x"}, "spans": list(spans)}]}
        ]
    }


def call(operation: str = "chat") -> dict[str, Any]:
    return {
        "gen_ai.operation.name": operation,
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5",
        "gen_ai.response.model": "gpt-5-2026",
        "gen_ai.usage.input_tokens": 30,
        "gen_ai.usage.output_tokens": 7,
        "gen_ai.response.finish_reasons": ["stop"],
    }


def text(role: str, content: str, **more: Any) -> dict[str, Any]:
    return {"role": role, "parts": [{"type": "text", "content": content}]} | more


ASKED = [text("user", "Weather in Oslo?")]
WANTS = {
    "role": "assistant",
    "parts": [{"type": "tool_call", "id": "c1", "name": "weather", "arguments": ARGUMENTS}],
    "finish_reason": "tool_call",
}
GOT = {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": WEATHER}]}
SAYS = text("assistant", "Clear.", finish_reason="stop")


def today(*, structured: bool = False) -> list[dict[str, Any]]:
    """Two calls of a model and a tool's span, as the conventions name them now."""
    spell = (lambda one: one) if structured else json.dumps
    first = call() | {
        "gen_ai.system_instructions": spell([{"type": "text", "content": "Be short."}]),
        "gen_ai.input.messages": spell(ASKED),
        "gen_ai.output.messages": spell([WANTS]),
        "gen_ai.tool.definitions": spell([TOOL]),
    }
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "weather",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.result": json.dumps(WEATHER),
    }
    second = first | {
        "gen_ai.input.messages": spell([*ASKED, WANTS, GOT]),
        "gen_ai.output.messages": spell([SAYS]),
    }
    return [span(0, first), span(1, tool), span(2, second)]


def numbered() -> list[dict[str, Any]]:
    """The same, as OpenLLMetry numbers it."""
    base = {"gen_ai.system": "openai", "gen_ai.request.model": "gpt-5", "llm.request.type": "chat"}
    asked: dict[str, Any] = {
        "gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "Be short.",
        "gen_ai.prompt.1.role": "user",
        "gen_ai.prompt.1.content": "Weather in Oslo?",
        "llm.request.functions.0.name": "weather",
        "llm.request.functions.0.description": "Says the weather.",
        "llm.request.functions.0.parameters": json.dumps(TOOL["parameters"]),
    }
    wants = {
        "tool_calls.0.id": "c1",
        "tool_calls.0.name": "weather",
        "tool_calls.0.arguments": json.dumps(ARGUMENTS),
    }
    first = (
        base
        | asked
        | {"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.finish_reason": "tool_calls"}
    )
    first |= {f"gen_ai.completion.0.{key}": one for key, one in wants.items()}
    first |= {"gen_ai.usage.prompt_tokens": 30, "gen_ai.usage.completion_tokens": 7}
    second = base | asked | {f"gen_ai.prompt.2.{key}": one for key, one in wants.items()}
    second |= {
        "gen_ai.prompt.2.role": "assistant",
        "gen_ai.prompt.3.role": "tool",
        "gen_ai.prompt.3.content": json.dumps(WEATHER),
        "gen_ai.prompt.3.tool_call_id": "c1",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.content": "Clear.",
    }
    return [span(0, first), span(1, second)]


def inference() -> list[dict[str, Any]]:
    """The same, as OpenInference names it."""
    base = {"openinference.span.kind": "LLM", "llm.model_name": "gpt-5"}
    tool = {"type": "function", "function": {key: TOOL[key] for key in ("name", "description", "parameters")}}
    asked: dict[str, Any] = {
        "llm.input_messages.0.message.role": "system",
        "llm.input_messages.0.message.content": "Be short.",
        "llm.input_messages.1.message.role": "user",
        "llm.input_messages.1.message.contents.0.message_content.type": "text",
        "llm.input_messages.1.message.contents.0.message_content.text": "Weather in Oslo?",
        "llm.tools.0.tool.json_schema": json.dumps(tool),
    }
    wants = {
        "message.role": "assistant",
        "message.tool_calls.0.tool_call.id": "c1",
        "message.tool_calls.0.tool_call.function.name": "weather",
        "message.tool_calls.0.tool_call.function.arguments": json.dumps(ARGUMENTS),
    }
    first = base | asked | {f"llm.output_messages.0.{key}": one for key, one in wants.items()}
    first |= {"llm.token_count.prompt": 30, "llm.token_count.completion": 7}
    second = base | asked | {f"llm.input_messages.2.{key}": one for key, one in wants.items()}
    second |= {
        "llm.input_messages.3.message.role": "tool",
        "llm.input_messages.3.message.content": json.dumps(WEATHER),
        "llm.input_messages.3.message.tool_call_id": "c1",
        "llm.output_messages.0.message.role": "assistant",
        "llm.output_messages.0.message.content": "Clear.",
    }
    return [span(0, first), span(1, second)]


def events() -> list[dict[str, Any]]:
    """The same, with the events of the years between."""

    def event(name: str, **said: Any) -> dict[str, Any]:
        return {"name": name, "timeUnixNano": "1", "attributes": attributes(said)}

    wants = [
        {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": json.dumps(ARGUMENTS)}}
    ]
    asked = [
        event("gen_ai.system.message", content="Be short."),
        event("gen_ai.user.message", content="Weather in Oslo?"),
    ]
    choice = event(
        "gen_ai.choice", index=0, finish_reason="tool_calls", message=json.dumps({"tool_calls": wants})
    )
    more = [
        event("gen_ai.assistant.message", tool_calls=json.dumps(wants)),
        event("gen_ai.tool.message", id="c1", content=json.dumps(WEATHER)),
    ]
    last = event("gen_ai.choice", index=0, finish_reason="stop", message=json.dumps({"content": "Clear."}))
    return [span(0, call(), events=[*asked, choice]), span(1, call(), events=[*asked, *more, last])]
