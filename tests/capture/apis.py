"""Loopback fakes of three APIs, streaming and not, with tools: enough for their official clients."""

from __future__ import annotations

import base64
import json
import struct
import time
from itertools import count
from typing import Any

from tests.capture.proxying import Call

_ids = count()


def sse(value: Any, event: str = "") -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {value if isinstance(value, str) else json.dumps(value)}\n\n".encode()


def stream(call: Call, pieces: list[bytes]) -> None:
    call.stream()
    for piece in pieces:
        call.chunk(piece)
        time.sleep(0.002)
    call.end()


def openai(call: Call) -> None:
    """Chat completions, responses, embeddings, models, files; every fourth chat is told to come again."""
    path = call.got.path.partition("?")[0].removeprefix("/v1")
    if path == "/models":
        models = [{"id": "m-1", "object": "model", "created": 1, "owned_by": "us"}]
        call.reply(json.dumps({"object": "list", "data": models}).encode())
    elif path == "/files":
        about = {"id": "file-1", "object": "file", "bytes": len(call.got.body), "created_at": 1}
        call.reply(json.dumps({**about, "filename": "a.bin", "purpose": "x", "status": "ok"}).encode())
    elif path == "/embeddings":
        packed = base64.b64encode(struct.pack("<3f", 0.5, -1.0, 2.0)).decode()
        body = {"object": "list", "model": "e", "usage": {"prompt_tokens": 1, "total_tokens": 1}}
        call.reply(
            json.dumps({**body, "data": [{"object": "embedding", "index": 0, "embedding": packed}]}).encode()
        )
    elif path == "/responses":
        _responses(call, json.loads(call.got.body))
    else:
        _chat(call, json.loads(call.got.body))


def _chat(call: Call, asked: dict[str, Any]) -> None:
    number = next(_ids)
    if "again" in str(asked) and call.got.headers.get("x-stainless-retry-count") == "0":
        call.reply(b'{"error": {"message": "slow down"}}', 429, retry_after_ms="20")
        return
    base = {"id": f"c-{number}", "created": 1, "model": "m-1"}
    words = ["caf\u00e9 ", "\U0001f600", f" {number}"]
    tool = {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": "look", "arguments": '{"at": "sky"}'},
    }
    if not asked.get("stream"):
        message: dict[str, Any] = {"role": "assistant", "content": "".join(words)}
        if asked.get("tools"):
            message = {"role": "assistant", "content": None, "tool_calls": [tool]}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        usage = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
        done = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
        call.reply(json.dumps(done).encode(), x_request_id=f"req-{number}")
        return

    def delta(finish: str | None = None, **fields: Any) -> bytes:
        choice = {"index": 0, "delta": fields, "finish_reason": finish}
        return sse({**base, "object": "chat.completion.chunk", "choices": [choice]})

    if asked.get("tools"):
        first = {"index": 0, **tool, "function": {"name": "look", "arguments": ""}}
        parts = [delta(role="assistant", tool_calls=[first])]
        parts += [
            delta(tool_calls=[{"index": 0, "function": {"arguments": part}}])
            for part in ('{"at": ', '"sky"}')
        ]
    else:
        parts = [delta(role="assistant", content=""), *(delta(content=word) for word in words)]
    stream(call, [*parts, delta("stop"), sse("[DONE]")])


def _responses(call: Call, asked: dict[str, Any]) -> None:
    number = next(_ids)
    text = f"answer {number}"
    content = {"type": "output_text", "text": text, "annotations": []}
    item = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "status": "completed", "content": [content],
    }  # fmt: skip
    whole = {
        "id": f"resp_{number}", "object": "response", "created_at": 1, "model": "m-1", "status": "completed",
        "output": [item], "parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None,
        "incomplete_details": None, "instructions": None, "metadata": {}, "temperature": 1.0, "top_p": 1.0,
    }  # fmt: skip
    if not asked.get("stream"):
        call.reply(json.dumps(whole).encode())
        return
    place = {"item_id": f"msg_{number}", "output_index": 0, "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **place, "part": {**content, "text": ""}},
        *(
            {"type": "response.output_text.delta", **place, "delta": part, "logprobs": []}
            for part in text.split()
        ),
        {"type": "response.output_text.done", **place, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **place, "part": content},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    pieces = [sse({**one, "sequence_number": at}, one["type"]) for at, one in enumerate(events)]
    stream(call, pieces)


def anthropic(call: Call) -> None:
    """Messages, with text and a tool use; and counting tokens."""
    asked = json.loads(call.got.body)
    number = next(_ids)
    if call.got.path.startswith("/v1/messages/count_tokens"):
        call.reply(b'{"input_tokens": 12}')
        return
    use = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {"at": "sky"}}
    text = {"type": "text", "text": f"caf\u00e9 {number}", "citations": None}
    message = {
        "id": f"msg_{number}", "type": "message", "role": "assistant", "model": "claude-x", "stop_reason": "end_turn",
        "stop_sequence": None, "usage": {"input_tokens": 3, "output_tokens": 4},
        "content": [text, *([use] if asked.get("tools") else [])],
    }  # fmt: skip
    if not asked.get("stream"):
        call.reply(json.dumps(message).encode(), request_id=f"req_{number}")
        return
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "caf\u00e9"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": f" {number}"}},
        {"type": "content_block_stop", "index": 0},
    ]
    if asked.get("tools"):
        events += [
            {"type": "content_block_start", "index": 1, "content_block": {**use, "input": {}}},
            *(
                {
                    "type": "content_block_delta",
                    "index": 1,
                    "delta": {"type": "input_json_delta", "partial_json": part},
                }
                for part in ('{"at": ', '"sky"}')
            ),
            {"type": "content_block_stop", "index": 1},
        ]
    done = {"stop_reason": "end_turn", "stop_sequence": None}
    events += [
        {"type": "message_delta", "delta": done, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]
    stream(call, [sse(one, one["type"]) for one in events])


def gemini(call: Call) -> None:
    """generateContent and its stream, with text and a function call; embedContent; models."""
    path = call.got.path.partition("?")[0]
    number = next(_ids)
    if ":" not in path:
        call.reply(b'{"models": [{"name": "models/gemini-x", "displayName": "X", "inputTokenLimit": 9}]}')
        return
    if "mbedContent" in path:
        call.reply(b'{"embeddings": [{"values": [0.5, -1]}], "embedding": {"values": [0.5, -1]}}')
        return
    asked = json.loads(call.got.body)

    def answer(parts: list[dict[str, Any]], finish: str = "") -> dict[str, Any]:
        candidate: dict[str, Any] = {"content": {"role": "model", "parts": parts}, "index": 0}
        usage = {"promptTokenCount": 3, "candidatesTokenCount": 4, "totalTokenCount": 7}
        candidate |= {"finishReason": finish} if finish else {}
        return {
            "candidates": [candidate],
            "modelVersion": "gemini-x",
            "responseId": f"r{number}",
            "usageMetadata": usage,
        }

    parts = [{"text": "caf\u00e9 "}, {"text": str(number)}]
    if asked.get("tools"):
        parts.append({"functionCall": {"name": "look", "args": {"at": "sky"}}})  # type: ignore[dict-item]
    if "streamGenerateContent" in path:
        pieces = [answer([part], "STOP" if part is parts[-1] else "") for part in parts]
        stream(call, [f"data: {json.dumps(piece)}\r\n\r\n".encode() for piece in pieces])
    else:
        call.reply(json.dumps(answer(parts, "STOP")).encode())
