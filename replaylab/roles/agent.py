"""The agent: its messages, how its answers are read, and what it is told about a call that can't be made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from replaylab.canonical import NotIJson, parse_strict
from replaylab.roles.chat import Chat, canonical_text, message, response_format
from replaylab.roles.parsing import Unparsable, one_json_object, split_thinking
from replaylab.roles.prompts import render
from replaylab.roles.shapes import action_schema, answer_tool
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.completion import Completion, ToolCall
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Task

Problem = Literal["", "unknown_tool", "malformed_arguments"]


class RequestedCall(NamedTuple):
    """A call as the agent asked for it. `arguments` is None when the text is not one strict JSON object."""

    id: str
    tool: str
    raw_arguments: str
    arguments: JsonObject | None
    problem: Problem = ""


class AgentTurn(NamedTuple):
    """One answer of the agent. Without calls it is the last one, whatever its finish reason says."""

    text: str
    reasoning: str
    finish_reason: str
    calls: tuple[RequestedCall, ...]


def read_turn(
    completion: Completion, environment: Environment, settings: ModelSettings, *, first_call: int = 0
) -> AgentTurn:
    """The turn that a completion holds. `first_call` is how many calls the trial had before; ids are made from it.

    Thinking that a server left in the text goes to `reasoning`. A refusal is the text of a turn that has no other.
    """
    thinking, text = split_thinking(completion.text)
    if settings.tools == "json_schema":
        text, asked = _structured(text, completion.text, answer_tool(environment.tools))
    else:
        asked = completion.tool_calls
    cut = completion.finish_reason == "length"
    named = zip(asked, _unique_ids(asked, first_call), strict=True) if asked else ()
    calls = tuple([_requested(call, identifier, environment, cut=cut) for call, identifier in named])
    return AgentTurn(
        text=text or ("" if calls else completion.refusal),
        reasoning=completion.reasoning or thinking,
        finish_reason=completion.finish_reason,
        calls=calls,
    )


def _structured(text: str, received: str, answer: str) -> tuple[str, tuple[ToolCall, ...]]:
    """Text and calls of an answer that was bound by `action_schema`. Prose without any brace is a final answer.

    `answer` is the name under which the final answer is given. A bare {"answer": text} is understood too: servers that
    don't hold a model to the schema let it through.
    """
    try:
        action = one_json_object(text).get("action")
    except Unparsable:
        return (text, ()) if "{" not in text else ("", (ToolCall("", "", received),))
    if isinstance(action, dict):
        given = action if "tool" not in action else action.get("arguments")
        said = given.get("answer") if isinstance(given, dict) else None
        if action.get("tool", answer) == answer and isinstance(said, str):
            return said, ()
    if isinstance(action, dict) and isinstance(action.get("tool"), str):
        return "", (ToolCall("", action["tool"], canonical_text(action.get("arguments", {}))),)
    return "", (ToolCall("", "", received),)


def _unique_ids(calls: Sequence[ToolCall], first_call: int) -> list[str]:
    """The ids as received; a missing or repeated one is replaced by the number of its call."""
    if len(calls) == 1 and calls[0].id:
        return [calls[0].id]
    taken = {call.id for call in calls}
    ids: dict[str, None] = {}
    for index, call in enumerate(calls):
        identifier = call.id
        if not identifier or identifier in ids:
            identifier = f"call_{first_call + index}"
            while identifier in taken:
                identifier += "_"
            taken.add(identifier)
        ids[identifier] = None
    return list(ids)


def _requested(call: ToolCall, identifier: str, environment: Environment, *, cut: bool) -> RequestedCall:
    arguments = _arguments(call.arguments, cut=cut)
    problem: Problem = "malformed_arguments" if arguments is None else ""
    if environment.tool(call.name) is None:
        problem = "unknown_tool" if call.name else "malformed_arguments"
    return RequestedCall(identifier, call.name, call.arguments, arguments, problem)


def _arguments(text: str, *, cut: bool) -> JsonObject | None:
    # Several servers send no text at all for a call without arguments; where the answer was cut, it tells nothing.
    if not text.strip():
        return None if cut else {}
    try:
        value = parse_strict(text)
    except NotIJson:
        return None
    return value if isinstance(value, dict) else None


def refusal(call: RequestedCall, environment: Environment) -> JsonObject:
    """The observation that the engine gives in place of the simulator for a call that can't be made."""
    tools = ", ".join(tool.name for tool in environment.tools)
    if call.problem == "unknown_tool":
        return {"error": f"There is no tool named {call.tool!r}. The tools are: {tools}."}
    if not call.tool:
        return {"error": f"That is neither a tool call nor an answer. The tools are: {tools}."}
    return {"error": f"The arguments of {call.tool!r} are not one JSON object."}


