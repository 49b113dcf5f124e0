"""Single trials in memory: a header from the shipped scenarios, programs that answer as a test says, and a seal."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from replaylab.cassette.codec import Cassette
from replaylab.cassette.tape import Tape
from replaylab.engine.gate import Gate
from replaylab.engine.plan import Choice, PlannedTrial, make_spec, planned_trials
from replaylab.engine.seal import Result, seal
from replaylab.engine.trial import OpenChat, Parallel, in_turn, run_trial
from replaylab.faults.plan import named
from replaylab.schema.cassette import Blob, Header, Limits, key_of
from replaylab.schema.fault import FaultPlan
from replaylab.schema.interaction import Interaction
from replaylab.schema.model import ModelSettings
from tests.playground import SHORT, catalogue, program, program_chats, reply, responder

WHEN = "2026-01-02T03:04:05.678Z"
YES = '{"is_correct": true, "feedback": "yes"}'
NO = '{"is_correct": false, "feedback": "no"}'
Respond = Callable[[str, bytes], Any]


def same(value: Any) -> Any:
    return value


def choice(**changed: Any) -> Choice:
    """A run of one trial with built-in models."""
    fields: dict[str, Any] = {
        "agents": [program("scripted:careful")],
        "simulators": [program("twin")],
        "verifiers": [program("rubric")],
        "faults": [named("E0")],
        "tasks": [SHORT],
        "limits": Limits(votes=3, asks=2),
    }
    return Choice(**{**fields, **changed})


def plan(**changed: Any) -> list[PlannedTrial]:
    return planned_trials(make_spec(choice(**changed), catalogue(), same), catalogue(), same)


def header(
    *,
    agent: str = "scripted:careful",
    simulator: str = "twin",
    verifier: str = "rubric",
    faults: FaultPlan | None = None,
    **changed: Any,
) -> Header:
    """The header of the one trial of a run."""
    models = {"agents": [agent], "simulators": [simulator], "verifiers": [verifier]}
    settings = {role: [program(name) for name in names] for role, names in models.items()}
    (trial,) = plan(**settings, faults=[faults or named("E0")], **changed)
    return trial.header.model_copy(update={"created": WHEN})


def failure(status: int = 500) -> tuple[int, dict[str, str], list[bytes]]:
    body = {"error": {"message": "out of order", "type": "server_error"}}
    return status, {"content-type": "application/json"}, [json.dumps(body).encode()]


def scripted(**answers: Sequence[Any]) -> Respond:
    """Models by name that give these answers in order, the last one again and again; all others are built in.

    An answer is a text, a list of calls (tool, arguments), a whole exchange, or a function of the request.
    """
    left = {name: list(given) for name, given in answers.items()}

    def respond(path: str, body: bytes) -> Any:
        asked = json.loads(body)
        given = left.get(asked["model"])
        if given is None:
            return responder().respond(path, body)
        answer = given.pop(0) if len(given) > 1 else given[0]
        if callable(answer):
            answer = answer(asked)
        if isinstance(answer, str):
            return reply(answer)
        return reply(calls=answer) if isinstance(answer, list) else answer

    return respond


def votes(*texts: str) -> list[Callable[[Any], str]]:
    """Answers of a judge in the order in which it is asked."""
    return [partial(_said, text) for text in texts]


def _said(text: str, asked: Any) -> str:
    return text


def chats(respond: Respond | None = None) -> OpenChat:
    return program_chats(Gate(8), respond)


def play(
    head: Header,
    respond: Respond | None = None,
    *,
    open_chat: OpenChat | None = None,
    parallel: Parallel = in_turn,
    recorded: Mapping[str, Sequence[Interaction]] | None = None,
    blob: Callable[[str], Blob] | None = None,
) -> Tape:
    """Run a trial on a clock that stands still, going on after what is recorded."""
    tape = Tape(key_of(head), elapsed_ms=lambda: 0.0, recorded=recorded, blob=blob)
    run_trial(head, tape, open_chat or chats(respond), parallel)
    return tape


def sealed(head: Header, respond: Respond | None = None, **more: Any) -> tuple[Cassette, Result]:
    """The cassette of a trial, opened, and what it comes to."""
    data, result = seal(head, play(head, respond, **more), WHEN)
    return Cassette(data, where="x.cassette"), result


def seeded(alias: str, seed: int) -> ModelSettings:
    return program(alias, sampling={"seed": seed})
