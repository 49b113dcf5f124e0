"""Recordings made in memory, for tests of what follows from them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from replaylab.errors import CallFailed
from replaylab.schema.cassette import FORMAT, ORIGIN, Engine, Header, Limits, ScenarioFacts, Subject
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Attempt, Failure, Interaction, RequestLine
from tests.roles.fakes import ENVIRONMENT, NATIVE, TASK

CLEAN = FaultPlan()
Answer = Completion | CallFailed | str


def header(*, faults: FaultPlan = CLEAN, limits: Limits | None = None, **more: Any) -> Header:
    return Header(
        format=FORMAT,
        subject=Subject(condition="a,s,v,E0", task=TASK.id),
        created="2026-01-01T00:00:00Z",
        lanes={},
        players=dict.fromkeys(("agent", "simulator", "verifier", ORIGIN), NATIVE),
        scenario=ScenarioFacts(id="ward", name="Ward", industry="Health", domain="Hospital"),
        environment=ENVIRONMENT,
        task=TASK,
        faults=faults,
        limits=limits or Limits(max_steps=6, votes=3, asks=2),
        engine=Engine(replaylab="0", engine="engine/1", parser="parser/1"),
        inputs="0" * 64,
        **more,
    )


def attempt(answer: Answer) -> Attempt:
    """What the wire would have kept of this answer."""
    if isinstance(answer, CallFailed):
        return Attempt(failure=Failure.model_validate({"kind": answer.kind}))
    if isinstance(answer, str):
        answer = Completion(text=answer, finish_reason="stop")
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None}
    if answer.reasoning:
        message["reasoning_content"] = answer.reasoning
    if answer.refusal:
        message["refusal"] = answer.refusal
    if answer.tool_calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
            for call in answer.tool_calls
        ]
    choice = {"index": 0, "message": message, "finish_reason": answer.finish_reason}
    return Attempt(status=200, text=json.dumps({"id": "x", "object": "chat.completion", "choices": [choice]}))


def lane(answers: Sequence[Answer], name: str = "agent") -> list[Interaction]:
    """The interactions that these answers make in one lane."""
    request = RequestLine(digest="1" * 64, alias="m")
    return [
        Interaction(
            path=f"a,s,v,E0/task%2F1/0/{name}#{index}",
            request=request,
            attempts=(attempt(answer),),
            outcome="2" * 64,
        )
        for index, answer in enumerate(answers)
    ]


def lanes(**answers: Sequence[Answer]) -> Mapping[str, list[Interaction]]:
    """Lanes by name; `verifier_0` stands for `verifier.0`."""
    named = {name.replace("verifier_", "verifier."): given for name, given in answers.items()}
    return {name: lane(given, name) for name, given in named.items()}
