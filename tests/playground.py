"""Records small real runs with built-in models, in process: what tests of the engine and the files play with."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from replaylab.builtin.responder import Responder
from replaylab.cassette.tape import Lane
from replaylab.catalogue.loader import Catalogue, shipped
from replaylab.engine.gate import Gate
from replaylab.engine.ledger import Order
from replaylab.engine.plan import Choice, make_spec, planned_trials, shard
from replaylab.engine.record import Recorded, Recording
from replaylab.engine.seams import Seams
from replaylab.engine.trial import OpenChat
from replaylab.faults.plan import named
from replaylab.roles.chat import Chat
from replaylab.schema.cassette import Limits
from replaylab.schema.model import ModelSettings
from replaylab.store.library import Library
from replaylab.wire.client import Chats, Outside
from replaylab.wire.endpoint import Endpoint
from replaylab.wire.redact import Redactor
from replaylab.wire.transport import ProgramTransport

SHORT = "ed-sepsis-room"


def fake_seams(start: int = 0) -> Seams:
    """A clock that ticks a millisecond a look, and a sleep that doesn't."""
    ticks = itertools.count(start)
    return Seams(
        now=lambda: f"2026-01-02T03:04:05.{next(ticks) % 1000:03d}Z",
        elapsed_ms=lambda: float(next(ticks)),
        sleep=lambda seconds: None,
    )


@cache
def catalogue() -> Catalogue:
    return Catalogue.load([shipped()])


@cache
def responder() -> Responder:
    return Responder(catalogue(), [shipped()])


def program(alias: str, **settings: Any) -> ModelSettings:
    return ModelSettings(alias=alias, model=alias, player="program", **settings)


def reply(
    text: str = "", calls: Sequence[tuple[str, dict[str, Any]]] = ()
) -> tuple[int, dict[str, str], list[bytes]]:
    """A chat completion as a program of a test answers it; `calls` are (tool, arguments)."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"call-{number}",
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps(given)},
            }
            for number, (tool, given) in enumerate(calls)
        ]
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls" if calls else "stop"}
    body = {"id": "x", "object": "chat.completion", "model": "test", "choices": [choice]}
    return 200, {"content-type": "application/json"}, [json.dumps(body).encode()]


def program_chats(
    gate: Gate, respond: Callable[[str, bytes], Any] | None = None, redactor: Redactor | None = None
) -> OpenChat:
    """Chats with programs of this process, through the SDK and the real transport."""
    transport = ProgramTransport(respond or responder().respond)

    def open_chat(lane: Lane, settings: ModelSettings) -> Chat:
        outside = Outside(
            inner=transport,
            redactor=redactor or Redactor(),
            gate=gate,
            clock_ms=lambda: 0.0,
            now_s=lambda: 0.0,
            sleep=lambda seconds: None,
        )
        endpoint = Endpoint(settings=settings, base_url="http://built-in.invalid/v1")
        return Chats({settings.alias: endpoint}, outside).open(lane, settings)

    return open_chat


@dataclass
class Wish:
    """What to record; the defaults are one short trial."""

    tasks: Sequence[str] = (SHORT,)
    agents: Sequence[str] = ("scripted:careful",)
    simulators: Sequence[str] = ("twin",)
    verifiers: Sequence[str] = ("rubric",)
    faults: Sequence[str] = ("E0",)
    trials: int = 1
    votes: int = 3
    name: str = "run"
    jobs: int = 1
    shard: str = ""
    retry_errors: bool = False
    max_calls: int | None = None
    respond: Callable[[str, bytes], Any] | None = None
    settings: dict[str, Any] = field(default_factory=dict)


def record(root: Path, wish: Wish | None = None, **changed: Any) -> tuple[Library, Recorded]:
    """Record into a library at `root`."""
    wish = wish or Wish(**changed)
    library, redactor = Library(root), Redactor()
    choice = Choice(
        agents=[program(alias, **wish.settings) for alias in wish.agents],
        simulators=[program(alias, **wish.settings) for alias in wish.simulators],
        verifiers=[program(alias, **wish.settings) for alias in wish.verifiers],
        faults=[named(name) for name in wish.faults],
        tasks=wish.tasks,
        trials=wish.trials,
        limits=Limits(votes=wish.votes),
    )
    spec = make_spec(choice, catalogue(), redactor.value)
    planned = shard(planned_trials(spec, catalogue(), redactor.value), wish.shard)
    gate = Gate(wish.jobs, max_calls=wish.max_calls)
    order = Order(wish.name, spec, planned, wish.shard, wish.jobs, wish.retry_errors)
    recording = Recording(
        library, order, open_chat=program_chats(gate, wish.respond), gate=gate, seams=fake_seams()
    )
    return library, recording.run()


def only_cassette(library: Library) -> Path:
    """The path of the one cassette of a library."""
    (name,) = library.objects("cassette")
    return library.path(name, "cassette")
