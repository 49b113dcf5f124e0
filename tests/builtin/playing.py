"""A trial over the built-in models without a network: a Chat that calls the Responder, and the rules of derive."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, NamedTuple

from replaylab.builtin.responder import Responder
from replaylab.catalogue.loader import Catalogue
from replaylab.derive.episode import play
from replaylab.derive.verdict import unjudged
from replaylab.faults.inject import Injector
from replaylab.faults.plan import named
from replaylab.roles.agent import Agent
from replaylab.roles.simulator import Simulator, render_system
from replaylab.roles.verifier import Judge, decide
from replaylab.schema.base import JsonObject
from replaylab.schema.cassette import Limits
from replaylab.schema.completion import Completion
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Attempt
from replaylab.schema.model import ModelSettings
from replaylab.schema.trajectory import Trajectory, Verdict
from replaylab.wire.completion import read_answer

E0 = named("E0")


class InProcess:
    """A Chat. What was asked and answered is kept as bytes."""

    def __init__(self, responder: Responder, settings: ModelSettings) -> None:
        self._responder, self._settings = responder, settings
        self.log: list[tuple[bytes, bytes]] = []

    def ask(
        self,
        messages: Sequence[JsonObject],
        *,
        tools: Sequence[JsonObject] = (),
        extra: JsonObject | None = None,
    ) -> Completion:
        body: dict[str, Any] = {"model": self._settings.model, "messages": list(messages), **(extra or {})}
        if tools:
            body["tools"] = list(tools)
        if self._settings.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        asked = json.dumps(body).encode()
        status, _, pieces = self._responder.respond("/chat/completions", asked)
        self.log.append((asked, b"".join(pieces)))
        return read_answer(Attempt(status=status, text=self.log[-1][1].decode()))


class Played(NamedTuple):
    trajectory: Trajectory
    verdict: Verdict
    log: list[tuple[bytes, bytes]]


def asked(responder: Responder, model: str, *messages: JsonObject, **more: Any) -> tuple[int, Any]:
    """(status, body) of one request; texts are messages of the user."""
    body = json.dumps({"model": model, "messages": list(messages), **more}).encode()
    status, _, pieces = responder.respond("/v1/chat/completions", body)
    return status, json.loads(b"".join(pieces))


def action(tool: str, arguments: Any) -> JsonObject:
    """A simulator's message of the user."""
    return {"role": "user", "content": json.dumps({"name": tool, "arguments": arguments})}


def told(text: str) -> JsonObject:
    return {"role": "assistant", "content": text}


def system(catalogue: Catalogue, settings: ModelSettings | None = None) -> JsonObject:
    """The simulator's prompt for the emergency department."""
    known = settings or ModelSettings(alias="twin", model="twin")
    return {"role": "system", "content": render_system(catalogue.environment("ed-two-rooms"), known)}


def said(answer: Any) -> str:
    """The text of an answer."""
    text = answer["choices"][0]["message"]["content"]
    assert isinstance(text, str)
    return text


def changed(catalogue: Catalogue, task_id: str, **fields: Any) -> Catalogue:
    """The catalogue with other values in one task."""
    scenarios = []
    for scenario in catalogue.scenarios:
        tasks = tuple(
            task.model_copy(update=fields) if task.id == task_id else task for task in scenario.tasks
        )
        scenarios.append((scenario.model_copy(update={"tasks": tasks}), catalogue.folder(scenario.id)))
    return Catalogue(scenarios)


def trial(
    responder: Responder,
    task_id: str,
    agent: str,
    faults: FaultPlan = E0,
    *,
    simulator: str = "twin",
    **settings: Any,
) -> Played:
    """Agent, simulator and one vote of `rubric`; `settings` are those of all three models."""
    _, environment, task = responder.models.index.catalogue.task(task_id)
    players = [
        ModelSettings(alias=name, model=name, player="program", **settings)
        for name in (agent, simulator, "rubric")
    ]
    chats = [InProcess(responder, one) for one in players]
    player = Agent(chats[0], environment, task, players[0], clock=environment.clock)
    player.start()
    world = Simulator(chats[1], environment, players[1])
    injector = Injector(faults, task.id, task.expected_calls)
    trajectory = play(player, world, injector, environment, Limits())
    judge = Judge(chats[2], environment, task, players[2], vote=0)
    verdict = unjudged(trajectory) or decide([judge.vote(trajectory)])
    return Played(trajectory, verdict, [pair for chat in chats for pair in chat.log])
