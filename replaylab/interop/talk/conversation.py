"""A conversation as other formats hold it: messages, tools, who spoke, and what the source says of the result."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from replaylab.interop.talk.reading import Node
from replaylab.interop.transcript.meaning import SILENT, Aside
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.model import UNKNOWN, ModelSettings, Player

Role = Literal["system", "user", "assistant", "tool"]


class Call(NamedTuple):
    """A tool call. `arguments` is an object, or the text that the source has."""

    id: str
    name: str
    arguments: Json


class Message(NamedTuple):
    """One message. Of a tool, `result` is what came back and `answers` the id of the call; `name` is the tool's."""

    role: Role
    text: str = ""
    calls: tuple[Call, ...] = ()
    answers: str = ""
    name: str = ""
    result: Json = None
    aside: Aside = SILENT


class ToolGiven(NamedTuple):
    """The definition of a tool as the source has it."""

    name: str
    description: str = ""
    parameters: JsonObject | None = None


def model(name: str = "", player: Player = "llm") -> ModelSettings:
    """Who played a role, by the name that the source gives."""
    return ModelSettings(alias=name or UNKNOWN, model=name or UNKNOWN, player=player)


@dataclass(frozen=True)
class Conversation:
    """`instruction` is what the agent was told, where it does not stand in the messages; then what the user says first
    is kept as an opening. `source` is what only a reader needs: scores, how it ended, where it comes from. `block` is
    what an export of replaylab's own left in the file. `broken`: the source says that it ended in an error.
    """

    where: str
    messages: tuple[Message, ...]
    environment: str
    task: str = ""
    instruction: str = ""
    rubric: str = ""
    agent: ModelSettings = field(default_factory=model)
    simulator: ModelSettings = field(default_factory=model)
    tools: tuple[ToolGiven, ...] = ()
    trial: int | None = None
    created: str = ""
    source: JsonObject = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    block: Node | None = None
    broken: bool = False


# How formats name the part of a content that is text, and where its words stand.
_TEXTS = {
    "text": ("text", "content"),
    "input_text": ("text",),
    "output_text": ("text",),
    "refusal": ("refusal",),
}
_THOUGHTS = {"reasoning": ("reasoning", "content"), "thinking": ("thinking",)}


class Words(NamedTuple):
    """What a message's content says: its texts, the thinking among them, and how many parts were neither."""

    text: str
    reasoning: str
    others: int


def words_of(content: Node) -> Words:
    """The words of a content: a text, or a list of parts. What is no text is named in its place, in brackets."""
    if content.value is None or isinstance(content.value, str):
        return Words(content.text(""), "", 0)
    texts, thoughts, others = [], [], 0
    for part in content.items():
        if isinstance(part.value, str):
            texts.append(part.value)
            continue
        kind = part.at("type").text("text")
        if kind in _TEXTS:
            texts.append(_first_text(part, _TEXTS[kind]))
        elif kind in _THOUGHTS:
            thoughts.append(_first_text(part, _THOUGHTS[kind]))
        else:
            texts.append(f"[{kind}]")
            others += 1
    return Words(_joined(texts), _joined(thoughts), others)


def _first_text(part: Node, names: Iterable[str]) -> str:
    return next((part.at(name).text() for name in names if part.has(name)), "")


def _joined(texts: Iterable[str]) -> str:
    return "\n".join(filter(None, texts))
