"""The parts of an answer: a message, usage, and a stream put together from its deltas. Pure.

Servers differ: arguments as an object, content as a list of parts, deltas without an index, several calls under one
index, an id in every delta or only in the first, usage in the last chunk, in every chunk, or inside the choice.
"""

from __future__ import annotations

import json
from typing import Any

from replaylab import canonical
from replaylab.schema.completion import Completion, ToolCall
from replaylab.schema.interaction import FailureKind, Usage
from replaylab.wire.sse import Parser

MAX_CALLS = 1000


class BadShape(Exception):
    """The bytes are no answer. Internal: it becomes a Failure before anybody outside sees it."""

    def __init__(self, message: str, kind: FailureKind = "bad_shape") -> None:
        super().__init__(message)
        self.message, self.kind = message, kind


def sound(text: str) -> str:
    """Text that UTF-8 can hold: surrogate pairs joined, lone ones replaced."""
    if text.isascii():
        return text
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def text_of(value: Any) -> str:
    """A whole string made sound, anything else as ""."""
    if not isinstance(value, str):
        return ""
    return value if value.isascii() else sound(value)


def _raw(value: Any) -> str:
    # A piece of a stream may end between two surrogates, so pieces are made sound only when joined.
    return value if isinstance(value, str) else ""


def event_data(text: str) -> list[str]:
    """The data of each server-sent event. One at the end counts without its blank line: some servers leave it out."""
    parser = Parser()
    events = parser.feed(text.encode("utf-8", "replace"))
    last = parser.unfinished()
    return [event.data for event in (*events, *([last] if last else []))]


def read_content(content: Any) -> tuple[str, str, str]:
    """Text, reasoning and refusal out of `content`: null, a string, or a list of parts."""
    if content is None or isinstance(content, str):
        return content or "", "", ""
    if not isinstance(content, list):
        raise BadShape("content is neither text nor a list of parts")
    found = {"text": "", "thinking": "", "refusal": ""}
    for part in content:
        if isinstance(part, str):
            found["text"] += part
        elif isinstance(part, dict):
            for name in found:
                found[name] += _joined(part.get(name))
        else:
            raise BadShape("a part of the content is neither text nor an object")
    return found["text"], found["thinking"], found["refusal"]


def _joined(part: Any) -> str:
    """A part's text; thinking comes as a list of text parts."""
    if isinstance(part, list):
        part = "".join(_raw(piece.get("text")) for piece in part if isinstance(piece, dict))
    return _raw(part)


def read_reasoning(message: dict[str, Any]) -> str:
    """`reasoning_content`, or `reasoning` as other servers call it."""
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str) and message[name]:
            return str(message[name])
    return ""


def read_function(call: Any) -> tuple[str, str, str]:
    """Id, name and arguments text of a tool call or of a delta of one; "" for what is absent."""
    if not isinstance(call, dict):
        raise BadShape("a tool call is not an object")
    function = call.get("function") or call.get("custom") or {}
    if not isinstance(function, dict):
        raise BadShape("the function of a tool call is not an object")
    arguments = function.get("arguments", function.get("input"))
    if not isinstance(arguments, str):
        arguments = "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
    name, ident = function.get("name") or "", call.get("id") or ""
    if not isinstance(name, str):
        raise BadShape("the name of a tool call is not text")
    return str(ident), name, arguments


def read_calls(message: dict[str, Any]) -> list[Any]:
    """The tool calls of a message or delta. The legacy `function_call` reads as one without an id."""
    calls = message.get("tool_calls") or []
    if not isinstance(calls, list):
        raise BadShape("tool_calls is not a list")
    legacy = message.get("function_call")
    return [{"function": legacy}] if legacy and not calls else calls


def _bounded(calls: list[Any]) -> list[Any]:
    """All calls of a turn are executed, each at the price of a simulator call: so a runaway answer is none."""
    if len(calls) > MAX_CALLS:
        raise BadShape(f"more than {MAX_CALLS} tool calls in one answer")
    return calls


def read_message(message: dict[str, Any], **around: Any) -> Completion:
    """A whole message. `around` are the fields of the completion that stand beside it."""
    text, thinking, refusal = read_content(message.get("content"))
    calls = [ToolCall(*map(sound, read_function(call))) for call in _bounded(read_calls(message))]
    return Completion(
        text=sound(text),
        reasoning=sound(read_reasoning(message) or thinking),
        refusal=text_of(message.get("refusal")) or sound(refusal),
        tool_calls=tuple(calls),
        **around,
    )