def function_tools(environment: Environment) -> tuple[JsonObject, ...]:
    """The tools as the tool-calling API takes them: what they return and whether they write is not told."""
    return tuple(
        {"type": "function", "function": _function(tool.name, tool.description, tool.parameters)}
        for tool in environment.tools
    )


def _function(name: str, description: str, parameters: JsonObject) -> JsonObject:
    return {"name": name, "description": description, "parameters": parameters}


class Agent:
    """The agent of one trial. Each turn's calls are observed, in order, before the next turn is asked for."""

    def __init__(
        self, chat: Chat, environment: Environment, task: Task, settings: ModelSettings, *, clock: str = ""
    ) -> None:
        """`clock` is the date and time that the agent is told; with "" nothing is said about a date."""
        self._chat, self._environment, self._task = chat, environment, task
        self._settings, self._clock = settings, clock
        self._native = settings.tools == "native"
        self._tools = function_tools(environment) if self._native else ()
        self._extra = None if self._native else response_format("action", action_schema(environment.tools))
        self._messages: list[JsonObject] = []
        self._calls = 0

    def start(self) -> None:
        """Begin a conversation: the system prompt and the instruction."""
        if self._native:
            system = render("agent", clock=self._clock)
        else:
            plain = [tool["function"] for tool in function_tools(self._environment)]
            answer = answer_tool(self._environment.tools)
            system = render("agent_json", clock=self._clock, tools=_lines(plain), answer_tool=answer)
        self._messages = [message("system", system), message("user", self._task.instruction)]
        self._calls = 0

    def next_turn(self) -> AgentTurn:
        """Ask for the next turn. Raises CallFailed when there is no answer."""
        completion = self._chat.ask(tuple(self._messages), tools=self._tools, extra=self._extra)
        turn = read_turn(completion, self._environment, self._settings, first_call=self._calls)
        self._calls += len(turn.calls)
        self._messages.append(self._assistant(completion, turn))
        return turn

    def observe(self, call: RequestedCall, observation: Json) -> None:
        """Tell the agent what a call of its last turn returned."""
        text = canonical_text(observation)
        if self._native:
            self._messages.append({"role": "tool", "tool_call_id": call.id, "content": text})
        else:
            what = f"Observation of {call.tool}" if call.tool else "Observation"
            self._messages.append(message("user", f"{what}: {text}"))

    def _assistant(self, completion: Completion, turn: AgentTurn) -> JsonObject:
        """The answer as received, apart from ids that had to be made unique."""
        said: JsonObject = {"role": "assistant", "content": completion.text or None}
        if not self._native:
            said["content"] = completion.text
        elif turn.calls:
            said["tool_calls"] = [_tool_call(call) for call in turn.calls]
        if completion.reasoning:
            said["reasoning_content"] = completion.reasoning
        return said


def _tool_call(call: RequestedCall) -> JsonObject:
    return {
        "id": call.id,
        "type": "function",
        "function": {"name": call.tool, "arguments": call.raw_arguments},
    }


def _lines(values: Iterable[Json]) -> str:
    return "[\n" + ",\n".join(canonical_text(value) for value in values) + "\n]"
