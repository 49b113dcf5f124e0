"""Trials in memory whose agent is a function of a test, with built-in models behind the client that it is handed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any

from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import Lane, Tape
from replaylab.engine.seal import seal
from replaylab.engine.trial import OpenChat, run_trial
from replaylab.foreign.chat import Around, ForeignChat, Starts
from replaylab.foreign.named import agent_settings
from replaylab.foreign.own import OwnCalls
from replaylab.foreign.python import Calling, GivenTask, PythonAgent
from replaylab.roles.chat import Chat
from replaylab.schema.cassette import Blob, Header, key_of
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from replaylab.wire.handed import Handed, Upstream, Way
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import ProgramTransport
from tests.engine.playing import WHEN, chats, plan
from tests.playground import program, responder

Respond = Callable[[str, bytes], Any]
Function = Callable[..., Any]
SETTINGS = agent_settings("python:mine:act", "5" * 64)


def header(**changed: Any) -> Header:
    """The header of the one trial of a run that an own agent plays."""
    verifiers, simulators = [program("rubric")], [program("twin")]
    (trial,) = plan(agents=[SETTINGS], simulators=simulators, verifiers=verifiers, **changed)
    return trial.header.model_copy(update={"created": WHEN})


def clock_ms() -> float:
    return time.monotonic() * 1000


def way(respond: Respond | None = None, gate: AbstractContextManager[object] | None = None) -> Way:
    inner = ProgramTransport(respond or responder().respond)
    return Way(
        upstream=lambda model: Upstream(inner, "http://built-in.invalid/v1", max_attempts=3),
        redactor=Redactor(),
        gate=gate or nullcontext(),
        clock_ms=clock_ms,
        now_s=lambda: 0.0,
        sleep=lambda seconds: None,
    )


def no_doors(*_: Any) -> AbstractContextManager[Mapping[str, str]]:
    raise AssertionError("nobody asked for a base URL")


@dataclass
class Stage:
    """How a trial is played. What the agent said when it failed is in `told`."""

    function: Function
    respond: Respond | None = None
    silence_s: float = 30.0
    check: Callable[[], None] = lambda: None
    redactor: Redactor = field(default_factory=Redactor)
    told: list[str] = field(default_factory=list)
    start: Starts | None = None

    def open_chat(self) -> OpenChat:
        way_ = way(self.respond)
        start = self.start or PythonAgent(
            self.function, lambda calls: Handed(calls, way_), no_doors, self.told.append
        )
        others = chats()

        def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
            if lane.name != "agent":
                return others(lane, settings)
            return ForeignChat(
                lane, settings, start, Around(self.redactor, clock_ms, self.check, self.silence_s)
            )

        return open_chat


def play(
    stage: Stage | Function,
    head: Header | None = None,
    *,
    recorded: Mapping[str, Sequence[Interaction]] | None = None,
    blob: Callable[[str], Blob] | None = None,
) -> Tape:
    """Run a trial, going on after what is recorded."""
    stage = stage if isinstance(stage, Stage) else Stage(stage)
    head = head or header()
    tape = Tape(key_of(head), elapsed_ms=clock_ms, recorded=recorded, blob=blob)
    run_trial(head, tape, stage.open_chat())
    return tape


def sealed(stage: Stage | Function, head: Header | None = None, **more: Any) -> Cassette:
    head = head or header()
    data, _ = seal(head, play(stage, head, **more), WHEN)
    return Cassette(data, where="x.cassette")


def careful(task: GivenTask, tools: list[Any], call: Calling) -> str:
    """An agent that asks a built-in model what to do, and does it."""
    client = task.client()
    messages: list[Any] = [
        {"role": "system", "content": task.system},
        {"role": "user", "content": task.instruction},
    ]
    while True:
        said = client.chat.completions.create(model="scripted:careful", messages=messages, tools=tools)
        message = said.choices[0].message
        messages.append(message.model_dump(exclude_none=True))
        if not message.tool_calls:
            return str(message.content)
        for one in message.tool_calls:
            seen = call(one.function.name, one.function.arguments)
            messages.append({"role": "tool", "tool_call_id": one.id, "content": json.dumps(seen)})


def answered(rows: Sequence[Interaction]) -> list[Any]:
    """What the moves of an agent's lane say: a list of (tool, arguments), an answer, or the kind of failure."""
    found: list[Any] = []
    for row in rows:
        if row.final.failure is not None:
            found.append(row.final.failure.kind)
            continue
        message = json.loads(row.final.text or "")["choices"][0]["message"]
        calls = [one["function"] for one in message.get("tool_calls", ())]
        found.append([(one["name"], one["arguments"]) for one in calls] or message["content"])
    return found


def own_calls(tape: Tape, session: Any) -> OwnCalls:
    return OwnCalls(tape, session)
