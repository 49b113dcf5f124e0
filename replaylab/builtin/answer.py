"""Answers in the shape of the OpenAI API: a chat completion, and the same one in pieces.

Tokens are counted by a rule that anyone can repeat: a quarter of the bytes, rounded up. For the prompt these are the
bytes of the canonical request body, for the answer those of its canonical message.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from replaylab.builtin.asked import Asked
from replaylab.canonical import canonical
from replaylab.schema.base import Json, JsonObject

BYTES_PER_TOKEN = 4
_MAX_PIECES = 8
_MIN_PIECE = 16


class Call(NamedTuple):
    """A tool call that a program asks for."""

    tool: str
    arguments: JsonObject


Answer = str | Call


def json_text(value: Json) -> str:
    """Canonical JSON as text."""
    return canonical(value).decode("utf-8")


def completion(asked: Asked, answer: Answer, fingerprint: str) -> JsonObject:
    """The chat completion that holds an answer. A call becomes text where the request offers no tools."""
    message = _message(asked, answer)
    prompt, said = _tokens(asked.size), _tokens(len(canonical(message)))
    return {
        "id": f"chatcmpl-{asked.digest[:24]}",
        "object": "chat.completion",
        "created": 0,
        "model": asked.model,
        "system_fingerprint": fingerprint,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": "tool_calls" if "tool_calls" in message else "stop",
            }
        ],
        "usage": {"prompt_tokens": prompt, "completion_tokens": said, "total_tokens": prompt + said},
    }


def _tokens(size: int) -> int:
    return -(-size // BYTES_PER_TOKEN)


def _message(asked: Asked, answer: Answer) -> JsonObject:
    if isinstance(answer, str):
        return {"role": "assistant", "content": answer, "refusal": None}
    if not asked.tools:
        text = json_text({"action": {"tool": answer.tool, "arguments": answer.arguments}})
        return {"role": "assistant", "content": text, "refusal": None}
    call = {
        "id": f"call_{asked.digest[:24]}",
        "type": "function",
        "function": {"name": answer.tool, "arguments": json_text(answer.arguments)},
    }
    return {"role": "assistant", "content": None, "refusal": None, "tool_calls": [call]}


def stream(body: JsonObject, response: JsonObject) -> Iterator[JsonObject]:
    """The chunks of a streamed completion. Texts come in several pieces; usage last, where `body` asks for it."""
    options = body.get("stream_options")
    usage = isinstance(options, dict) and options.get("include_usage") is True
    choice = response["choices"][0]
    for delta in _deltas(choice["message"]):
        yield _chunk(response, [_choice(delta, None)], usage=usage)
    yield _chunk(response, [_choice({}, choice["finish_reason"])], usage=usage)
    if usage:
        yield _chunk(response, [], usage=True) | {"usage": response["usage"]}


def _chunk(response: JsonObject, choices: list[JsonObject], *, usage: bool) -> JsonObject:
    kept = {key: response[key] for key in ("id", "created", "model", "system_fingerprint")}
    return kept | {"object": "chat.completion.chunk", "choices": choices} | ({"usage": None} if usage else {})


def _choice(delta: JsonObject, finish_reason: str | None) -> JsonObject:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def _deltas(message: JsonObject) -> Iterator[JsonObject]:
    content = message["content"]
    yield {"role": "assistant", "content": None if content is None else ""}
    for piece in _pieces(content or ""):
        yield {"content": piece}
    for index, call in enumerate(message.get("tool_calls", ())):
        function = call["function"]
        opened = {"index": index, **call, "function": {"name": function["name"], "arguments": ""}}
        yield {"tool_calls": [opened]}
        for piece in _pieces(function["arguments"]):
            yield {"tool_calls": [{"index": index, "function": {"arguments": piece}}]}


def _pieces(text: str) -> Iterator[str]:
    size = max(_MIN_PIECE, -(-len(text) // _MAX_PIECES))
    for start in range(0, len(text), size):
        yield text[start : start + size]
