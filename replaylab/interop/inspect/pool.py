"""The messages that models were asked with, each once, as Inspect holds them."""

from __future__ import annotations

from collections.abc import Sequence

from replaylab.canonical import NotIJson, digest, parse_strict
from replaylab.schema.base import Json, JsonObject


class Pool:
    """Takes messages of the chat API. `messages` are Inspect's, in the order in which they first came."""

    def __init__(self) -> None:
        self.messages: list[JsonObject] = []
        self._places: dict[str, int] = {}

    def refs(self, messages: Sequence[JsonObject]) -> list[list[int]]:
        """Where these messages lie: ranges, each up to before its second number."""
        ranges: list[list[int]] = []
        for one in messages:
            place = self._place(one)
            if ranges and ranges[-1][1] == place:
                ranges[-1][1] += 1
            else:
                ranges.append([place, place + 1])
        return ranges

    def _place(self, message: JsonObject) -> int:
        name = digest(message)
        if name not in self._places:
            self._places[name] = len(self.messages)
            self.messages.append(_converted(message, name[:22]))
        return self._places[name]


def _converted(message: JsonObject, name: str) -> JsonObject:
    """A message of the chat API as one of Inspect's."""
    role = message.get("role")
    content = message.get("content")
    text = content if isinstance(content, str) else ""
    found: JsonObject = {
        "id": name,
        "role": role if role in ("system", "user", "assistant", "tool") else "user",
    }
    found["content"] = text
    if role == "tool":
        found["tool_call_id"] = message.get("tool_call_id")
    if message.get("reasoning_content"):
        found["content"] = [
            {"type": "reasoning", "reasoning": message["reasoning_content"]},
            {"type": "text", "text": text},
        ]
    if message.get("tool_calls"):
        found["tool_calls"] = [_call(one) for one in message["tool_calls"]]
    return found


def _call(call: JsonObject) -> JsonObject:
    function = call.get("function") or {}
    arguments = _object(function.get("arguments"))
    found: JsonObject = {
        "id": call.get("id") or "",
        "function": function.get("name") or "",
        "arguments": arguments or {},
        "type": "function",
    }
    if arguments is None:
        found["parse_error"] = f"The arguments are not one JSON object: {function.get('arguments')}"
    return found


def _object(text: Json) -> JsonObject | None:
    try:
        value = parse_strict(text) if isinstance(text, str) and text.strip() else {}
    except NotIJson:
        return None
    return value if isinstance(value, dict) else None
