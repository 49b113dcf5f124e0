"""Completion: a model's answer, read out of an attempt's bytes. Streams are assembled."""

from __future__ import annotations

from typing import NamedTuple

from replaylab.schema.interaction import Usage


class ToolCall(NamedTuple):
    """A requested tool call. `arguments` is the text as the model wrote it, which need not be JSON."""

    id: str
    name: str
    arguments: str


class Completion(NamedTuple):
    """The first choice of a chat completion; absent text is ""."""

    text: str = ""
    reasoning: str = ""
    refusal: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ""
    usage: Usage | None = None
    model: str = ""
    id: str = ""
    fingerprint: str = ""