def read_usage(value: dict[str, Any], choice: dict[str, Any] | None = None) -> Usage | None:
    """Tokens under any of the names in use; None when the server says nothing."""
    usage = value.get("usage") or (choice or {}).get("usage")
    if not isinstance(usage, dict):
        return None
    cached = _inside(usage, "prompt_tokens_details", "cached_tokens")
    cached = cached or _inside(usage, "input_tokens_details", "cached_tokens")
    reasoning = _inside(usage, "completion_tokens_details", "reasoning_tokens")
    reasoning = reasoning or _inside(usage, "output_tokens_details", "reasoning_tokens")
    return Usage.made(
        {
            "prompt_tokens": _count(usage, "prompt_tokens") or _count(usage, "input_tokens"),
            "completion_tokens": _count(usage, "completion_tokens") or _count(usage, "output_tokens"),
            "cached_tokens": cached or _count(usage, "prompt_cache_hit_tokens"),
            "reasoning_tokens": reasoning or _count(usage, "reasoning_tokens"),
        }
    )


def _inside(usage: dict[str, Any], outer: str, name: str) -> int:
    fields = usage.get(outer)
    return _count(fields, name) if isinstance(fields, dict) else 0


def _count(fields: dict[str, Any], name: str) -> int:
    """A count that can be one, 0 for anything else."""
    number = fields.get(name)
    if number is None or not isinstance(number, (int, float)):
        return 0
    return int(number) if 0 < number < canonical.MAX_SAFE_INTEGER else 0


class _Call:
    """A tool call that grows."""

    def __init__(self, index: int | None) -> None:
        self.index, self.id, self.name, self.arguments = index, "", "", ""

    def add(self, ident: str, name: str, arguments: str) -> None:
        self.id = self.id or ident
        if name != self.name:
            self.name += name
        self.arguments += arguments


class Assembly:
    """A stream's answer, chunk by chunk. `ended` says that its end was seen."""

    def __init__(self) -> None:
        self.ended = False
        self.seen = False
        self.text: list[str] = []
        self.reasoning: list[str] = []
        self.refusal: list[str] = []
        self.calls: list[_Call] = []
        self.finish_reason = ""
        self.usage: Usage | None = None
        self.named = {"model": "", "id": "", "system_fingerprint": ""}

    def add(self, value: dict[str, Any], choice: dict[str, Any] | None) -> None:
        """Take the next chunk and its first choice."""
        for name, known in self.named.items():
            self.named[name] = known or text_of(value.get(name))
        self.usage = read_usage(value, choice) or self.usage
        if choice is None or choice.get("index") not in (0, None):
            return
        self.seen = True
        self.finish_reason = text_of(choice.get("finish_reason")) or self.finish_reason
        self.ended = self.ended or bool(self.finish_reason)
        delta = choice.get("delta") or choice.get("message") or {}
        if not isinstance(delta, dict):
            raise BadShape("a delta is not an object")
        text, thinking, refusal = read_content(delta.get("content"))
        self.text.append(text)
        self.reasoning.append(read_reasoning(delta) or thinking)
        self.refusal.append(refusal or _raw(delta.get("refusal")))
        for call in read_calls(delta):
            ident, name, arguments = read_function(call)
            index = call.get("index")
            self._call(index if isinstance(index, int) else None, ident, name).add(ident, name, arguments)

    def _call(self, index: int | None, ident: str, name: str) -> _Call:
        """The call that a delta belongs to."""
        if index is not None:
            mine = [call for call in self.calls if call.index == index]
            # A new id that comes with a name is a new call: some servers number every call 0. Without a name it is
            # the same call: others give each delta an id of its own.
            known = mine[-1] if mine and not (name and ident and mine[-1].id not in ("", ident)) else None
        elif ident:
            known = next((call for call in self.calls if call.id == ident), None)
        else:
            known = self.calls[-1] if self.calls and not name else None
        if known is None:
            known = _Call(index)
            self.calls.append(known)
            _bounded(self.calls)
        return known

    def completion(self) -> Completion:
        """The answer, once the stream is over."""
        if not self.ended:
            raise BadShape("the stream ends before its end", "truncated")
        if not self.seen:
            raise BadShape("no choices")
        return Completion(
            text=sound("".join(self.text)),
            reasoning=sound("".join(self.reasoning)),
            refusal=sound("".join(self.refusal)),
            tool_calls=tuple(
                ToolCall(sound(one.id), sound(one.name), sound(one.arguments)) for one in self.calls
            ),
            finish_reason=self.finish_reason,
            usage=self.usage,
            model=self.named["model"],
            id=self.named["id"],
            fingerprint=self.named["system_fingerprint"],
        )
