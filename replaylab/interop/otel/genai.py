"""What a span says of a call of a model, under the names of several years.

- Today: `gen_ai.input.messages`, `gen_ai.output.messages`, `gen_ai.system_instructions`, `gen_ai.tool.definitions`, as
  structures or as JSON texts, on the span or on its event `gen_ai.client.inference.operation.details`.
- Before: events `gen_ai.user.message`, …, `gen_ai.choice`; or `gen_ai.prompt.0.role`, `gen_ai.completion.0.content`, … as
  OpenLLMetry numbers them; or the two JSON texts `gen_ai.prompt` and `gen_ai.completion`.
- OpenInference: `llm.input_messages.0.message.role`, …, `llm.output_messages.0.message.content`, ….
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from replaylab.interop.chat.messages import read_message, read_tools
from replaylab.interop.otel.spans import Span
from replaylab.interop.talk.conversation import Call, Message, ToolGiven
from replaylab.interop.talk.reading import Node, parse
from replaylab.interop.transcript.lines import Wrong
from replaylab.interop.transcript.meaning import Aside
from replaylab.schema.base import Json, JsonObject, in_json
from replaylab.schema.interaction import Usage

CALLS = ("chat", "text_completion", "generate_content", "completion")
_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
}
_DETAILS = "gen_ai.client.inference.operation.details"
_FINISH = {
    "tool_call": "tool_calls",
    "STOP": "stop",
    "end_turn": "stop",
    "tool_use": "tool_calls",
    "max_tokens": "length",
}


class ModelCall(NamedTuple):
    """A call of a model: what it was asked with, what it answered, and the tools that it was given."""

    span: Span
    asked: tuple[Message, ...]
    answered: tuple[Message, ...]
    tools: tuple[ToolGiven, ...]
    others: int


def kind_of(span: Span) -> str:
    """What a span is about: "model", "tool", or "" for anything else."""
    said = span.attributes
    operation = said.get("gen_ai.operation.name") or said.get("llm.request.type")
    inference = said.get("openinference.span.kind")
    if operation in CALLS or inference == "LLM":
        return "model"
    if operation == "execute_tool" or inference == "TOOL" or said.get("traceloop.span.kind") == "tool":
        return "tool"
    known = ("gen_ai.system", "gen_ai.prompt.0.role", "gen_ai.completion.0.role")
    return "model" if operation is None and any(name in said for name in known) else ""


def model_of(span: Span) -> str:
    """The model that was asked for."""
    names = ("gen_ai.request.model", "llm.request.model_name", "llm.model_name", "gen_ai.response.model")
    return next((text for name in names if isinstance(text := span.attributes.get(name), str) and text), "")


def read_call(span: Span) -> ModelCall:
    """The call that a span is about. Raises Wrong with the place of what does not fit."""
    said = dict(span.attributes)
    for event in span.events:
        if event.name == _DETAILS:
            said |= event.attributes
    found = _today(said) or _events(span) or _numbered(said) or _inference(said) or _texts(said, span)
    asked, answered, others = found or ((), (), 0)
    aside = _aside(span, said)
    finished = [one._replace(aside=_finish(one.aside, aside)) for one in answered]
    return ModelCall(span, tuple(asked), tuple(finished), _tools(said), others)


Found = tuple[list[Message], list[Message], int]


def _structure(said: JsonObject, name: str) -> Node:
    """An attribute that is a structure, or the JSON text of one."""
    value = said.get(name)
    if isinstance(value, str):
        try:
            value = parse(value)
        except Wrong as wrong:
            raise Wrong((name, wrong.problems[0][1])) from wrong
    return Node(value, (name,))


def _today(said: JsonObject) -> Found | None:
    names = ("gen_ai.input.messages", "gen_ai.output.messages")
    if not any(name in said for name in names):
        return None
    asked: list[Message] = []
    others = 0
    system = _structure(said, "gen_ai.system_instructions")
    if system.value is not None:
        parts, other = _from_parts("system", system, "")
        asked, others = parts, other
    answered: list[Message] = []
    for side, name in zip((asked, answered), names, strict=True):
        for one in _structure(said, name).items():
            finish = one.at("finish_reason").text("")
            messages, other = _from_parts(one.at("role").text(), one.at("parts"), finish)
            side.extend(messages)
            others += other
    return asked, answered, others


def _from_parts(role: str, parts: Node, finish: str) -> tuple[list[Message], int]:
    """The messages of one role and its parts: each response of a tool is one of its own."""
    texts, thoughts, calls, results, others = [], [], [], [], 0
    for part in parts.items():
        kind = part.at("type").text("text")
        if kind == "text":
            texts.append(part.at("content").text(""))
        elif kind == "reasoning":
            thoughts.append(part.at("content").text(""))
        elif kind == "tool_call":
            calls.append(Call(part.at("id").text(""), part.at("name").text(), part.at("arguments").value))
        elif kind == "tool_call_response":
            value = part.at("response").value if part.has("response") else part.at("result").value
            results.append(Message("tool", answers=part.at("id").text(""), result=value))
        else:
            texts.append(f"[{kind}]")
            others += 1
    text = "\n".join(filter(None, texts))
    if role in ("assistant", "model"):
        aside = Aside(reasoning="\n".join(thoughts), finish=_FINISH.get(finish, finish))
        return [Message("assistant", text, tuple(calls), aside=aside), *results], others
    if role not in ("system", "user", "tool", "developer"):
        raise parts.wrong(f"nobody knows the role {in_json(role)}")
    plain = [] if role == "tool" or not text else [Message("user" if role == "user" else "system", text)]
    if role == "tool" and not results and text:
        results = [Message("tool", result=text)]
    return [*plain, *results], others


def _events(span: Span) -> Found | None:
    asked, answered, others = [], [], 0
    for event in span.events:
        role = _EVENTS.get(event.name)
        if role is None and event.name != "gen_ai.choice":
            continue
        body = {key.removeprefix("gen_ai.event."): part for key, part in event.attributes.items()}
        body = _unfolded(body, ("message", "tool_calls", "content"))
        if role is None:
            inner = body.get("message")
            inner = inner if isinstance(inner, dict) else body
            message, other = read_message(Node({"role": "assistant"} | inner, (event.name,)))
            finish = body.get("finish_reason")
            answered.append(message._replace(aside=message.aside._replace(finish=str(finish or ""))))
        else:
            body = {"role": role} | body
            if role == "tool" and "tool_call_id" not in body:
                body["tool_call_id"] = body.get("id")
            message, other = read_message(Node(body, (event.name,)))
            asked.append(message)
        others += other
    return (asked, answered, others) if asked or answered else None


def _unfolded(body: JsonObject, names: Iterable[str]) -> JsonObject:
    """JSON texts of structures read; a plain text stays one, also where it happens to be JSON."""
    found = dict(body)
    for name in names:
        text = found.get(name)
        if isinstance(text, str) and text[:1] in ("{", "["):
            try:
                value = parse(text)
            except Wrong:
                continue
            if name != "content" or _is_parts(value):
                found[name] = value
    return found


def _is_parts(value: Json) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(one, dict) and "type" in one for one in value)
    )


def nested(said: JsonObject, prefix: str) -> Json:
    """What attributes with numbers and points in their names spell: `a.0.b` is a list whose first part has a field b."""
    root: JsonObject = {}
    for name, value in said.items():
        if not name.startswith(prefix + "."):
            continue
        place = root
        *way, last = name[len(prefix) + 1 :].split(".")
        for part in way:
            inner = place.setdefault(part, {})
            if not isinstance(inner, dict):
                inner = place[part] = {}
            place = inner
        place[last] = value
    return _lists(root)


def _lists(value: Json) -> Json:
    if not isinstance(value, dict):
        return value
    parts = {key: _lists(part) for key, part in value.items()}
    if parts and all(key.isascii() and key.isdecimal() for key in parts):
        return [parts[key] for key in sorted(parts, key=lambda key: (len(key), key))]
    return parts


def _numbered(said: JsonObject) -> Found | None:
    asked = _each(nested(said, "gen_ai.prompt"), "user", "gen_ai.prompt")
    answered = _each(nested(said, "gen_ai.completion"), "assistant", "gen_ai.completion")
    if not asked[0] and not answered[0]:
        return None
    return asked[0], answered[0], asked[1] + answered[1]


def _each(value: Json, role: str, name: str) -> tuple[list[Message], int]:
    found, others = [], 0
    for one in Node(value if isinstance(value, list) else [], (name,)).items():
        body = _unfolded({"role": role} | one.object(), ("content",))
        finish = str(body.pop("finish_reason", "") or "")
        message, other = read_message(Node(body, one.path))
        found.append(message._replace(aside=message.aside._replace(finish=_FINISH.get(finish, finish))))
        others += other
    return found, others


def _inference(said: JsonObject) -> Found | None:
    """OpenInference: each field lies one level deeper, under the name of what it belongs to."""
    asked, answered = (
        _each(_plain(nested(said, f"llm.{side}_messages")), role, f"llm.{side}_messages")
        for side, role in (("input", "user"), ("output", "assistant"))
    )
    if not asked[0] and not answered[0]:
        return None
    return asked[0], answered[0], asked[1] + answered[1]


def _plain(value: Json) -> Json:
    if not isinstance(value, list):
        return value
    return [_plain_message(one.get("message", one)) if isinstance(one, dict) else one for one in value]


def _plain_message(message: Json) -> Json:
    if not isinstance(message, dict):
        return message
    found = dict(message)
    if isinstance(found.get("contents"), list):
        found["content"] = [
            part.get("message_content", part) for part in found.pop("contents") if isinstance(part, dict)
        ]
    if isinstance(found.get("tool_calls"), list):
        found["tool_calls"] = [
            call.get("tool_call", call) for call in found["tool_calls"] if isinstance(call, dict)
        ]
    return found


def _texts(said: JsonObject, span: Span) -> Found | None:
    """The oldest form: two texts, on the span or on its events `gen_ai.content.prompt` and `gen_ai.content.completion`."""
    for event in span.events:
        if event.name.startswith("gen_ai.content."):
            said = said | event.attributes
    sides = []
    for name, role in (("gen_ai.prompt", "user"), ("gen_ai.completion", "assistant")):
        value = said.get(name)
        if isinstance(value, str) and value[:1] == "[":
            sides.append(_each(_structure(said, name).value, role, name))
        elif isinstance(value, str) and value:
            sides.append(([Message("user" if role == "user" else "assistant", value)], 0))
        else:
            sides.append(([], 0))
    if not sides[0][0] and not sides[1][0]:
        return None
    return sides[0][0], sides[1][0], sides[0][1] + sides[1][1]


def _tools(said: JsonObject) -> tuple[ToolGiven, ...]:
    given = _structure(said, "gen_ai.tool.definitions")
    if given.value is None and "gen_ai.request.tools" in said:
        given = _structure(said, "gen_ai.request.tools")
    if given.value is None:
        given = Node(_schemas(said), ("tools",))
    return read_tools(Node([_defined(one.object()) for one in given.items()], given.path))


def _schemas(said: JsonObject) -> Json:
    """Definitions that are numbered: OpenLLMetry's functions, OpenInference's JSON texts."""
    functions = nested(said, "llm.request.functions")
    tools = nested(said, "llm.tools")
    if isinstance(functions, list):
        return functions
    found = []
    for one in tools if isinstance(tools, list) else ():
        schema = (
            one.get("tool", {}).get("json_schema")
            if isinstance(one, dict) and isinstance(one.get("tool"), dict)
            else None
        )
        if isinstance(schema, str):
            found.append(_structure({"llm.tools": schema}, "llm.tools").value)
    return found


def _defined(one: JsonObject) -> JsonObject:
    return _unfolded(one, ("parameters",))


def _aside(span: Span, said: JsonObject) -> Aside:
    return Aside(
        usage=_usage(said),
        model=text if isinstance(text := said.get("gen_ai.response.model"), str) else "",
        ms=span.ms,
        finish=_first_reason(said),
    )


def _first_reason(said: JsonObject) -> str:
    reasons = said.get("gen_ai.response.finish_reasons")
    reason = reasons[0] if isinstance(reasons, list) and reasons else said.get("llm.finish_reason")
    return _FINISH.get(reason, reason) if isinstance(reason, str) else ""


def _finish(own: Aside, whole: Aside) -> Aside:
    return whole._replace(reasoning=own.reasoning, finish=own.finish or whole.finish)


def _usage(said: JsonObject) -> Usage | None:
    def count(*names: str) -> int | None:
        found = (said.get(name) for name in names)
        return next((value for value in found if isinstance(value, int) and value >= 0), None)

    prompt = count("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.token_count.prompt")
    completion = count(
        "gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.token_count.completion"
    )
    if prompt is None and completion is None:
        return None
    cached = count("gen_ai.usage.cache_read.input_tokens", "llm.token_count.prompt_details.cache_read")
    thought = count("gen_ai.usage.reasoning.output_tokens", "llm.token_count.completion_details.reasoning")
    return Usage(
        prompt_tokens=prompt or 0,
        completion_tokens=completion or 0,
        cached_tokens=cached or 0,
        reasoning_tokens=thought or 0,
    )
