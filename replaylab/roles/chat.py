"""Chat: the only way a role talks to a model, and the messages that all roles build."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol, runtime_checkable

from replaylab.canonical import canonical
from replaylab.roles.parsing import Unparsable
from replaylab.roles.prompts import render
from replaylab.schema.base import Json, JsonObject
from replaylab.schema.completion import Completion


class Chat(Protocol):
    """One lane to one model. Whoever implements it adds the model's name, sampling and streaming."""

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        """One interaction. `extra` holds more fields of the request body.

        A message dict is never changed after it was first passed, and the same object is passed again later.
        Raises CallFailed when there is no answer.
        """


@runtime_checkable
class Ending(Protocol):
    """A chat with something of its own behind it, such as a program, that must know when the conversation is over."""

    def finish(self) -> None:
        """It came to its end."""

    def stop(self) -> None:
        """It was broken off."""


@contextmanager
def until_end(chat: Chat) -> Iterator[None]:
    """Tells a chat that must know it when its conversation is over, whatever ended it."""
    ending = chat if isinstance(chat, Ending) else None
    try:
        yield
    except BaseException:
        if ending is not None:
            ending.stop()
        raise
    if ending is not None:
        ending.finish()


def message(role: str, content: str) -> JsonObject:
    """A plain message of the chat API."""
    return {"role": role, "content": content}


def canonical_text(value: Json) -> str:
    """The canonical JSON of `value` as text: how every value enters a message, whoever wrote it."""
    return canonical(value).decode("utf-8")


def response_format(name: str, schema: JsonObject) -> JsonObject:
    """The body field that binds an answer to a JSON Schema."""
    return {
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": name, "strict": True, "schema": schema},
        }
    }


def correction(prompt: str, completion: Completion, error: Unparsable) -> list[JsonObject]:
    """The two messages that ask again after an unusable answer. An empty one is named, as many servers refuse ""."""
    return [
        message("assistant", completion.text or "(empty)"),
        message("user", render(prompt, reason=error.what)),
    ]
