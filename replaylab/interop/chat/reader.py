"""Files of conversations: a bare list of messages, or one conversation a line, bare or as `messages` with `tools`.

What else a line says (`parallel_tool_calls`, `metadata`) is kept for readers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from replaylab.interop.chat.messages import read_messages, read_tools
from replaylab.interop.talk.conversation import Conversation, model
from replaylab.interop.talk.importer import Format, Spoken
from replaylab.interop.talk.reading import Document, Node, documents, read_file
from replaylab.interop.transcript.lines import Redact, Wrong
from replaylab.schema.base import JsonObject

WANTED = 'give a list of messages, or one conversation a line: {"messages": […], "tools": […]}'
ENVIRONMENT = "chat"
_READ = ("messages", "tools", "functions", "model")


def read_chat(name: str, path: Path, redact: Redact, odd: Counter[str]) -> Iterator[Spoken]:
    """The conversations of a file."""
    for one in documents(name, read_file(name, path), odd):
        if not isinstance(one, Document):
            yield Spoken(*one)
            continue
        try:
            yield Spoken(one.where, _conversation(one.where, Node(redact(one.value))))
        except Wrong as wrong:
            yield Spoken(one.where, wrong)


def _conversation(where: str, node: Node) -> Conversation:
    if isinstance(node.value, list):
        messages, notes = read_messages(node)
        return Conversation(where, messages, ENVIRONMENT, source={"format": "chat"}, notes=notes)
    if not node.has("messages"):
        raise node.wrong("there are no `messages` in it")
    messages, notes = read_messages(node.at("messages"))
    kept: JsonObject = {key: part for key, part in node.object().items() if key not in _READ}
    source: JsonObject = {"format": "chat"} | ({"fields": kept} if kept else {})
    return Conversation(
        where,
        messages,
        ENVIRONMENT,
        agent=model(node.at("model").text("")),
        tools=read_tools(node.at("tools"), node.at("functions")),
        source=source,
        notes=notes,
    )


CHAT = Format("chat", read_chat, part="line", wanted=WANTED)
