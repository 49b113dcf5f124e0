"""A chat that answers from a list, and a small environment, for tests of roles and of what follows from them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from replaylab.errors import CallFailed
from replaylab.schema.base import JsonObject
from replaylab.schema.completion import Completion, ToolCall
from replaylab.schema.model import ModelSettings
from replaylab.schema.scenario import Environment, Rubric, Task, Tool

NATIVE = ModelSettings(alias="m", model="m-1")
BOUND = ModelSettings(alias="m", model="m-1", tools="json_schema", observations="json_schema")

ROOMS = Tool(
    name="list_rooms",
    description="Lists the rooms.",
    parameters={"type": "object", "properties": {"floor": {"type": "integer"}}, "required": []},
    effect="read",
    example_output={"rooms": [{"id": "R-EXAMPLE", "beds": 4}]},
)
ASSIGN = Tool(
    name="assign_room",
    parameters={
        "type": "object",
        "properties": {"patient": {"type": "string"}, "room": {"type": "string"}},
        "required": ["patient", "room"],
    },
    effect="write",
    example_output={"success": True},
)
PING = Tool(name="ping", effect="read", example_output=None)
NAMES = Tool(name="names", effect="read", example_output=["x"])
BARE = Tool(name="bare", has_example=False)

ENVIRONMENT = Environment(
    id="ward",
    system_prompt="You play a ward. {{initial_state}} and {{e}} stay apart.",
    tools=(ROOMS, ASSIGN, PING, NAMES, BARE),
    initial_state={"rooms": {"R1": {"free": True}, "R2": {"free": False}}, "beds": 2.0, "note": None},
    state_description={"rooms": "Rooms by id; it's free until assigned."},
)
TASK = Task(
    id="task/1",
    scenario="ward",
    environment="ward",
    instruction="Put P-1 into a free room.",
    rubric=Rubric(text="P-1 is in R1.", checks=({"kind": "called", "tool": "assign_room"},)),
    expected_calls=4,
)


class FakeChat:
    """Gives the answers in order; a CallFailed among them is raised. `asked` keeps what each asking was given."""

    def __init__(self, answers: Iterable[Completion | CallFailed | str]) -> None:
        self._answers = iter(answers)
        self.asked: list[tuple[Sequence[JsonObject], Sequence[JsonObject], JsonObject | None]] = []

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        self.asked.append((messages, tools, extra))
        answer = next(self._answers)
        if isinstance(answer, CallFailed):
            raise answer
        return Completion(text=answer, finish_reason="stop") if isinstance(answer, str) else answer

    def messages(self, asking: int) -> list[JsonObject]:
        return list(self.asked[asking][0])


def calling(
    *calls: tuple[str, str, str], text: str = "", finish: str = "tool_calls", **more: Any
) -> Completion:
    """A completion with tool calls (id, name, arguments text)."""
    return Completion(text=text, tool_calls=tuple(ToolCall(*c) for c in calls), finish_reason=finish, **more)


def call(name: str, arguments: Any = None, identifier: str = "c1") -> Completion:
    """A completion with one tool call."""
    return calling((identifier, name, json.dumps(arguments or {})))
