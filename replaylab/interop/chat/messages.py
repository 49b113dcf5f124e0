"""Messages of the chat API, and what other programs write in their place."""

from __future__ import annotations

from replaylab.interop.talk.conversation import Call, Message, ToolGiven, words_of
from replaylab.interop.talk.reading import Node
from replaylab.interop.transcript.meaning import Aside
from replaylab.schema.base import in_json

_ROLES = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "model": "assistant",
    "tool": "tool",
    "function": "tool",
}


def read_messages(node: Node) -> tuple[tuple[Message, ...], tuple[str, ...]]:
    """The messages of a list, and what is odd about them. Raises Wrong."""
    if node.value is None:
        raise node.wrong("it is missing")
    found, notes = [], []
    for one in node.items():
        message, others = read_message(one)
        found.append(message)
        notes += ["not_text"] * others
    return tuple(found), tuple(notes)


def read_message(one: Node) -> tuple[Message, int]:
    """One message, and how many of its parts are no text. Raises Wrong."""
    said = one.at("role").text()
    role = _ROLES.get(said)
    if role is None:
        raise one.at("role").wrong(f"nobody knows the role {in_json(said)}; known are {', '.join(_ROLES)}")
    words = words_of(one.at("content"))
    name = one.at("name").text("")
    if role == "tool":
        return Message("tool", words.text, answers=one.at("tool_call_id").text(""), name=name), words.others
    if role != "assistant":
        return Message("system" if role == "system" else "user", words.text, name=name), words.others
    reasoning = words.reasoning or one.at("reasoning_content").text("") or _plain(one.at("reasoning"))
    text = words.text or one.at("refusal").text("")
    return Message("assistant", text, _calls(one), aside=Aside(reasoning=reasoning)), words.others


def _plain(node: Node) -> str:
    return node.value if isinstance(node.value, str) else ""


def _calls(one: Node) -> tuple[Call, ...]:
    """The tool calls, and the single function call of the older API."""
    found = [
        Call(call.at("id").text(""), _function(call).at("name").text(), _function(call).at("arguments").value)
        for call in one.at("tool_calls").items()
    ]
    older = one.at("function_call")
    if older.value is not None:
        found.append(Call("", older.at("name").text(), older.at("arguments").value))
    return tuple(found)


def _function(call: Node) -> Node:
    """Where name and arguments stand: in `function`, in `custom`, or in the call itself."""
    for name in ("function", "custom"):
        if isinstance(call.at(name).value, dict):
            return call.at(name)
    return call


def read_tools(node: Node, older: Node | None = None) -> tuple[ToolGiven, ...]:
    """Definitions of tools as the chat API takes them. Raises Wrong for two of one name."""
    found: dict[str, ToolGiven] = {}
    given = node.items() + (older.items() if older is not None else [])
    for one in given:
        function = _function(one)
        if not function.has("name"):
            continue  # a tool of the server's own, such as a search: it has a type alone
        name = function.at("name").name()
        if name in found:
            raise function.at("name").wrong(f"the tool {name!r} is defined twice")
        parameters = function.at("parameters")
        found[name] = ToolGiven(
            name,
            function.at("description").text(""),
            parameters.object() if parameters.value is not None else None,
        )
    return tuple(found.values())
